/* Positions of four in a row for the programs that solve the early ones: masks, keys, the undecided positions with a number of
 * marks, and a bound of a value. The masks are those of server/noughts/engine/four_in_a_row/masks.py. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t mask;
enum { CELLS = 42, MIRROR_PLIES = 14, MOST_MARKS = 14 };             /* mirror images share entries up to that ply */
static const mask BOTTOM = 0x0040810204081, FULL = BOTTOM * 63, ODD_ROWS = BOTTOM * 21, EVEN_ROWS = BOTTOM * 42;
static const int CENTRE_FIRST[7] = {3, 2, 4, 1, 5, 0, 6};
#define COLUMN(c) ((mask)63 << 7 * (c))

static void stop(const char *reason) { fprintf(stderr, "%s\n", reason); exit(1); }

/* --- positions ---------------------------------------------------------------------------------------------------- */

/* Return the free cells where one more of these marks completes a line. */
static mask winning(mask marks, mask occupied) {
    mask cells = marks << 1 & marks << 2 & marks << 3;
    for (int step = 6; step <= 8; step++) {
        mask above = marks << step & marks << 2 * step, below = marks >> step & marks >> 2 * step;
        cells |= above & (marks << 3 * step | marks >> step);
        cells |= below & (marks << step | marks >> 3 * step);
    }
    return cells & (occupied ^ FULL);
}

/* Seven masks, one for each column, and the same operations on all of them at once. */
typedef mask masks __attribute__((vector_size(64)));

static masks winning_each(masks marks, masks occupied) {
    masks cells = marks << 1 & marks << 2 & marks << 3;
    for (int step = 6; step <= 8; step++) {
        masks above = marks << step & marks << 2 * step, below = marks >> step & marks >> 2 * step;
        cells |= above & (marks << 3 * step | marks >> step);
        cells |= below & (marks << step | marks >> 3 * step);
    }
    return cells & (occupied ^ FULL);
}

static int has_line(mask marks) {
    static const int steps[4] = {1, 6, 7, 8};
    for (int i = 0; i < 4; i++) {
        mask pairs = marks & marks >> steps[i];
        if (pairs & pairs >> 2 * steps[i]) return 1;
    }
    return 0;
}

static mask mirrored(mask m) {
    mask image = 0;
    for (int column = 0; column < 7; column++) image |= (m >> 7 * column & 127) << 7 * (6 - column);
    return image;
}

static uint64_t key_of(mask me, mask occupied, int ply) {
    uint64_t key = me + occupied, image = ply < MIRROR_PLIES ? mirrored(me) + mirrored(occupied) : key;
    return key < image ? key : image;
}

/* Store the masks of a key: in each column the highest bit of key + 1 gives the number of marks. */
static void position_of(uint64_t key, mask *me, mask *occupied) {
    *me = *occupied = 0;
    for (int column = 0; column < 7; column++) {
        unsigned part = key >> 7 * column & 127, bar = (1u << (31 - __builtin_clz(part + 1))) - 1;
        *me |= (mask)(part - bar) << 7 * column;
        *occupied |= (mask)bar << 7 * column;
    }
}

