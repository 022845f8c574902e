/* Null-window search for four in a row: is the score of a position at least a goal?

   A score is for the side to move: 0 is a draw, a win with the winner's n-th mark is 22 - n, a loss is the negative of that.
   A position is two masks, the marks of the side to move and all marks, column by column. One bit on top of each column is
   always free, so that no line and no addition runs from one column into the next:

        6 13 20 27 34 41 48   <- always free
        5 12 19 26 33 40 47      the top row
        4 11 18 25 32 39 46
        3 10 17 24 31 38 45
        2  9 16 23 30 37 44
        1  8 15 22 29 36 43
        0  7 14 21 28 35 42      where the first marks fall

   All marks plus the bottom row carry through each column to its lowest free cell. The sum of the two masks is unique for a
   position: it is the key of the table.

   Sources: two masks with a bar bit and a unique sum are J. Tromp's (Fhourstones); moves that do not lose at once and the order
   of moves by threats are P. Pons' (his tutorial "Solving Connect 4"); replies above each mark of the opponent are V. Allis'
   claimeven ("A Knowledge-based Approach of Connect-Four", 1988), explained in tools/prove/claimeven.py.

   The cells that complete a line are passed down from move to move. The table is read for every successor before any of them is
   searched, and a position's own entry is not read.

   `make kernels` builds four_in_a_row.wasm from this file. It needs no library. The table lies behind the static data, where
   the memory grows. */

#include "memory.h"

#define BOTTOM 0x0040810204081ULL
#define FULL 0xfdfbf7efdfbfULL
#define ODD_ROWS 0x54a952a54a95ULL
#define EVEN_ROWS 0xa952a54a952aULL
#define COLUMN(n) (63ULL << 7 * (n))
#define STOPPED -1
#define NO_ANSWER -1

static const u64 COLUMNS_CENTRE_FIRST[7] = {COLUMN(3), COLUMN(2), COLUMN(4), COLUMN(1), COLUMN(5), COLUMN(0), COLUMN(6)};

typedef struct {
    u64 move, threats, replies;
} Candidate;

/* An entry is stored as its complement, so that the zeros of new memory are no entry. */
static u64 *table;
static u64 size;
static double inverse_size;
static i64 nodes, node_limit, check_at, nodes_per_reading;
static int timed, stopped;
static Candidate candidates[42][8];

/* Makes a table of this many entries. Returns 0 if the memory for it is not there. */
EXPORT(make_table) int make_table(i64 entries) {
    table = take(8 * (u64)entries);
    size = (u64)entries;
    inverse_size = 1.0 / (double)entries;
    return table != 0;
}

EXPORT(clear) void clear(void) {
    for (u64 i = 0; i < size; i++) table[i] = 0;
}

/* Allows the next searches so many nodes in all. The clock is read once in `reading` nodes, never for 0. */
EXPORT(allow) void allow(i64 limit, i64 reading) {
    node_limit = nodes + limit;
    timed = reading > 0;
    nodes_per_reading = timed ? reading : limit;
    check_at = nodes_per_reading < limit ? nodes + nodes_per_reading : node_limit;
}

EXPORT(nodes_searched) i64 nodes_searched(void) { return nodes; }

static int must_stop(void) {
    if (nodes >= node_limit || (timed && host_stop())) return stopped = 1;
    check_at = nodes + nodes_per_reading < node_limit ? nodes + nodes_per_reading : node_limit;
    return 0;
}

/* Returns the remainder of a sum, below 2^50, by the size of the table. A division would take longer than all the rest. */
static inline u64 index_of(u64 sum) {
    u64 quotient = (u64)((double)sum * inverse_size);
    i64 rest = (i64)(sum - quotient * size);
    if (rest < 0) rest += (i64)size;
    if (rest >= (i64)size) rest -= (i64)size;
    return (u64)rest;
}

static inline u64 winning(u64 marks, u64 occupied) {
    u64 cells = (marks << 1) & (marks << 2) & (marks << 3);
    u64 pairs = marks & (marks << 7);
    cells |= (pairs << 7 & (marks << 21 | marks >> 7)) | (pairs >> 14 & (marks << 7 | marks >> 21));
    pairs = marks & (marks << 6);
    cells |= (pairs << 6 & (marks << 18 | marks >> 6)) | (pairs >> 12 & (marks << 6 | marks >> 18));
    pairs = marks & (marks << 8);
    cells |= (pairs << 8 & (marks << 24 | marks >> 8)) | (pairs >> 16 & (marks << 8 | marks >> 24));
    return cells & (occupied ^ FULL);
}

static inline int has_line(u64 marks) {
    u64 column = marks & (marks >> 1), row = marks & (marks >> 7), fall = marks & (marks >> 6), rise = marks & (marks >> 8);
    return ((column & column >> 2) | (row & row >> 14) | (fall & fall >> 12) | (rise & rise >> 16)) != 0;
}

/* Returns the cells of odd rows above those where a reply completes a line: the game ends before they are filled. */
static inline u64 beyond(u64 completing) { return (completing << 1 & FULL) | (completing & BOTTOM << 1) << 3; }

static int may_complete(u64 marks, u64 switches) {
    u64 cells[4];
    int count = __builtin_popcountll(switches);
    if (!has_line(marks | switches)) return 0;
    if (count > 4 || has_line(marks)) return 1;
    for (int i = 0; i < count; i++, switches &= switches - 1) {
        cells[i] = switches & -switches;
        if (has_line(marks | cells[i])) return 1;
    }
    if (count == 2) return 0;
    int first = has_line(marks | cells[0] | cells[1]) || has_line(marks | cells[2] | cells[3]);
    int second = has_line(marks | cells[0] | cells[2]) || has_line(marks | cells[1] | cells[3]);
    int third = has_line(marks | cells[0] | cells[3]) || has_line(marks | cells[1] | cells[2]);
    return first + second + third > 1;
}

