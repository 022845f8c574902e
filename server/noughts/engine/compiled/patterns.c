/* Alpha-beta on patterns, for every board on which filling a line wins: the cube of Qubic, and others.

   A line on which one side alone has marks is worth more the fewer cells it lacks. A cell is as urgent as the lines of both
   sides through it. Each line has a code of its marks, and each move updates the codes of the lines through its cell, the
   urgency of their cells, and the sum of their worth:

       code of a line     bits 0 to 2: marks of X     bits 3 to 5: marks of O          X X . O     code 010 + 001 << 3

   Only the most urgent cells are tried, and a transposition table keeps the values. The search returns a good move, never a
   proof. Source: the weights of open lines are common knowledge of this family of games; O. Patashnik, "Qubic: 4x4x4
   Tic-Tac-Toe", 1980.

   `make kernels` builds patterns.wasm from this file. It needs no library. Side 0 is X, side 1 is O. */

#include "entries.h"
#include "line_board.h"

#define URGENT 100000
#define FULL_CELL (1LL << 40)
#define WIDTH 10 /* the most urgent cells, which are tried */

/* By the number of cells that a line lacks: the worth of the line, and the urgency that it gives to its cells. */
static const int WORTH[MAX_LENGTH + 1] = {0, 0, 60, 14, 3, 0, 0};
static const int URGENCY[MAX_LENGTH + 1] = {0, URGENT, 420, 75, 12, 2, 1};

/* By a line's code: its worth for X, and its urgency. */
static int line_worth[128];
static i64 line_urgency[128];

static void make_weights(void) {
    for (int count = 0; count < line_length; count++) {
        int lacks = line_length - count;
        line_worth[count] = count ? WORTH[lacks] : 0;
        line_worth[count << 3] = -line_worth[count];
        line_urgency[count] = line_urgency[count << 3] = URGENCY[lacks];
    }
}

/* The marks of X and of O. */
static u64 words[2 * WORDS];
EXPORT(marks_address) int marks_address(void) { return (int)(uintptr_t)words; }

static u8 codes[MAX_LINES];
static i64 urgency[MAX_CELLS + 1];
static int sum, fours[2];

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

/* Begins a search of the position in `words` with empty tables. Returns 0 without enough memory. */
EXPORT(begin) int begin(int its_nodes_per_reading) {
    if (!begin_entries(its_nodes_per_reading)) return 0;
    sum = fours[0] = fours[1] = 0;
    position_hash = 0;
    make_weights();
    for (int line = 0; line < line_count; line++) codes[line] = 0;
    for (int cell = 0; cell < cell_count; cell++) urgency[cell] = through_count[cell] * line_urgency[0];
    for (int side = 0; side < 2; side++) {
        marks[side] = (Mask){{0}};
        for (int cell = 0; cell < cell_count; cell++)
            if (words[side * WORDS + (cell >> 6)] >> (cell & 63) & 1) change(cell, side, 1);
    }
    return 1;
}

/* Writes how urgent each cell is, -1 where it is full, and returns the address. */
EXPORT(urgencies) int urgencies(void) {
    static int written[MAX_CELLS];
    for (int cell = 0; cell < cell_count; cell++) written[cell] = urgency[cell] < 0 ? -1 : (int)urgency[cell];
    return (int)(uintptr_t)written;
}

/* Writes the most urgent cells, of equal ones the first. Returns how many. */
static int most_urgent(u8 *cells) {
    int count = 0;
    for (int cell = 0; cell < cell_count; cell++) {
        if (count == WIDTH && urgency[cells[count - 1]] >= urgency[cell]) continue;
        int place = count < WIDTH ? count++ : WIDTH - 1;
        for (; place && urgency[cells[place - 1]] < urgency[cell]; place--) cells[place] = cells[place - 1];
        cells[place] = (u8)cell;
    }
    return count;
}

static int search(int side, int depth, int low, int high, int ply) {
    count_node();
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
        int value = -search(1 - side, depth, -high, -low, ply + 1);
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
    u8 cells[WIDTH];
    int count = most_urgent(cells);
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
        int value = -search(1 - side, depth - 1, -high, -(low > best ? low : best), ply + 1);
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

/* Returns the value of a move for the side that makes it, or a bound that is at most `low`; STOPPED if it was broken off. */
EXPORT(value_of) int value_of(int cell, int side, int depth, int low) {
    stopped = 0;
    change(cell, side, 1);
    int value = -search(1 - side, depth - 1, -2 * WIN, -low, 1);
    change(cell, side, -1);
    return stopped ? STOPPED : value;
}