static int ascending(const void *a, const void *b) {
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* Return the moves that stop the other side from completing a line at once, and above the cell of the move. */
static mask safe_moves(mask theirs, mask occupied) {
    mask open = (occupied + BOTTOM) & FULL, forced = theirs & open;
    return (forced ? forced & (forced - 1) ? 0 : forced : open) & ~(theirs >> 1);
}

/* Return the keys of all undecided positions with this many marks, the quiet ones first, and store their number. */
static uint64_t *undecided_positions(int marks, long *count) {
    uint64_t *layer = calloc(1, sizeof *layer), *chosen;
    long size = 1;
    for (int ply = 0; ply < marks; ply++) {
        uint64_t *next = malloc(sizeof *next * size * 7);
        long all = 0;
        if (!next) stop("out of memory");
        for (long i = 0; i < size; i++) {
            mask me, occupied;
            position_of(layer[i], &me, &occupied);
            for (int column = 0; column < 7; column++) {
                mask move = (occupied + BOTTOM) & COLUMN(column);
                if (move && !has_line(me | move)) next[all++] = key_of(me ^ occupied, occupied | move, ply + 1);
            }
        }
        qsort(next, all, sizeof *next, ascending);
        size = 0;
        for (long i = 0; i < all; i++)
            if (!i || next[i] != next[i - 1]) next[size++] = next[i];
        free(layer);
        layer = next;
    }
    chosen = malloc(sizeof *chosen * size);
    if (!chosen) stop("out of memory");
    *count = 0;
    for (int forced = 0; forced < 2; forced++) {
        for (long i = 0; i < size; i++) {
            mask me, occupied;
            position_of(layer[i], &me, &occupied);
            mask open = (occupied + BOTTOM) & FULL, theirs = winning(me ^ occupied, occupied);
            if (winning(me, occupied) & open || (!(theirs & open)) == forced) continue;
            if (!forced || safe_moves(theirs, occupied)) chosen[(*count)++] = layer[i];
        }
    }
    free(layer);
    return chosen;
}

/* --- what a reply above each mark is worth -------------------------------------------------------------------------- */

/* Return the cells of rows 3 and 5 above those where a reply completes a line: the game ends before they are filled. */
static mask beyond(mask completing) { return (completing << 1 & FULL) | (completing & BOTTOM << 1) << 3; }

/* The cells of `switches` are paired, and `marks` gets one cell of each pair. Return 1 if it may complete a line however they
 * are paired, or if that takes too long to tell. */
static int pairs_leave_line(mask marks, mask switches) {
    mask cells[4];
    int count = 0, lines[3];
    if (!has_line(marks | switches)) return 0;
    if (__builtin_popcountll(switches) > 4 || has_line(marks)) return 1;
    for (mask rest = switches; rest; rest &= rest - 1) cells[count++] = rest & -rest;
    for (int i = 0; i < count; i++)
        if (has_line(marks | cells[i])) return 1;
    if (count == 2) return 0;
    for (int i = 0; i < 3; i++) lines[i] = has_line(marks | cells[0] | cells[i + 1]);
    lines[0] |= has_line(marks | cells[2] | cells[3]);
    lines[1] |= has_line(marks | cells[1] | cells[3]);
    lines[2] |= has_line(marks | cells[1] | cells[2]);
    return lines[0] + lines[1] + lines[2] > 1;                        /* two cells of one pair do not come together */
}

/* Return an upper bound of the value for the side to move (0, 1 or 2), from a rule by which the other side, the follower, can
 * reply. `completing` are the free cells where the follower completes a line.
 *
 * The follower replies above each mark, in the same column (claimeven: V. Allis, A Knowledge-based Approach of Connect-Four,
 * 1988). In a column with an odd number of free cells the first one has no partner. Such cells, the switches, are paired: the
 * reply to one is the other. So of the free cells the side to move gets those of rows 1, 3 and 5, and one switch of each pair.
 *
 * If X is to move, the number of switches is even. If O is to move, one is left over. X follows in its column too, from the
 * second cell on, if X completes a line in row 3 or 5 there: in the end O has no move but to the cell below. */
static int bound(mask mover, mask follower, mask occupied, mask completing, int ply) {
    mask rest = occupied ^ FULL, switches = (occupied + BOTTOM) & EVEN_ROWS, replies = rest & EVEN_ROWS & ~switches;
    if (!(ply & 1)) {
        mask odd = rest & ODD_ROWS & ~beyond(completing & replies);
        if (pairs_leave_line(mover | odd, switches)) return 2;
        return has_line(follower | replies) ? 0 : 1;
    }
    for (mask left = switches; left; left &= left - 1) {
        mask first = left & -left, column = COLUMN(__builtin_ctzll(first) / 7), target = completing & ODD_ROWS & column;
        if (!target) continue;
        mask below = ((target & -target) - 1) & rest & EVEN_ROWS & column;
        mask odd = rest & ODD_ROWS & ~column & ~beyond(completing & replies & ~column);
        if (!pairs_leave_line(mover | odd | below, switches ^ first)) return 0;
    }
    return 2;
}
