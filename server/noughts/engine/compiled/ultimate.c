/* Alpha-beta for ultimate, over tables of small boards.

   A small board is one number, its state, in base 3. Place p counts 3^p times 0 (free), 1 (X) or 2 (O):

       places   0 1 2      X . O        1*1  + 0*3    + 2*9
                3 4 5      . X .      + 0*27 + 1*81   + 0*243       = 1,558, one of 19,683 states
                6 7 8      O . .      + 2*729 + 0*2187 + 0*6561

   So a move in it is an addition, and what follows from the marks is looked up.

   The worth of an undecided state comes from the random-turn game: before each mark a coin decides which side places it, and
   both sides play well. One pass over all states gives each one the exact chance that X wins the board, and the chance that
   O does. Blocked lines and cells that complete two lines need no rule of their own. (Y. Peres, O. Schramm, S. Sheffield,
   D. Wilson, "Random-Turn Hex and Other Selection Games", 2007.)

   The evaluation of the large board is a sum over its eight lines. A line is worth to X the product of X's chances in its
   three boards, so a board that O has won makes the line worth nothing to X. The side to move is credited with part of the
   best mark that it can make in the board where it has to play.

   The search is a principal variation search with a transposition table (T. Marsland, "A Review of Game-Tree Pruning", 1986).
   It orders moves by the estimates of the positions after them. It does not search the last ply: it reads the estimates. A
   key is the states of the boards themselves, not a hash, so a proof never rests on a collision.

   A value beyond WIN - 100 is a proved win or loss: WIN minus the ply of the last move. Any value, a draw too, is proved if
   the search read no estimate.

   `make kernels` builds ultimate.wasm from this file. It needs no library. The sides are "my" and "their", from the side to
   move. */

#include "memory.h"

#pragma STDC FP_CONTRACT OFF

#define STATES 19683
#define CLASSES 256
#define X_WON 1
#define O_WON 2
#define FREE 9
#define DRAWN 3
#define WIN 1000000
#define STOPPED (2 * WIN + 1)
#define COMPLETE 99
#define ALL_CLOSED 511
#define LINE 10000.0
#define TEMPO 0.6
#define PLIES 82
#define MOVES 81
#define TABLES 10

/* The numbers of a state that an evaluation uses: X's chance and O's; by how much X's best mark raises X's and lowers O's; by
   how much O's best mark raises O's and lowers X's. The states have 245 different ones, their classes. */
static struct {
    double classes[CLASSES][6];
    u8 class_of[STATES], decisions[STATES];
} tables;

/* The states of the nine boards. The caller writes them before a search. */
static u16 boards[9];
EXPORT(boards_address) int boards_address(void) { return (int)(uintptr_t)boards; }

/* The nodes since `begin`, and the estimates of the latest search. The caller reads them. */
static struct {
    i64 nodes, estimates;
} counters;
EXPORT(counters_address) int counters_address(void) { return (int)(uintptr_t)&counters; }

/* Four states of 15 bits in each number, and the ninth. */
typedef struct {
    u64 low, high;
    u16 last;
} Key;

typedef struct {
    Key key;
    u16 hint;
    u8 depth, hint_board;
    int low, high;
    u32 slot;
} Entry;

/* The entries of the positions with one forced board. */
typedef struct {
    u32 *slots; /* 1 + the number of an entry, 0 if the slot is free */
    Entry *entries;
    u32 count;
} Table;

typedef struct {
    double estimate;
    u16 state, won, closed;
    u8 board, to;
} Move;

typedef struct {
    double base, my_line[9], their_line[9], gains[10];
} Evaluation;

