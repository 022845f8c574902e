/* Alpha-beta for five in a line on a plane. It counts shapes, and follows threats to their end.

   A shape is what a mark on an empty cell would make in one direction. It depends on the four cells before the cell and the
   four after it, which are the bits 0 to 7 of two masks, the side's own marks and the blocked cells:

       . X X . _ . X . #        bits 0 1 2 3 _ 4 5 6 7        own 01000110, blocked 10000000 (the edge or the other side)

   Each empty cell has, for each side, the worth of its four shapes in one number. Its high bits count fives, fours and
   threes, so a comparison finds a cell with a four. A mark changes at most 32 cells, and taking it back changes them again:
   the board is never copied. The estimate of a position is the sum of all shapes, weighted by a regression.

   A five wins, a five of the other side is stopped, two fours at once win in three plies, and where the other side threatens
   two fours only the cells that can stop them are tried. None of this is an estimate. At the leaves a short search for a win
   by fours follows. Elsewhere the most urgent cells are tried: principal variation search with a transposition table and late
   move reductions. The search returns a good move, never a proof.

   Sources: shapes and their order are common knowledge of this game's programs; V. Allis, H. van den Herik, M. Huntjens,
   "Go-Moku and Threat-Space Search", 1993; T. Marsland, "A Review of Game-Tree Pruning", 1986.

   `make kernels` builds shapes.wasm from this file. It needs no library. Side 0 is X, side 1 is O. */

#include "memory.h"

#define MAX_CELLS 255
#define NONE 255
#define WIN 1000000
#define STOPPED (2 * WIN + 1)
#define ENTRIES_LIMIT 300000
#define SLOTS (1 << 20)
#define FIVE (1 << 17)
#define FOUR (1 << 13)
#define TWO_FOURS (2 * FOUR)
#define THREE (1 << 9)
#define FULL (-(1 << 29))

#define WIDTH 10            /* the most urgent cells, which are tried where nothing is forced */
#define MOVE_WORTH -74      /* of being to move */
#define LEAD 200            /* for each ply left: a position that is better by so much than it must be is not searched */
#define LAST_LEAD_DEPTH 3
#define QUIET_GAIN 300      /* of a last move without a threat: if it would not be enough, such moves are left out */
#define FOUR_NODES 40       /* of a search for a win by fours at a leaf */
#define FOURS_IN_A_ROW 8
#define LAST_EXTENDED_PLY 24
#define FIRST_REDUCED 3     /* among the moves of a position: from this one on, quiet moves are searched one ply less */

/* An open four completes a line in two ways. Any other open shape can become the next open one. */
enum { NO_SHAPE, ONE, OPEN_ONE, TWO, OPEN_TWO, A_THREE, OPEN_THREE, A_FOUR, OPEN_FOUR, A_FIVE };

/* By shape: what it adds to the worth of its cell, and to the estimate if it belongs to the side to move or to the other
   one. A regression set the last two, on the values that searches of 5,000 nodes found in 6,657 quiet positions of 550 games
   of the engine with itself. */
static const int WORTH[10] = {0, 1, 3, 6, 25, 30, THREE + 40, FOUR + 30, TWO_FOURS, FIVE};
static const int MINE[10] = {0, -20, -20, -6, 7, 41, 240, 278, 300, 0};
static const int THEIRS[10] = {0, 21, 20, 7, 6, -33, -149, -297, -300, 0};

/* The marks of X and of O, which the caller writes before a search. */
static u8 marks[2][32];
EXPORT(marks_address) int marks_address(void) { return (int)(uintptr_t)marks; }

static int cell_count;
static u8 around[MAX_CELLS][4][8]; /* by cell and direction: the four cells before it, the farthest first, and the four after */
static u8 shapes[65536];           /* by the own marks, and eight bits higher the blocked cells */

typedef struct {
    u64 key;
    u32 slot;
    int depth, value, bound, cell;
} Entry;