/* Returns an upper bound of the value for the mover: 1, 0 or -1. tools/prove/claimeven.py explains it. */
static int highest_value(u64 mover, u64 follower, u64 occupied, u64 completing, int ply) {
    u64 rest = occupied ^ FULL, switches = (occupied + BOTTOM) & EVEN_ROWS, replies = rest & EVEN_ROWS & ~switches;
    if (!(ply & 1)) {
        u64 cells = rest & ODD_ROWS & ~beyond(completing & replies);
        if (may_complete(mover | cells, switches)) return 1;
        return has_line(follower | replies) ? -1 : 0;
    }
    for (u64 left = switches; left; left &= left - 1) {
        u64 first = left & -left, column = COLUMN(__builtin_ctzll(first) / 7), target = completing & ODD_ROWS & column;
        if (!target) continue;
        u64 below = ((target & -target) - 1) & rest & EVEN_ROWS & column;
        u64 cells = rest & ODD_ROWS & ~column & ~beyond(completing & replies & ~column);
        if (!may_complete(mover | cells | below, switches ^ first)) return -1;
    }
    return 1;
}

static int reaches(u64 me, u64 occupied, u64 mine, u64 theirs, u64 moves, int ply, int goal) {
    if (goal <= -((40 - ply) >> 1)) return 1;
    nodes++;
    if (nodes >= check_at && must_stop()) return 0;
    u64 opponent = me ^ occupied;
    u64 open_cells = (occupied + BOTTOM) & FULL;
    int enough = 22 - goal, least = goal > 0 ? 1 - goal : 1;
    u64 good_rows = ply & 1 ? EVEN_ROWS : ODD_ROWS;
    Candidate *candidate = candidates[ply];
    int order[7], count = 0;
    for (int rank = 0; rank < 7 && moves; rank++) {
        u64 move = moves & COLUMNS_CENTRE_FIRST[rank];
        if (!move) continue;
        moves ^= move;
        u64 after = occupied | move;
        u64 entry = ~table[index_of(opponent + after)];
        if (entry >> 12 == opponent + after) {
            if ((int)(entry & 63) < enough) return 1;
            if ((int)(entry >> 6 & 63) >= enough) continue;
        }
        u64 threats = winning(me | move, after);
        u64 replies = (open_cells ^ move) | (move << 1 & FULL);
        u64 forced = replies & threats;
        if (forced) {
            if (forced & (forced - 1)) return 1;
            replies = forced;
        }
        replies &= ~(threats >> 1);
        if (!replies) return 1;
        if (least >= 0 && entry >> 12 != opponent + after && highest_value(opponent, me | move, after, threats, ply + 1) < least)
            return 1;
        candidate[rank] = (Candidate){move, threats, replies};
        u64 useful = threats & ~(theirs << 1);
        int weight = 8 * __builtin_popcountll(useful) + 4 * __builtin_popcountll(useful & good_rows) - (forced ? 3 : 0);
        /* The packed numbers are all different, so any sort gives the same order. */
        int packed = (255 - weight) << 3 | rank;
        int place = count++;
        for (; place && order[place - 1] > packed; place--) order[place] = order[place - 1];
        order[place] = packed;
    }

    int reached = 0;
    if (goal <= (39 - ply) >> 1) {
        for (int place = 0; place < count; place++) {
            Candidate *next = &candidate[order[place] & 7];
            int answer = reaches(
                opponent, occupied | next->move, theirs & ~next->move, next->threats, next->replies, ply + 1, 1 - goal);
            if (stopped) return 0;
            if (!answer) {
                reached = 1;
                break;
            }
        }
    }

    u64 sum = me + occupied;
    u64 *place = &table[index_of(sum)];
    u64 entry = ~*place;
    u64 lower = 0, upper = 42;
    if (entry >> 12 == sum) {
        upper = entry & 63;
        lower = entry >> 6 & 63;
    }
    if (reached) lower = goal + 21;
    else upper = goal + 20;
    *place = ~(sum << 12 | lower << 6 | upper);
    return reached;
}

/* Returns whether the table knows that the score is at least the goal: 1, 0, or NO_ANSWER. */
EXPORT(stored_answer) int stored_answer(u64 me, u64 occupied, int goal) {
    u64 entry = ~table[index_of(me + occupied)];
    if (entry >> 12 == me + occupied) {
        if (goal <= (int)(entry >> 6 & 63) - 21) return 1;
        if (goal > (int)(entry & 63) - 21) return 0;
    }
    return NO_ANSWER;
}

/* Returns whether the score of a position in play is at least the goal: 1, 0, or STOPPED. */
EXPORT(score_reaches) int score_reaches(u64 me, u64 occupied, int ply, int goal) {
    u64 mine = winning(me, occupied);
    u64 open_cells = (occupied + BOTTOM) & FULL;
    if (mine & open_cells) return goal <= (43 - ply) >> 1;
    u64 theirs = winning(me ^ occupied, occupied);
    u64 moves = open_cells & theirs;
    if (moves & (moves - 1)) moves = 0;
    else if (moves) moves &= ~(theirs >> 1);
    else moves = open_cells & ~(theirs >> 1);
    if (!moves) return goal <= -((42 - ply) >> 1);
    if (goal > (41 - ply) >> 1) return 0;
    if (goal >= 0 && highest_value(me, me ^ occupied, occupied, theirs, ply) < (goal < 1 ? goal : 1)) return 0;
    stopped = 0;
    int answer = reaches(me, occupied, mine, theirs, moves, ply, goal);
    return stopped ? STOPPED : answer;
}