static const u16 POWERS[9] = {1, 3, 9, 27, 81, 243, 729, 2187, 6561};
static const u16 SMALL_LINES[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
static u16 free_places[STATES];
static u8 has_line[512];

static Table table_of[TABLES];
static u32 entry_limit, slot_count;
static Move moves_at[PLIES][MOVES];
static i64 nodes, estimates;
static int stopped, nodes_per_reading;

/* Fills the decision and the class of every state. A mark makes a state's number larger, so the states after a state are
   finished before it. */
static void fill_tables(void) {
    static double chances[STATES][2];
    int class_count = 0;
    for (int state = STATES - 1; state >= 0; state--) {
        int x = 0, o = 0;
        for (int place = 0; place < 9; place++) {
            int digit = state / POWERS[place] % 3;
            x |= (digit == 1) << place;
            o |= (digit == 2) << place;
        }
        free_places[state] = (u16)(511 & ~(x | o));
        int decision = has_line[x] ? X_WON : has_line[o] ? O_WON : free_places[state] ? 0 : DRAWN;
        tables.decisions[state] = (u8)decision;
        double own[2] = {decision == X_WON, decision == O_WON};
        const double *best_x = own, *best_o = own;
        if (!decision) {
            double most = -2.0, least = 2.0;
            for (int places = free_places[state]; places; places &= places - 1) {
                int power = POWERS[__builtin_ctz((unsigned)places)];
                const double *by_x = chances[state + power], *by_o = chances[state + 2 * power];
                if (by_x[0] - by_x[1] > most) {
                    most = by_x[0] - by_x[1];
                    best_x = by_x;
                }
                if (by_o[0] - by_o[1] < least) {
                    least = by_o[0] - by_o[1];
                    best_o = by_o;
                }
            }
            for (int side = 0; side < 2; side++) chances[state][side] = (best_x[side] + best_o[side]) / 2;
            own[0] = chances[state][0];
            own[1] = chances[state][1];
        } else {
            chances[state][0] = own[0];
            chances[state][1] = own[1];
        }
        double numbers[6] = {own[0], own[1], best_x[0] - own[0], own[1] - best_x[1], best_o[1] - own[1], own[0] - best_o[0]};
        int number = 0;
        for (; number < class_count; number++) {
            int same = 0;
            for (int i = 0; i < 6; i++) same += tables.classes[number][i] == numbers[i];
            if (same == 6) break;
        }
        if (number == class_count) {
            for (int i = 0; i < 6; i++) tables.classes[number][i] = numbers[i];
            class_count++;
        }
        tables.class_of[state] = (u8)number;
    }
}

/* Makes the tables of this many entries for each forced board. Returns 0 if the memory for them is not there. */
EXPORT(make_tables) int make_tables(int limit) {
    entry_limit = (u32)limit;
    slot_count = 4;
    while (slot_count < 2 * entry_limit) slot_count *= 2;
    for (int forced = 0; forced < TABLES; forced++) {
        table_of[forced].slots = take(4ULL * slot_count);
        if (!table_of[forced].slots) return 0;
        table_of[forced].entries = take((u64)sizeof(Entry) * entry_limit);
        if (!table_of[forced].entries) return 0;
    }
    for (int mask = 0; mask < 512; mask++)
        for (int line = 0; line < 8; line++) has_line[mask] |= (mask & SMALL_LINES[line]) == SMALL_LINES[line];
    fill_tables();
    return 1;
}

static void clear(Table *table) {
    for (u32 i = 0; i < table->count; i++) table->slots[table->entries[i].slot] = 0;
    table->count = 0;
}

/* Begins a search with empty tables. */
EXPORT(begin) void begin(void) {
    for (int forced = 0; forced < TABLES; forced++) clear(&table_of[forced]);
    nodes = 0;
}

static inline Key changed(Key key, int board, int difference) {
    if (board < 4) key.low += (u64)(i64)difference << 15 * board;
    else if (board < 8) key.high += (u64)(i64)difference << 15 * (board - 4);
    else key.last = (u16)(key.last + difference);
    return key;
}

static Entry *entry_of(const Table *table, const Key *key, u32 *slot) {
    u64 hash = (key->low + key->last * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ hash >> 32 ^ key->high) * 0x94d049bb133111ebULL;
    for (u32 at = (u32)(hash >> 32) & (slot_count - 1);; at = (at + 1) & (slot_count - 1)) {
        *slot = at;
        if (!table->slots[at]) return 0;
        Entry *entry = &table->entries[table->slots[at] - 1];
        if (entry->key.low == key->low && entry->key.high == key->high && entry->key.last == key->last) return entry;
    }
}

static void keep(Table *table, const Key *key, int depth, int low, int high, const Move *best) {
    if (table->count >= entry_limit) clear(table);
    u32 slot;
    Entry *entry = entry_of(table, key, &slot);
    if (!entry) {
        entry = &table->entries[table->count++];
        entry->key = *key;
        entry->slot = slot;
        table->slots[slot] = table->count;
    }
    entry->depth = (u8)depth;
    entry->low = low;
    entry->high = high;
    entry->hint_board = best->board;
    entry->hint = best->state;
}

/* Writes each board's factor in the sum of the large lines. Returns the sum. */
static inline double lines_through(const double *chances, double *lines) {
    double a = chances[0], b = chances[1], c = chances[2], d = chances[3], e = chances[4];
    double f = chances[5], g = chances[6], h = chances[7], i = chances[8];
    double ei = e * i, cf = c * f, cg = c * g, top = d * f, bottom = g * h, middle = b * h;
    lines[0] = b * c + d * g + ei;
    lines[1] = a * c + e * h;
    lines[2] = a * b + f * i + e * g;
    lines[3] = a * g + e * f;
    lines[4] = top + middle + a * i + cg;
    lines[5] = d * e + c * i;
    lines[6] = h * i + a * d + c * e;
    lines[7] = g * i + b * e;
    lines[8] = bottom + cf + a * e;
    return a * lines[0] + e * (top + middle + cg) + i * (bottom + cf);
}

static inline void evaluate(int side, Evaluation *evaluation) {
    double mine[9], theirs[9];
    const double *class_at[9];
    for (int board = 0; board < 9; board++) {
        class_at[board] = tables.classes[tables.class_of[boards[board]]];
        mine[board] = class_at[board][side];
        theirs[board] = class_at[board][side ^ 1];
    }
    double my_total = lines_through(mine, evaluation->my_line);
    double their_total = lines_through(theirs, evaluation->their_line);
    evaluation->base = LINE * (my_total - their_total);
    /* The opponent's best mark: by how much it raises its own chance, and lowers mine. */
    int more = side ? 2 : 4, less = side ? 3 : 5;
    double most = 0.0;
    for (int board = 0; board < 9; board++) {
        const double *numbers = class_at[board];
        double gain = LINE * TEMPO
            * (numbers[more] * evaluation->their_line[board] + numbers[less] * evaluation->my_line[board]);
        evaluation->gains[board] = gain;
        if (!board || gain > most) most = gain;
        evaluation->my_line[board] *= LINE;
        evaluation->their_line[board] *= LINE;
    }
    evaluation->gains[FREE] = most;
}

static inline double chance(int state, int side) { return tables.classes[tables.class_of[state]][side]; }

/* One open board before a mark in it: its state, what its outcome is worth, and the estimate of all else. */
typedef struct {
    int state;
    double my_line, their_line, elsewhere;
} Local;

static inline Local local_of(const Evaluation *evaluation, int side, int board) {
    int state = boards[board];
    double my_line = evaluation->my_line[board], their_line = evaluation->their_line[board];
    double elsewhere = evaluation->base - chance(state, side) * my_line + chance(state, side ^ 1) * their_line;
    return (Local){state, my_line, their_line, elsewhere};
}

static inline int state_after(const Local *local, int side, int place) { return local->state + (side + 1) * POWERS[place]; }

/* The estimate of a position in which the board has this state, without what the opponent gains by the board to play in. */
static inline double estimate_with(const Local *local, int side, int after) {
    return local->elsewhere + chance(after, side) * local->my_line - chance(after, side ^ 1) * local->their_line;
}

/* Writes every move with its estimate, in no order. Returns how many. A move that wins the game is written alone. */
static int write_moves(int side, int forced, int mine, int closed, Move *moves) {
    Evaluation evaluation;
    evaluate(side, &evaluation);
    int count = 0, open = forced == FREE ? ALL_CLOSED & ~closed : 1 << forced;
    for (; open; open &= open - 1) {
        int board = __builtin_ctz((unsigned)open);
        Local local = local_of(&evaluation, side, board);
        for (int places = free_places[local.state]; places; places &= places - 1) {
            int place = __builtin_ctz((unsigned)places), after = state_after(&local, side, place);
            Move *move = &moves[count++];
            *move = (Move){0.0, (u16)after, (u16)mine, (u16)closed, (u8)board, FREE};
            int decision = tables.decisions[after];
            if (decision) {
                move->closed |= (u16)(1 << board);
                if (decision != DRAWN) {
                    move->won |= (u16)(1 << board);
                    if (has_line[move->won]) {
                        moves[0] = *move;
                        moves[0].estimate = WIN;
                        return 1;
                    }
                }
                if (move->closed == ALL_CLOSED) continue;
            }
            if (!(move->closed >> place & 1)) move->to = (u8)place;
            move->estimate = estimate_with(&local, side, after) - evaluation.gains[move->to];
        }
    }
    return count;
}

/* Orders moves by the estimate, then by the board, then by the state. */
static inline int is_before(const Move *one, const Move *other) {
    if (one->estimate != other->estimate) return one->estimate > other->estimate;
    if (one->board != other->board) return one->board > other->board;
    return one->state > other->state;
}

static inline void bring_forward(Move *moves, int from, int to) {
    Move move = moves[from];
    moves[from] = moves[to];
    moves[to] = move;
}

static int last_ply(int side, int forced, int beta, int ply, int mine, int closed) {
    Evaluation evaluation;
    evaluate(side, &evaluation);
    double best = -WIN;
    int estimated = 0, open = forced == FREE ? ALL_CLOSED & ~closed : 1 << forced;
    for (; open; open &= open - 1) {
        int board = __builtin_ctz((unsigned)open);
        Local local = local_of(&evaluation, side, board);
        for (int places = free_places[local.state]; places; places &= places - 1) {
            int place = __builtin_ctz((unsigned)places), after = state_after(&local, side, place);
            int decision = tables.decisions[after], closed_after = closed;
            if (decision) {
                if (decision != DRAWN && has_line[mine | 1 << board]) return WIN - ply - 1;
                closed_after |= 1 << board;
                if (closed_after == ALL_CLOSED) {
                    if (best < 0.0) best = 0.0;
                    continue;
                }
            }
            int to = closed_after >> place & 1 ? FREE : place;
            estimated = 1;
            double value = estimate_with(&local, side, after) - evaluation.gains[to];
            if (value > best) {
                best = value;
                if (best >= beta) {
                    estimates++;
                    return (int)best;
                }
            }
        }
    }
    estimates += estimated;
    return (int)best;
}

static int search(
    int side, int forced, int depth, int alpha, int beta, int ply, Key key, int mine, int theirs, int closed) {
    if (depth == 1) return last_ply(side, forced, beta, ply, mine, closed);
    nodes++;
    if (nodes_per_reading && nodes % nodes_per_reading == 0 && host_stop()) stopped = 1;
    if (stopped) return 0;
    Table *table = &table_of[forced];
    u32 slot;
    const Entry *entry = entry_of(table, &key, &slot);
    int hint_board = -1, hint = -1;
    if (entry) {
        if (entry->depth >= depth) {
            if (entry->depth < COMPLETE) estimates++;
            if (entry->low >= beta || entry->low == entry->high) return entry->low;
            if (entry->high <= alpha) return entry->high;
        }
        hint_board = entry->hint_board;
        hint = entry->hint;
    }
    i64 before = estimates;
    Move *moves = moves_at[ply];
    int count = write_moves(side, forced, mine, closed, moves);
    if (moves[0].estimate == WIN) return WIN - ply - 1;
    int best = -WIN, floor = alpha;
    const Move *best_move = moves;
    for (int place = 0; place < count; place++) {
        /* The stored move comes first. The others are put in order one at a time: a cut often makes the rest needless. */
        int first = place;
        for (int i = place; i < count; i++) {
            if (!place && moves[i].board == hint_board && moves[i].state == hint) {
                first = i;
                break;
            }
            if (is_before(&moves[i], &moves[first])) first = i;
        }
        bring_forward(moves, first, place);
        const Move *move = &moves[place];
        int value = 0;
        if (move->closed != ALL_CLOSED) {
            int board = move->board, state = boards[board];
            boards[board] = move->state;
            Key key_after = changed(key, board, move->state - state);
            int low = place ? -floor - 1 : -beta;
            value = -search(
                side ^ 1, move->to, depth - 1, low, -floor, ply + 1, key_after, theirs, move->won, move->closed);
            if (!stopped && place && floor < value && value < beta)
                value = -search(
                    side ^ 1, move->to, depth - 1, -beta, -floor, ply + 1, key_after, theirs, move->won, move->closed);
            boards[board] = (u16)state;
            if (stopped) return 0;
        }
        if (value > best) {
            best = value;
            best_move = move;
            if (value > floor) {
                floor = value;
                if (value >= beta) break;
            }
        }
    }
    int reached = estimates != before ? depth : COMPLETE;
    keep(table, &key, reached, best > alpha ? best : -WIN, best < beta ? best : WIN, best_move);
    return best;
}

/* Writes every move of the position in `boards` with its estimate, in no order, and returns how many; they lie at
   `moves_address`. A move that wins the game is written alone, with WIN as its estimate. */
EXPORT(write_root_moves) int write_root_moves(int side, int forced, int won_x, int won_o, int closed) {
    return write_moves(side, forced, side ? won_o : won_x, closed, moves_at[0]);
}
EXPORT(moves_address) int moves_address(void) { return (int)(uintptr_t)moves_at[0]; }

/* Returns the value of the position in `boards`, or STOPPED if the host broke the search off. The host is asked once in
   `its_nodes_per_reading` nodes, never if that is 0. */
EXPORT(search)
int search_boards(int side, int forced, int depth, int alpha, int beta, int ply, int won_x, int won_o, int closed,
                  int its_nodes_per_reading) {
    Key key = {0, 0, 0};
    for (int board = 0; board < 9; board++) key = changed(key, board, boards[board]);
    estimates = 0;
    stopped = 0;
    nodes_per_reading = its_nodes_per_reading;
    int mine = side ? won_o : won_x, theirs = side ? won_x : won_o;
    int value = search(side, forced, depth, alpha, beta, ply, key, mine, theirs, closed);
    counters.nodes = nodes;
    counters.estimates = estimates;
    return stopped ? STOPPED : value;
}
