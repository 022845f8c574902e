/* Wins by continuous fours. Every move of the attacker makes a *four*, a line that lacks one cell, and the defender must fill
   that cell. So a win is a single line of play, and its last move can complete a line in two places or more:

       X . X . X     a pair: with a mark on either cell the other completes the line
       X X X . X     a four

   A pair is an edge between two cells. A cell with two different neighbours makes two fours at once and wins. Iterative
   deepening finds a shortest win. A table keeps the positions that fail and the number of fours up to which they do.

   Sources: O. Patashnik, "Qubic: 4x4x4 Tic-Tac-Toe", 1980; V. Allis, H. van den Herik, M. Huntjens, "Go-Moku and Threat-Space
   Search", 1993. */

#include "line_board.h"

#define UNLIMITED 999
#define FAILURES_LIMIT 400000
#define SLOTS (1 << 20)
#define FRAMES 160

enum { GOING = 0, OUT_OF_NODES = 1, OUT_OF_TIME = 2 };

typedef struct {
    u8 move, reply, several;
} Four;

typedef struct {
    Mask own, other;
    u32 slot;
    int reach;
} Failure;

static u32 *slots; /* 1 + the number of a failure, 0 if the slot is free */
static Failure *failures;
static u32 failure_count;

static i64 four_nodes, four_node_limit;
static int nodes_per_reading; /* 0: the clock is never read */
static int stopped, limit_reached;

static Pair pair_stack[1 << 16];
static Four four_stack[1 << 15];
static u32 seen_at[MAX_CELLS + 1], seen_now;
static u16 seen_place[MAX_CELLS + 1];

/* The win, the last four first. Its last reply is any of the cells of `last_replies`. */
static int win_length;
static u8 win_move[FRAMES], win_reply[FRAMES];
static Mask last_replies;

static int make_failures(void) {
    if (!slots) slots = take(4 * SLOTS);
    if (slots && !failures) failures = take(sizeof(Failure) * FAILURES_LIMIT);
    return slots && failures;
}

static void clear_failures(void) {
    for (u32 i = 0; i < failure_count; i++) slots[failures[i].slot] = 0;
    failure_count = 0;
}

/* Returns the failure of the current position, or 0. Writes the slot where it is or would be. */
static Failure *failure_of_position(u32 *slot) {
    u32 at = (u32)(position_hash >> 20) & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        *slot = at;
        if (!slots[at]) return 0;
        Failure *failure = &failures[slots[at] - 1];
        if (equal(&failure->own, &marks[0]) && equal(&failure->other, &marks[1])) return failure;
    }
}

static void keep_failure(int reach) {
    u32 slot;
    Failure *failure = failure_of_position(&slot);
    if (!failure) {
        if (failure_count >= FAILURES_LIMIT) return;
        failure = &failures[failure_count++];
        failure->own = marks[0];
        failure->other = marks[1];
        failure->slot = slot;
        slots[slot] = failure_count;
    }
    failure->reach = reach;
}

/* Writes the cells that make a four, each with the cell that then completes it, in the order in which they are met. */
static int fours_of(const Pair *pairs, int pair_count, Four *fours) {
    int count = 0;
    seen_now++;
    for (int i = 0; i < pair_count; i++)
        for (int turn = 0; turn < 2; turn++) {
            u8 move = turn ? pairs[i].b : pairs[i].a, reply = turn ? pairs[i].a : pairs[i].b;
            if (seen_at[move] != seen_now) {
                seen_at[move] = seen_now;
                seen_place[move] = (u16)count;
                fours[count++] = (Four){move, reply, 0};
            } else if (fours[seen_place[move]].reply != reply) {
                fours[seen_place[move]].several = 1;
            }
        }
    return count;
}

/* Appends the pairs, and with `triples` the triples, that the attacker's mark on a cell makes. */
static int new_pairs(int cell, Pair *pairs) {
    int count = 0;
    for (int i = 0; i < through_count[cell]; i++) {
        int line = through[cell][i];
        if (!line_marks[1][line] && line_marks[0][line] == line_length - 2) {
            u8 cells[MAX_LENGTH];
            lacking(line, cells);
            pairs[count++] = (Pair){cells[0], cells[1]};
        }
    }
    return count;
}

