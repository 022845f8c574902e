/* Solve all undecided positions of four in a row with a number of marks: a win, a draw or a loss of the side to move.
 *
 *     values MARKS STATE THREADS MIB       solve the positions that STATE does not have yet, with a table of MIB
 *     values MARKS STATE                   print a line "KEY VALUE" for each position that STATE has
 *
 * In a quiet position neither side can complete a line with its next mark. In a forced position the other side could complete
 * one in a single cell, and the side to move can fill that cell. All others are decided at once. Mirror images count once:
 * the key is the smaller `me + occupied` of the two, as in server/noughts/engine/four_in_a_row/search.py, whose masks this
 * program uses.
 *
 * STATE is a file with one byte for each position: `w`, `d`, `l`, or zero while it is unknown. It holds the quiet positions in
 * the order of their keys, then the forced positions in the order of theirs. All threads write to it in place, so the program
 * can be stopped at any moment, and goes on where it was.
 */
enum { TOP = 2, BOUND_BITS = 2, WORK_STEP = 1 };
#include "search.h"

/* No value is known without a search, and a value says nothing of the length of a game. */
static int known_value(mask me, mask occupied, int ply) { return (void)me, (void)occupied, (void)ply, -1; }
static int least_number(int ply) { return (void)ply, 0; }
static int most_number(int ply) { return (void)ply, TOP; }

/* Return the letter of an undecided position. */
static char letter_of(uint64_t key, int ply) {
    mask me, occupied;
    position_of(key, &me, &occupied);
    mask theirs = winning(me ^ occupied, occupied), moves = safe_moves(theirs, occupied);
    if (!moves) return 'l';
    if (reaches(me, occupied, theirs, moves, ply, 2)) return 'w';
    return reaches(me, occupied, theirs, moves, ply, 1) ? 'd' : 'l';
}

int main(int argc, char **argv) {
    int marks = argc > 2 ? atoi(argv[1]) : 0;
    if (marks < 1 || marks > MOST_MARKS) stop("usage: values MARKS STATE [THREADS MIB], with 1 to 14 marks");
    run_program(marks, argv[2], argc > 4 ? atoi(argv[3]) : 0, argc > 4 ? argv[4] : "");
    return 0;
}