static u8 walls[MAX_CELLS + 1][4], filled[MAX_CELLS + 1];
static u8 bits[2][MAX_CELLS + 1][4];
static int value[2][MAX_CELLS + 1], sum[2], fives[2], doubles[2], fours[2], empties;
static u64 key, cell_hash[2][MAX_CELLS + 1];
static i64 nodes;
static int nodes_per_reading, stopped, left;

static u32 *slots, entry_count;
static Entry *entries;
static u64 *failures;
static u32 *failure_slots, failure_count;

static inline void count(int side, int v, int sign) {
    if (v < FOUR) return;
    fours[side] += sign;
    if (v >= TWO_FOURS) doubles[side] += sign;
    if (v >= FIVE) fives[side] += sign;
}

/* Puts a mark on a cell, or takes it away. */
static void change(int cell, int side, int sign) {
    key ^= cell_hash[side][cell];
    if (sign > 0) {
        for (int s = 0; s < 2; s++) {
            count(s, value[s][cell], -1);
            for (int d = 0; d < 4; d++) {
                int shut = bits[1 - s][cell][d] | walls[cell][d];
                int shape = shapes[bits[s][cell][d] | shut << 8];
                sum[s] -= MINE[shape];
                sum[1 - s] -= THEIRS[shape];
            }
            value[s][cell] = FULL;
        }
        filled[cell] = 1;
        empties--;
    }
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 8; i++) {
            int at = around[cell][d][i];
            if (at == NONE) continue;
            if (filled[at]) {
                bits[side][at][d] ^= (u8)(128 >> i);
                continue;
            }
            u8 *x = &bits[0][at][d], *o = &bits[1][at][d], wall = walls[at][d];
            u8 before[2] = {shapes[*x | (*o | wall) << 8], shapes[*o | (*x | wall) << 8]};
            bits[side][at][d] ^= (u8)(128 >> i);
            u8 after[2] = {shapes[*x | (*o | wall) << 8], shapes[*o | (*x | wall) << 8]};
            for (int s = 0; s < 2; s++)
                if (before[s] != after[s]) {
                    int was = value[s][at], now = was + WORTH[after[s]] - WORTH[before[s]];
                    value[s][at] = now;
                    sum[s] += MINE[after[s]] - MINE[before[s]];
                    sum[1 - s] += THEIRS[after[s]] - THEIRS[before[s]];
                    count(s, was, -1);
                    count(s, now, 1);
                }
        }
    if (sign < 0) {
        filled[cell] = 0;
        empties++;
        for (int s = 0; s < 2; s++) {
            int total = 0;
            for (int d = 0; d < 4; d++) {
                int shape = shapes[bits[s][cell][d] | (bits[1 - s][cell][d] | walls[cell][d]) << 8];
                total += WORTH[shape];
                sum[s] += MINE[shape];
                sum[1 - s] += THEIRS[shape];
            }
            value[s][cell] = total;
            count(s, total, 1);
        }
    }
}

static Entry *entry_of_position(u32 *slot) {
    u32 at = (u32)(key >> 20) & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        *slot = at;
        if (!slots[at]) return 0;
        Entry *entry = &entries[slots[at] - 1];
        if (entry->key == key) return entry;
    }
}

static void clear_entries(void) {
    for (u32 i = 0; i < entry_count; i++) slots[entries[i].slot] = 0;
    entry_count = 0;
}

static void keep(int depth, int worth, int bound, int cell) {
    if (entry_count > ENTRIES_LIMIT) clear_entries();
    u32 slot;
    Entry *entry = entry_of_position(&slot);
    if (!entry) {
        entry = &entries[entry_count++];
        entry->key = key;
        entry->slot = slot;
        slots[slot] = entry_count;
    }
    entry->depth = depth;
    entry->value = worth;
    entry->bound = bound;
    entry->cell = cell;
}

