/* A board on which filling a line wins, with the number of marks on every line, for the programs that search threats.

       cell 0 1 2 ...        a line is any cells of which one more than the others wins: five in a row on a plane,
            15 16 ...        four in a row in a cube. `line_cells` has the cells of each line, `through` the lines through
            ...              each cell, and `line_marks` how many marks of each side lie on a line.

   Side 0 is the attacker, side 1 the defender. */

#include "cells.h"

#define MAX_LINES 1200
#define MAX_LENGTH 6
#define WORDS 4

typedef struct {
    u64 words[WORDS];
} Mask;

typedef struct {
    u8 a, b;
} Pair;

/* The description: the line's length, the cells of each line, and the lines through each cell in the caller's order. */
static int cell_count, line_count, line_length;
static u8 line_cells[MAX_LINES][MAX_LENGTH];
static u16 through[MAX_CELLS + 1][32];
static u8 through_count[MAX_CELLS + 1];

/* The current position. */
static Mask marks[2];
static u8 line_marks[2][MAX_LINES];

static inline int has(const Mask *mask, int cell) { return mask->words[cell >> 6] >> (cell & 63) & 1; }
static inline void set(Mask *mask, int cell) { mask->words[cell >> 6] |= 1ULL << (cell & 63); }
static inline int is_empty(int cell) { return !has(&marks[0], cell) && !has(&marks[1], cell); }

static inline int count_of(const Mask *mask) {
    int count = 0;
    for (int i = 0; i < WORDS; i++) count += __builtin_popcountll(mask->words[i]);
    return count;
}

static inline int equal(const Mask *one, const Mask *other) {
    u64 difference = 0;
    for (int i = 0; i < WORDS; i++) difference |= one->words[i] ^ other->words[i];
    return !difference;
}

static void fill(int side, int cell) {
    u8 *counts = line_marks[side];
    for (int i = 0; i < through_count[cell]; i++) counts[through[cell][i]]++;
    marks[side].words[cell >> 6] ^= 1ULL << (cell & 63);
    position_hash ^= cell_hash[side][cell];
}

static void empty(int side, int cell) {
    u8 *counts = line_marks[side];
    for (int i = 0; i < through_count[cell]; i++) counts[through[cell][i]]--;
    marks[side].words[cell >> 6] ^= 1ULL << (cell & 63);
    position_hash ^= cell_hash[side][cell];
}

/* Makes a position the current one. */
static void go_to(const Mask *own, const Mask *other) {
    const Mask *target[2] = {own, other};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < WORDS; i++) {
            u64 changes = marks[side].words[i] ^ target[side]->words[i];
            for (; changes; changes &= changes - 1) {
                int cell = 64 * i + __builtin_ctzll(changes);
                if (has(&marks[side], cell)) empty(side, cell);
                else fill(side, cell);
            }
        }
}

/* Writes the empty cells of a line, in ascending order. */
static inline int lacking(int line, u8 *cells) {
    int count = 0;
    for (int i = 0; i < line_length; i++)
        if (is_empty(line_cells[line][i])) cells[count++] = line_cells[line][i];
    return count;
}

/* The caller writes the length, the number of cells, of lines, and the cells of all lines, as numbers of two bytes. */
static u16 description[3 + MAX_LINES * MAX_LENGTH];
EXPORT(description_address) int description_address(void) { return (int)(uintptr_t)description; }

EXPORT(describe) void describe(void) {
    line_length = description[0];
    cell_count = description[1];
    line_count = description[2];
    for (int line = 0; line < line_count; line++)
        for (int i = 0; i < line_length; i++) {
            int cell = description[3 + line * line_length + i];
            line_cells[line][i] = (u8)cell;
            through[cell][through_count[cell]++] = (u16)line;
        }
    make_hashes();
}
