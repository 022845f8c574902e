/* Alpha-beta for five in a line on a plane. It counts the shapes of shape_board.h, and follows threats to their end.

   A five wins, a five of the other side is stopped, two fours at once win in three plies, and where the other side threatens
   two fours only the cells that can stop them are tried. None of this is an estimate. At the leaves a short search for a win
   by fours follows. Elsewhere the most urgent cells are tried: principal variation search with a transposition table and late
   move reductions. The search returns a good move, never a proof.

   Sources: shapes and their order are common knowledge of this game's programs; V. Allis, H. van den Herik, M. Huntjens,
   "Go-Moku and Threat-Space Search", 1993; T. Marsland, "A Review of Game-Tree Pruning", 1986.

   `make kernels` builds shapes.wasm from this file. It needs no library. Side 0 is X, side 1 is O. */

#include "entries.h"
#include "shape_board.h"

#define WIDTH 10            /* the most urgent cells, which are tried where nothing is forced */
#define MOVE_WORTH -74      /* of being to move */
#define LEAD 200            /* for each ply left: a position that is better by so much than it must be is not searched */
#define LAST_LEAD_DEPTH 3
#define QUIET_GAIN 300      /* of a last move without a threat: if it would not be enough, such moves are left out */
#define FOUR_NODES 40       /* of a search for a win by fours at a leaf */
#define FOURS_IN_A_ROW 8
#define LAST_EXTENDED_PLY 24
#define FIRST_REDUCED 3     /* among the moves of a position: from this one on, quiet moves are searched one ply less */

static int left;
static u64 *failures;
static u32 *failure_slots, failure_count;

static void clear_failures(void) {
    for (u32 i = 0; i < failure_count; i++) failures[failure_slots[i]] = 0;
    failure_count = 0;
}

/* Returns whether the position is among those without a win by fours. Writes the slot where it is or would be. */
static int is_failure(u32 *slot) {
    u32 at = (u32)(position_hash >> 20) & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        *slot = at;
        if (!failures[at]) return 0;
        if (failures[at] == position_hash) return 1;
    }
}

static void keep_failure(void) {
    if (failure_count > ENTRIES_LIMIT) clear_failures();
    u32 slot;
    if (is_failure(&slot)) return;
    failures[slot] = position_hash;
    failure_slots[failure_count++] = slot;
}

/* Begins a search of the position in `marks` with empty tables. Returns 0 without enough memory. */
EXPORT(begin) int begin(int its_nodes_per_reading) {
    if (!failures) failures = take(8 * SLOTS);
    if (failures && !failure_slots) failure_slots = take(4 * (ENTRIES_LIMIT + 2));
    if (!failures || !failure_slots || !begin_entries(its_nodes_per_reading)) return 0;
    clear_failures();
    set_up_board();
    return 1;
}

/* Writes how urgent each cell is, -1 where it is full, and returns the address. */
EXPORT(urgencies) int urgencies(void) {
    static int urgency[MAX_CELLS];
    for (int cell = 0; cell < cell_count; cell++) urgency[cell] = filled[cell] ? -1 : value[0][cell] + value[1][cell];
    return (int)(uintptr_t)urgency;
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