static void clear_failures(void) {
    for (u32 i = 0; i < failure_count; i++) failures[failure_slots[i]] = 0;
    failure_count = 0;
}

/* Returns whether the position is among those without a win by fours. Writes the slot where it is or would be. */
static int is_failure(u32 *slot) {
    u32 at = (u32)(key >> 20) & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        *slot = at;
        if (!failures[at]) return 0;
        if (failures[at] == key) return 1;
    }
}

static void keep_failure(void) {
    if (failure_count > ENTRIES_LIMIT) clear_failures();
    u32 slot;
    if (is_failure(&slot)) return;
    failures[slot] = key;
    failure_slots[failure_count++] = slot;
}

/* Returns the shape that a mark makes with these marks beside it. It is found once, from the shapes with one mark more. */
static int shape_of(int own, int blocked) {
    u8 *known = &shapes[own | blocked << 8];
    if (*known != NONE) return *known;
    int row = (own & 15) | 16 | own >> 4 << 5, best = NO_SHAPE, fives = 0;
    for (int first = 0; first < 5; first++)
        if ((row >> first & 31) == 31) return *known = A_FIVE;
    for (int place = 0; place < 8; place++) {
        if ((own | blocked) >> place & 1) continue;
        int after = shape_of(own | 1 << place, blocked);
        fives += after == A_FIVE;
        if (after - 2 > best) best = after - 2;
    }
    return *known = fives > 1 ? OPEN_FOUR : fives ? A_FOUR : (u8)best;
}

/* Describes the board. */
EXPORT(describe) void describe(int columns, int rows) {
    static const int RIGHT[4] = {1, 0, 1, 1}, DOWN[4] = {0, 1, 1, -1};
    cell_count = columns * rows;
    for (int cell = 0; cell < cell_count; cell++)
        for (int d = 0; d < 4; d++)
            for (int i = 0; i < 8; i++) {
                int distance = i < 4 ? i - 4 : i - 3;
                int column = cell % columns + distance * RIGHT[d], row = cell / columns + distance * DOWN[d];
                int is_inside = column >= 0 && column < columns && row >= 0 && row < rows;
                around[cell][d][i] = is_inside ? (u8)(column + columns * row) : NONE;
            }
    for (int i = 0; i < 65536; i++) shapes[i] = NONE;
    for (int blocked = 0; blocked < 256; blocked++)
        for (int own = 0; own < 256; own++) shapes[own | blocked << 8] = (u8)shape_of(own & ~blocked, blocked);
}

/* Begins a search of the position in `marks` with empty tables. Returns 0 without enough memory. */
EXPORT(begin) int begin(int its_nodes_per_reading) {
    if (!slots) slots = take(4 * SLOTS);
    if (slots && !entries) entries = take(sizeof(Entry) * (ENTRIES_LIMIT + 2));
    if (entries && !failures) failures = take(8 * SLOTS);
    if (failures && !failure_slots) failure_slots = take(4 * (ENTRIES_LIMIT + 2));
    if (!slots || !entries || !failures || !failure_slots) return 0;
    clear_entries();
    clear_failures();
    nodes = 0;
    nodes_per_reading = its_nodes_per_reading;
    u64 seed = 0x9e3779b97f4a7c15ULL;
    for (int i = 0; i < 2 * (MAX_CELLS + 1); i++) { /* splitmix64 */
        u64 z = seed += 0x9e3779b97f4a7c15ULL;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        cell_hash[i & 1][i >> 1] = z ^ z >> 31;
    }
    key = 1;
    empties = cell_count;
    for (int s = 0; s < 2; s++) sum[s] = fives[s] = doubles[s] = fours[s] = 0;
    for (int cell = 0; cell < cell_count; cell++) {
        filled[cell] = 0;
        for (int s = 0; s < 2; s++) value[s][cell] = 0;
        for (int d = 0; d < 4; d++) {
            walls[cell][d] = bits[0][cell][d] = bits[1][cell][d] = 0;
            for (int i = 0; i < 8; i++)
                if (around[cell][d][i] == NONE) walls[cell][d] |= (u8)(1 << i);
            int shape = shapes[walls[cell][d] << 8];
            for (int s = 0; s < 2; s++) {
                value[s][cell] += WORTH[shape];
                sum[s] += MINE[shape];
                sum[1 - s] += THEIRS[shape];
            }
        }
    }
    for (int side = 0; side < 2; side++)
        for (int cell = 0; cell < cell_count; cell++)
            if (marks[side][cell >> 3] >> (cell & 7) & 1) change(cell, side, 1);
    return 1;
}

