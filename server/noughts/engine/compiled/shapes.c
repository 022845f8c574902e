/* Alpha-beta on shapes: the same search as ShapeSearch in noughts/engine/threats/shape_search.py, with the same order of
   moves, the same table entries and the same number of nodes.

   `make kernels` builds shapes.wasm from this file. It needs no library. Side 0 is X, side 1 is O. */

#include "memory.h"

#define MAX_CELLS 255
#define NONE 255
#define WIN 1000000
#define ENTRIES_LIMIT 300000
#define SLOTS (1 << 20)
#define FIVE (1 << 17)
#define FOUR (1 << 13)
#define TWO_FOURS (2 * FOUR)
#define THREE (1 << 9)
#define LAST_LEAD_DEPTH 3
#define FULL (-(1 << 29))

/* Written by the caller. By cell and direction: the four cells before it, the farthest first, and the four after it. */
static struct {
    int cells, vcf_nodes, vcf_reach, move, lead, quiet_gain;
    int value[10], mine[10], theirs[10];
    u8 marks[2][32];
    u8 around[MAX_CELLS][4][8];
    u8 shape[65536];
} input;
EXPORT(input_address) int input_address(void) { return (int)(uintptr_t)&input; }

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
static int nodes_per_look, stopped, left;

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
                int shape = input.shape[bits[s][cell][d] | shut << 8];
                sum[s] -= input.mine[shape];
                sum[1 - s] -= input.theirs[shape];
            }
            value[s][cell] = FULL;
        }
        filled[cell] = 1;
        empties--;
    }
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 8; i++) {
            int at = input.around[cell][d][i];
            if (at == NONE) continue;
            if (filled[at]) {
                bits[side][at][d] ^= (u8)(128 >> i);
                continue;
            }
            u8 *x = &bits[0][at][d], *o = &bits[1][at][d], wall = walls[at][d];
            u8 before[2] = {input.shape[*x | (*o | wall) << 8], input.shape[*o | (*x | wall) << 8]};
            bits[side][at][d] ^= (u8)(128 >> i);
            u8 after[2] = {input.shape[*x | (*o | wall) << 8], input.shape[*o | (*x | wall) << 8]};
            for (int s = 0; s < 2; s++)
                if (before[s] != after[s]) {
                    int was = value[s][at], now = was + input.value[after[s]] - input.value[before[s]];
                    value[s][at] = now;
                    sum[s] += input.mine[after[s]] - input.mine[before[s]];
                    sum[1 - s] += input.theirs[after[s]] - input.theirs[before[s]];
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
                int shape = input.shape[bits[s][cell][d] | (bits[1 - s][cell][d] | walls[cell][d]) << 8];
                total += input.value[shape];
                sum[s] += input.mine[shape];
                sum[1 - s] += input.theirs[shape];
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

/* Begins a search of the position in the input with empty tables. Returns 0 without enough memory. */
EXPORT(begin) int begin(int looks) {
    if (!slots) slots = take(4 * SLOTS);
    if (slots && !entries) entries = take(sizeof(Entry) * (ENTRIES_LIMIT + 2));
    if (entries && !failures) failures = take(8 * SLOTS);
    if (failures && !failure_slots) failure_slots = take(4 * (ENTRIES_LIMIT + 2));
    if (!slots || !entries || !failures || !failure_slots) return 0;
    clear_entries();
    clear_failures();
    nodes = 0;
    nodes_per_look = looks;
    u64 seed = 0x9e3779b97f4a7c15ULL;
    for (int i = 0; i < 2 * (MAX_CELLS + 1); i++) { /* splitmix64 */
        u64 z = seed += 0x9e3779b97f4a7c15ULL;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        cell_hash[i & 1][i >> 1] = z ^ z >> 31;
    }
    key = 1;
    empties = input.cells;
    for (int s = 0; s < 2; s++) sum[s] = fives[s] = doubles[s] = fours[s] = 0;
    for (int cell = 0; cell < input.cells; cell++) {
        filled[cell] = 0;
        for (int s = 0; s < 2; s++) value[s][cell] = 0;
        for (int d = 0; d < 4; d++) {
            walls[cell][d] = bits[0][cell][d] = bits[1][cell][d] = 0;
            for (int i = 0; i < 8; i++)
                if (input.around[cell][d][i] == NONE) walls[cell][d] |= (u8)(1 << i);
            int shape = input.shape[walls[cell][d] << 8];
            for (int s = 0; s < 2; s++) {
                value[s][cell] += input.value[shape];
                sum[s] += input.mine[shape];
                sum[1 - s] += input.theirs[shape];
            }
        }
    }
    for (int side = 0; side < 2; side++)
        for (int cell = 0; cell < input.cells; cell++)
            if (input.marks[side][cell >> 3] >> (cell & 7) & 1) change(cell, side, 1);
    return 1;
}

EXPORT(nodes_searched) i64 nodes_searched(void) { return nodes; }

static void look(void) {
    if (++nodes % nodes_per_look == 0 && host_stop()) stopped = 1;
}

static inline int cell_with(int side, int least) {
    for (int cell = 0;; cell++)
        if (value[side][cell] >= least) return cell;
}

/* Returns whether the side, to move and without a five, wins by continuous fours. */
static int wins_by_fours(int side, int reach) {
    look();
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
            for (int cell = input.cells - 1; cell >= 0; cell--)
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
    for (int cell = input.cells - 1; cell >= 0; cell--) {
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

static int search(int side, int depth, int low, int high, int ply, int width) {
    look();
    if (stopped) return 0;
    if (fives[side]) return WIN - ply;
    if (fives[1 - side]) {
        if (fives[1 - side] > 1) return -(WIN - ply - 1);
        int cell = cell_with(1 - side, FIVE);
        change(cell, side, 1);
        int v = -search(1 - side, depth, -high, -low, ply + 1, width);
        change(cell, side, -1);
        return v;
    }
    if (doubles[side]) return WIN - ply - 2;
    if (!empties) return 0;
    int forced = doubles[1 - side] > 0, estimate = sum[side] + input.move;
    if (depth <= 0) {
        if (!forced || ply > 24) {
            if (fours[side] && estimate < high) {
                left = input.vcf_nodes;
                if (wins_by_fours(side, input.vcf_reach)) return WIN - ply - 4;
            }
            return estimate;
        }
        depth = 1;
    } else if (!forced && depth <= LAST_LEAD_DEPTH && high > -WIN / 2 && estimate - input.lead * depth >= high) {
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
    int count = best_cells(side, forced ? MAX_CELLS : width, forced, cells, cell_keys);
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
    int hopeless = depth == 1 && !forced && estimate + input.quiet_gain <= low;
    for (int number = 0; number < count; number++) {
        if (number && hopeless && cell_keys[number] < THREE && best > -WIN / 2) break;
        int cell = cells[number], v;
        change(cell, side, 1);
        if (number) {
            int less = number >= 3 && depth >= 3 && !forced && cell_keys[number] < THREE ? 2 : 1;
            v = -search(1 - side, depth - less, -low - 1, -low, ply + 1, width);
            if (!stopped && v > low && less > 1) v = -search(1 - side, depth - 1, -low - 1, -low, ply + 1, width);
            if (!stopped && low < v && v < high) v = -search(1 - side, depth - 1, -high, -low, ply + 1, width);
        } else {
            v = -search(1 - side, depth - 1, -high, -low, ply + 1, width);
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

/* Returns the value of a move for the side that makes it, or 2 * WIN + 1 if the search was broken off. */
EXPORT(value_of) int value_of(int cell, int side, int depth, int low, int high, int width) {
    stopped = 0;
    change(cell, side, 1);
    int v = -search(1 - side, depth - 1, -high, -low, 1, width);
    change(cell, side, -1);
    return stopped ? 2 * WIN + 1 : v;
}