/* Returns the one cell that completes a line of the defender through its mark on a cell, NONE, or -1 for several. */
static int counter_of(int cell) {
    int counter = NONE;
    for (int i = 0; i < through_count[cell]; i++) {
        int line = through[cell][i];
        if (line_marks[0][line] || line_marks[1][line] != line_length - 1) continue;
        u8 cells[MAX_LENGTH];
        lacking(line, cells);
        if (counter != NONE && counter != cells[0]) return -1;
        counter = cells[0];
    }
    return counter;
}

static void read_clock(void) {
    if (host_stop()) stopped = OUT_OF_TIME;
}

/* Searches the current position. The frames' pairs and fours lie on two stacks from these places on. */
static int attack(int first_pair, int pair_count, int first_four, int block, int reach) {
    four_nodes++;
    if (nodes_per_reading && four_nodes % nodes_per_reading == 0) read_clock();
    if (stopped) return 0;
    if (four_nodes > four_node_limit) {
        stopped = OUT_OF_NODES;
        return 0;
    }
    const Pair *pairs = pair_stack + first_pair;
    Four *fours = four_stack + first_four;
    int four_count = fours_of(pairs, pair_count, fours);
    if (block != NONE) {
        if (seen_at[block] != seen_now) return 0;
        fours[0] = fours[seen_place[block]];
        four_count = 1;
    }
    for (int i = 0; i < four_count; i++)
        if (fours[i].several) {
            last_replies = (Mask){{0}};
            for (int j = 0; j < pair_count; j++) {
                if (pairs[j].a == fours[i].move) set(&last_replies, pairs[j].b);
                if (pairs[j].b == fours[i].move) set(&last_replies, pairs[j].a);
            }
            win_move[0] = fours[i].move;
            win_length = 1;
            return 1;
        }
    if (reach == 1) {
        limit_reached = 1;
        return 0;
    }
    int any_limit = limit_reached;
    for (int i = 0; i < four_count; i++) {
        int move = fours[i].move, reply = fours[i].reply;
        fill(0, move);
        fill(1, reply);
        u32 slot;
        Failure *failure = failure_of_position(&slot);
        if (failure && failure->reach >= reach - 1) {
            if (failure->reach != UNLIMITED) any_limit = 1;
            empty(1, reply);
            empty(0, move);
            continue;
        }
        int counter = counter_of(reply), won = 0;
        limit_reached = 0;
        if (counter >= 0) {
            int next = first_pair + pair_count, count = 0;
            for (int j = 0; j < pair_count; j++) {
                Pair pair = pairs[j];
                if (pair.a != move && pair.b != move && pair.a != reply && pair.b != reply) pair_stack[next + count++] = pair;
            }
            count += new_pairs(move, pair_stack + next + count);
            if (count) won = attack(next, count, first_four + four_count, counter, reach - 1);
        }
        if (!won && !stopped) keep_failure(limit_reached ? reach - 1 : UNLIMITED);
        empty(1, reply);
        empty(0, move);
        if (stopped) return 0;
        if (won) {
            win_move[win_length] = (u8)move;
            win_reply[win_length++] = (u8)reply;
            return 1;
        }
        if (limit_reached) any_limit = 1;
    }
    limit_reached = any_limit;
    return 0;
}

/* Searches a shortest win of the attacker by at most `depth` fours in the current position. Returns whether there is one.

   The pairs are the first ones of `pair_stack`. If `stopped` is set, there is no answer. */
static int solve_fours(int pair_count, int block, int depth, i64 limit) {
    stopped = GOING;
    if (!pair_count) return 0;
    four_node_limit = four_nodes + limit;
    if (failure_count >= FAILURES_LIMIT) clear_failures();
    for (int reach = 1;; reach++) {
        limit_reached = 0;
        if (attack(0, pair_count, 0, block, reach)) return 1;
        if (stopped || !limit_reached || reach >= depth) return 0;
    }
}

/* Writes the pairs of a side, the lines in order, to a list. */
static int pairs_of(int side, Pair *pairs) {
    int count = 0;
    for (int line = 0; line < line_count; line++)
        if (!line_marks[1 - side][line] && line_marks[side][line] == line_length - 2) {
            u8 cells[MAX_LENGTH];
            lacking(line, cells);
            pairs[count++] = (Pair){cells[0], cells[1]};
        }
    return count;
}