EXPORT(nodes_searched) i64 nodes_searched(void) { return nodes; }

/* Writes how urgent each cell is, -1 where it is full, and returns the address. */
EXPORT(urgencies) int urgencies(void) {
    static int urgency[MAX_CELLS];
    for (int cell = 0; cell < cell_count; cell++) urgency[cell] = filled[cell] ? -1 : value[0][cell] + value[1][cell];
    return (int)(uintptr_t)urgency;
}

static void count_node(void) {
    if (++nodes % nodes_per_reading == 0 && host_stop()) stopped = 1;
}

static inline int cell_with(int side, int least) {
    for (int cell = 0;; cell++)
        if (value[side][cell] >= least) return cell;
}

/* Returns whether the side, to move and without a five, wins by continuous fours. */
static int wins_by_fours(int side, int reach) {
    count_node();
    if (stopped) return 0;
    left--;
    u8 cells[MAX_CELLS];
    int count = 0;
    if (fives[1 - side]) {
        if (fives[1 - side] > 1) return 0;
        int cell = cell_with(1 - side, FIVE);
        if (value[side][cell] < FOUR) return 0;
        if (value[side][cell] >= TWO_FOURS) return 1;
        cells[count++] = (u8)cell;
    } else {
        if (doubles[side]) return 1;
        if (fours[side])
            for (int cell = cell_count - 1; cell >= 0; cell--)
                if (value[side][cell] >= FOUR) cells[count++] = (u8)cell;
    }
    if (!reach) return 0;
    for (int i = 0; i < count; i++) {
        if (left <= 0) return 0;
        change(cells[i], side, 1);
        int reply = cell_with(side, FIVE);
        change(reply, 1 - side, 1);
        u32 slot;
        int won = 0;
        if (!is_failure(&slot)) {
            won = wins_by_fours(side, reach - 1);
            if (!won && left > 0 && !stopped) keep_failure();
        }
        change(reply, 1 - side, -1);
        change(cells[i], side, -1);
        if (stopped) return 0;
        if (won) return 1;
    }
    return 0;
}

/* Writes the cells with the highest keys, of equal ones the last first. Returns how many. */
static int best_cells(int side, int width, int forced, u8 *cells, int *cell_keys) {
    int count = 0;
    for (int cell = cell_count - 1; cell >= 0; cell--) {
        int mine = value[side][cell], theirs = value[1 - side][cell], at = 2 * mine + theirs;
        if (forced ? mine < FOUR && theirs < FOUR : at <= 0) continue;
        if (count == width && cell_keys[count - 1] >= at) continue;
        int place = count < width ? count++ : width - 1;
        for (; place && cell_keys[place - 1] < at; place--) {
            cells[place] = cells[place - 1];
            cell_keys[place] = cell_keys[place - 1];
        }
        cells[place] = (u8)cell;
        cell_keys[place] = at;
    }
    return count;
}

