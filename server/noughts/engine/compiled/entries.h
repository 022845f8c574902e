/* What the two alpha-beta searches share: the count of nodes, and the transposition table.

   An entry belongs to a position by its hash alone. Two positions with one hash would only cost a good move: these searches
   prove nothing. */

#include "cells.h"

#define WIN 1000000
#define STOPPED (2 * WIN + 1)
#define ENTRIES_LIMIT 300000
#define SLOTS (1 << 20)

typedef struct {
    u64 hash;
    u32 slot;
    int depth, value, bound, cell;
} Entry;

static i64 nodes;
static int nodes_per_reading, stopped;
EXPORT(nodes_searched) i64 nodes_searched(void) { return nodes; }

static u32 *slots, entry_count; /* 1 + the number of an entry, 0 if the slot is free */
static Entry *entries;

static void count_node(void) {
    if (++nodes % nodes_per_reading == 0 && host_stop()) stopped = 1;
}

/* Returns the entry of the current position, or 0. Writes the slot where it is or would be. */
static Entry *entry_of_position(u32 *slot) {
    u32 at = (u32)(position_hash >> 20) & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        *slot = at;
        if (!slots[at]) return 0;
        Entry *entry = &entries[slots[at] - 1];
        if (entry->hash == position_hash) return entry;
    }
}

static void clear_entries(void) {
    for (u32 i = 0; i < entry_count; i++) slots[entries[i].slot] = 0;
    entry_count = 0;
}

/* Begins a search with an empty table, in which the clock is read once in so many nodes. Returns 0 without enough memory. */
static int begin_entries(int its_nodes_per_reading) {
    if (!slots) slots = take(4 * SLOTS);
    if (slots && !entries) entries = take(sizeof(Entry) * (ENTRIES_LIMIT + 2));
    if (!slots || !entries) return 0;
    clear_entries();
    nodes = 0;
    nodes_per_reading = its_nodes_per_reading;
    return 1;
}

static void keep(int depth, int value, int bound, int cell) {
    if (entry_count > ENTRIES_LIMIT) clear_entries();
    u32 slot;
    Entry *entry = entry_of_position(&slot);
    if (!entry) {
        entry = &entries[entry_count++];
        entry->hash = position_hash;
        entry->slot = slot;
        slots[slot] = entry_count;
    }
    entry->depth = depth;
    entry->value = value;
    entry->bound = bound;
    entry->cell = cell;
}
