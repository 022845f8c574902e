/* Alpha-beta for ultimate, over the tables of small boards in small_boards.h.

   The search is a principal variation search with a transposition table (T. Marsland, "A Review of Game-Tree Pruning", 1986).
   It orders moves by the estimates of the positions after them. It does not search the last ply: it reads the estimates. A
   key is the states of the boards themselves, not a hash, so a proof never rests on a collision.

   A value beyond WIN - 100 is a proved win or loss: WIN minus the ply of the last move. Any value, a draw too, is proved if
   the search read no estimate.

   `make kernels` builds ultimate.wasm from this file. It needs no library. The sides are "my" and "their", from the side to
   move. */

#include "small_boards.h"

#define WIN 1000000
#define STOPPED (2 * WIN + 1)
#define COMPLETE 99
#define PLIES 82
#define MOVES 81
#define TABLES 10

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

static Table table_of[TABLES];
static u32 entry_limit, slot_count;
static Move moves_at[PLIES][MOVES];
static i64 nodes, estimates;
static int stopped, nodes_per_reading;

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
