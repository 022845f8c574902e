/* Alpha-beta on patterns: the same search as PatternSearch in noughts/engine/threats/patterns.py, with the same order of
   moves, the same table entries and the same number of nodes.

   `make kernels` builds patterns.wasm from this file. It needs no library. Side 0 is X, side 1 is O. */

#include "line_board.h"

#define WIN 1000000
#define ENTRIES_LIMIT 300000
#define SLOTS (1 << 20)
#define URGENT 100000
#define FULL_CELL (1LL << 40)
#define MAX_WIDTH 32

typedef struct {
    Mask x, o;
    u32 slot;
    int depth, value, bound, cell;
} Entry;

static int line_worth[128];
static i64 line_urgency[128];

/* The numbers of a line's code, X's marks + 8 times O's marks: first 128 times the worth for X, then the urgency. */
static int weights[256];
EXPORT(weights_address) int weights_address(void) { return (int)(uintptr_t)weights; }

/* The marks of X and of O. */
static u64 words[2 * WORDS];
EXPORT(words_address) int words_address(void) { return (int)(uintptr_t)words; }

static u8 codes[MAX_LINES];
static i64 urgency[MAX_CELLS + 1];
static int sum, fours[2], stopped, nodes_per_look;
static i64 nodes;

static u32 *slots;
static Entry *entries;
static u32 entry_count;

static void change(int cell, int side, int sign) {
    int step = sign * (side ? 8 : 1), full = (line_length - 1) * (side ? 8 : 1), blocked = (line_length - 1) * (side ? 1 : 8);
    for (int i = 0; i < through_count[cell]; i++) {
        int line = through[cell][i], before = codes[line], after = before + step;
        codes[line] = (u8)after;
        sum += line_worth[after] - line_worth[before];
        i64 difference = line_urgency[after] - line_urgency[before];
        if (difference)
            for (int j = 0; j < line_length; j++) urgency[line_cells[line][j]] += difference;
        /* With the marks of one side only, all but one, a line is a four. A mark of the other side blocks it. */
        int with = sign > 0 ? after : before, without = sign > 0 ? before : after;
        if (with == full) fours[side] += sign;
        else if (without == blocked) fours[1 - side] -= sign;
        else if (without == full) fours[side] -= sign;
    }
    urgency[cell] -= sign * FULL_CELL;
    marks[side].words[cell >> 6] ^= 1ULL << (cell & 63);
    position_hash ^= cell_hash[side][cell];
}

static Entry *entry_of_position(u32 *slot) {
    u32 at = (u32)(position_hash >> 20) & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        *slot = at;
        if (!slots[at]) return 0;
        Entry *entry = &entries[slots[at] - 1];
        if (equal(&entry->x, &marks[0]) && equal(&entry->o, &marks[1])) return entry;
    }
}

static void clear_entries(void) {
    for (u32 i = 0; i < entry_count; i++) slots[entries[i].slot] = 0;
    entry_count = 0;
}

static void keep(int depth, int value, int bound, int cell) {
    if (entry_count > ENTRIES_LIMIT) clear_entries();
    u32 slot;
    Entry *entry = entry_of_position(&slot);
    if (!entry) {
        entry = &entries[entry_count++];
        entry->x = marks[0];
        entry->o = marks[1];
        entry->slot = slot;
        slots[slot] = entry_count;
    }
    entry->depth = depth;
    entry->value = value;
    entry->bound = bound;
    entry->cell = cell;
}

/* Begins a search of the position in `words` with empty tables. Returns 0 without enough memory. */
EXPORT(begin) int begin(int looks) {
    if (!slots) slots = take(4 * SLOTS);
    if (slots && !entries) entries = take(sizeof(Entry) * (ENTRIES_LIMIT + 2));
    if (!slots || !entries) return 0;
    clear_entries();
    nodes = 0;
    nodes_per_look = looks;
    sum = fours[0] = fours[1] = 0;
    position_hash = 0;
    for (int i = 0; i < 128; i++) {
        line_worth[i] = weights[i];
        line_urgency[i] = weights[128 + i];
    }
    for (int line = 0; line < line_count; line++) codes[line] = 0;
    for (int cell = 0; cell < cell_count; cell++) urgency[cell] = through_count[cell] * line_urgency[0];
    for (int side = 0; side < 2; side++) {
        marks[side] = (Mask){{0}};
        for (int cell = 0; cell < cell_count; cell++)
            if (words[side * WORDS + (cell >> 6)] >> (cell & 63) & 1) change(cell, side, 1);
    }
    return 1;
}

EXPORT(nodes_searched) i64 nodes_searched(void) { return nodes; }

/* Writes the most urgent cells, of equal ones the first. Returns how many. */
static int most_urgent(int width, u8 *cells) {
    int count = 0;
    for (int cell = 0; cell < cell_count; cell++) {
        if (count == width && urgency[cells[count - 1]] >= urgency[cell]) continue;
        int place = count < width ? count++ : width - 1;
        for (; place && urgency[cells[place - 1]] < urgency[cell]; place--) cells[place] = cells[place - 1];
        cells[place] = (u8)cell;
    }
    return count;
}

static int search(int side, int depth, int low, int high, int ply, int width) {
    nodes++;
    if (nodes % nodes_per_look == 0 && host_stop()) stopped = 1;
    if (stopped) return 0;
    if (fours[side]) return WIN - ply;
    if (fours[1 - side]) {
        int forced = NONE;
        for (int cell = 0; cell < cell_count; cell++)
            if (urgency[cell] >= URGENT) {
                if (forced != NONE) return -(WIN - ply - 1);
                forced = cell;
            }
        change(forced, side, 1);
        int value = -search(1 - side, depth, -high, -low, ply + 1, width);
        change(forced, side, -1);
        return value;
    }
    if (depth <= 0) return (side ? -sum : sum) + 30;
    u32 slot;
    Entry *entry = entry_of_position(&slot);
    int stored_cell = -1;
    if (entry) {
        int value = entry->value;
        int decides = !entry->bound || (entry->bound > 0 ? value >= high : value <= low);
        if (decides && entry->depth >= depth && value < WIN / 2 && value > -WIN / 2) return value;
        stored_cell = entry->cell;
    }
    u8 cells[MAX_WIDTH];
    int count = most_urgent(width, cells);
    for (int place = 0; place < count; place++)
        if (cells[place] == stored_cell) {
            for (; place; place--) cells[place] = cells[place - 1];
            cells[0] = (u8)stored_cell;
            break;
        }
    int best = -WIN * 2, choice = -1;
    for (int place = 0; place < count; place++) {
        int cell = cells[place];
        if (urgency[cell] < 0) continue; /* the cell is full */
        change(cell, side, 1);
        int value = -search(1 - side, depth - 1, -high, -(low > best ? low : best), ply + 1, width);
        change(cell, side, -1);
        if (stopped) return 0;
        if (value > best) {
            best = value;
            choice = cell;
            if (best >= high) break;
        }
    }
    if (choice < 0) return 0; /* the board is full */
    keep(depth, best, best >= high ? 1 : best <= low ? -1 : 0, choice);
    return best;
}

/* Returns the value of a move for the side that makes it, or 2 * WIN + 1 if the search was broken off. */
EXPORT(value_of) int value_of(int cell, int side, int depth, int low, int high, int width) {
    stopped = 0;
    change(cell, side, 1);
    int value = -search(1 - side, depth - 1, -high, -low, 1, width);
    change(cell, side, -1);
    return stopped ? 2 * WIN + 1 : value;
}
