/* Find the scores of all undecided positions of four in a row with a number of marks: who wins, and with which mark.
 *
 *     scores MARKS STATE VALUES THREADS MIB     solve the positions that STATE does not have yet, with a table of MIB
 *     scores MARKS STATE                        print a line "KEY LETTER" for each position that STATE has
 *
 * A win of the side to move with the winner's n-th mark has the score 22 - n, a loss the negative of that, a draw 0. A letter is
 * the character with the code 64 + score: `@` for a draw, `A` for a win with the last mark.
 *
 * VALUES is the table of early values, books/four-in-a-row-values.book. With it only the length of a game is searched, and a
 * search ends at each position of the table that the side which has to win does not win. So MARKS is an even number up to 12.
 *
 * STATE is a file with one letter for each position, zero while it is unknown, in the order of values.c. All threads write to it
 * in place, so the program can be stopped at any moment, and goes on where it was.
 */
enum { TOP = 42, BOUND_BITS = 6, WORK_STEP = 3 };
#include "search.h"

/* --- the table of values, as in server/noughts/engine/static_function.py -------------------------------------------- */

enum { VALUE_MARKS = 12, PATH_BYTES = 4 << 20 };
static struct { uint64_t seed, third; const unsigned char *cells; } values;

static void read_values(const char *path) {
    static char data[PATH_BYTES];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(data, 1, sizeof data - 1, file) : 0;
    int head = 0;
    sscanf(data, "noughts values 2\nfour-in-a-row\n%lu\n%lu%n", &values.seed, &values.third, &head);
    values.cells = (const unsigned char *)data + head + 1;
    if (!head || size < head + 1 + (3 * values.third + 3) / 4) stop("the table of values cannot be read");
    fclose(file);
}

static int cell(uint64_t half, int part) {
    uint64_t at = (half * values.third >> 32) + part * values.third;
    return values.cells[at >> 2] >> 2 * (at & 3) & 3;
}

static int known_value(mask me, mask occupied, int ply) {
    if (ply > VALUE_MARKS || ply & 1) return -1;
    uint64_t mixed = (key_of(me, occupied, ply) ^ values.seed) * 0x9E3779B97F4A7C15u, low = 0xFFFFFFFFu;
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93u;
    mixed ^= mixed >> 32;
    return cell(mixed & low, 0) ^ cell(mixed >> 32, 1) ^ cell(mixed * 0xD6E8FEB86659FD93u >> 32, 2);
}

/* --- the length ---------------------------------------------------------------------------------------------------- */

/* Neither side wins sooner than with the mark after its next one. */
static int least_number(int ply) { return DRAW - ((CELLS - 2 - ply) >> 1); }
/* A win with the mark after the next one is seen without a search. */
static int most_number(int ply) { return DRAW + ((CELLS - 3 - ply) >> 1); }

static char letter_of(uint64_t key, int ply) {
    mask me, occupied;
    position_of(key, &me, &occupied);
    mask theirs = winning(me ^ occupied, occupied), moves = safe_moves(theirs, occupied);
    int value = known_value(me, occupied, ply), score = 0;
    if (!moves) return 64 - ((CELLS - ply) >> 1);
    if (value == 2)
        for (score = (CELLS - 1 - ply) >> 1; score > 1 && !reaches(me, occupied, theirs, moves, ply, DRAW + score);) score--;
    if (value == 0)
        for (score = -((CELLS - 2 - ply) >> 1); score < -1 && reaches(me, occupied, theirs, moves, ply, DRAW + score + 1);) score++;
    return 64 + score;
}

int main(int argc, char **argv) {
    int marks = argc > 2 ? atoi(argv[1]) : 0;
    if (marks < 2 || marks > VALUE_MARKS || marks & 1 || argc == 4 || argc == 5)
        stop("usage: scores MARKS STATE [VALUES THREADS MIB], with an even number of marks up to 12");
    if (argc > 5) read_values(argv[3]);
    run_program(marks, argv[2], argc > 5 ? atoi(argv[4]) : 0, argc > 5 ? argv[5] : "");
    return 0;
}