static int search(int side, int depth, int low, int high, int ply) {
    count_node();
    if (stopped) return 0;
    if (fives[side]) return WIN - ply;
    if (fives[1 - side]) {
        if (fives[1 - side] > 1) return -(WIN - ply - 1);
        int cell = cell_with(1 - side, FIVE);
        change(cell, side, 1);
        int v = -search(1 - side, depth, -high, -low, ply + 1);
        change(cell, side, -1);
        return v;
    }
    if (doubles[side]) return WIN - ply - 2;
    if (!empties) return 0;
    int forced = doubles[1 - side] > 0, estimate = sum[side] + MOVE_WORTH;
    if (depth <= 0) {
        if (!forced || ply > LAST_EXTENDED_PLY) {
            if (fours[side] && estimate < high) {
                left = FOUR_NODES;
                if (wins_by_fours(side, FOURS_IN_A_ROW)) return WIN - ply - 4;
            }
            return estimate;
        }
        depth = 1;
    } else if (!forced && depth <= LAST_LEAD_DEPTH && high > -WIN / 2 && estimate - LEAD * depth >= high) {
        return estimate;
    }
    u32 slot;
    Entry *entry = entry_of_position(&slot);
    int stored_cell = -1;
    if (entry) {
        int v = entry->value, bound = entry->bound;
        stored_cell = entry->cell;
        if (v > WIN / 2) v -= ply;
        else if (v < -WIN / 2) v += ply;
        if ((bound == 0 || (bound > 0 ? v >= high : v <= low)) && (entry->depth >= depth || (v > WIN / 2 && bound >= 0)))
            return v;
    }
    u8 cells[MAX_CELLS + 1];
    int cell_keys[MAX_CELLS + 1];
    int count = best_cells(side, forced ? MAX_CELLS : WIDTH, forced, cells, cell_keys);
    if (!count) return 0;
    if (stored_cell >= 0) {
        int place = 0;
        while (place < count && cells[place] != stored_cell) place++;
        int at = place < count ? cell_keys[place] : 2 * value[side][stored_cell] + value[1 - side][stored_cell];
        if (place == count) count++;
        for (; place; place--) {
            cells[place] = cells[place - 1];
            cell_keys[place] = cell_keys[place - 1];
        }
        cells[0] = (u8)stored_cell;
        cell_keys[0] = at;
    }
    int best = -WIN * 2, choice = -1, floor = low;
    int hopeless = depth == 1 && !forced && estimate + QUIET_GAIN <= low;
    for (int number = 0; number < count; number++) {
        if (number && hopeless && cell_keys[number] < THREE && best > -WIN / 2) break;
        int cell = cells[number], v;
        change(cell, side, 1);
        if (number) {
            int less = number >= FIRST_REDUCED && depth >= 3 && !forced && cell_keys[number] < THREE ? 2 : 1;
            v = -search(1 - side, depth - less, -low - 1, -low, ply + 1);
            if (!stopped && v > low && less > 1) v = -search(1 - side, depth - 1, -low - 1, -low, ply + 1);
            if (!stopped && low < v && v < high) v = -search(1 - side, depth - 1, -high, -low, ply + 1);
        } else {
            v = -search(1 - side, depth - 1, -high, -low, ply + 1);
        }
        change(cell, side, -1);
        if (stopped) return 0;
        if (v > best) {
            best = v;
            choice = cell;
            if (best > low) {
                low = best;
                if (best >= high) break;
            }
        }
    }
    keep(depth, best > WIN / 2 ? best + ply : best < -WIN / 2 ? best - ply : best, best >= high ? 1 : best <= floor ? -1 : 0, choice);
    return best;
}

static int value_within(int cell, int side, int depth, int low, int high) {
    change(cell, side, 1);
    int v = -search(1 - side, depth - 1, -high, -low, 1);
    change(cell, side, -1);
    return v;
}

/* Returns the value of a move for the side that makes it, or a bound that is at most `low`; STOPPED if it was broken off. */
EXPORT(value_of) int value_of(int cell, int side, int depth, int low) {
    stopped = 0;
    int v = WIN;
    if (low > -2 * WIN) v = value_within(cell, side, depth, low, low + 1);
    if (!stopped && v > low) v = value_within(cell, side, depth, low, 2 * WIN);
    return stopped ? STOPPED : v;
}
