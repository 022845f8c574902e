/* The board of shapes.c: five in a line on a plane.

   A shape is what a mark on an empty cell would make in one direction. It depends on the four cells before the cell and the
   four after it, which are the bits 0 to 7 of two masks, the side's own marks and the blocked cells:

       . X X . _ . X . #        bits 0 1 2 3 _ 4 5 6 7        own 01000110, blocked 10000000 (the edge or the other side)

   Each empty cell has, for each side, the worth of its four shapes in one number. Its high bits count fives, fours and
   threes, so a comparison finds a cell with a four. A mark changes at most 32 cells, and taking it back changes them again:
   the board is never copied. The estimate of a position is the sum of all shapes, weighted by a regression. */

#include "cells.h"

#define FIVE (1 << 17)
#define FOUR (1 << 13)
#define TWO_FOURS (2 * FOUR)
#define THREE (1 << 9)
#define FULL (-(1 << 29))

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

static u8 walls[MAX_CELLS + 1][4], filled[MAX_CELLS + 1];
static u8 bits[2][MAX_CELLS + 1][4];
static int value[2][MAX_CELLS + 1], sum[2], fives[2], doubles[2], fours[2], empties;

static inline void count(int side, int v, int sign) {
    if (v < FOUR) return;
    fours[side] += sign;
    if (v >= TWO_FOURS) doubles[side] += sign;
    if (v >= FIVE) fives[side] += sign;
}

/* Puts a mark on a cell, or takes it away. */
static void change(int cell, int side, int sign) {
    position_hash ^= cell_hash[side][cell];
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

/* Makes the position in `marks` the current one. */
static void set_up_board(void) {
    make_hashes();
    position_hash = 1;
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
}
