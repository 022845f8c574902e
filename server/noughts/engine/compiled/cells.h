/* The cells of a board, and the hash of a position: each mark on each cell has a random number, and a position the exclusive or
   of those of its marks. A cell is its index, NONE is no cell. */

#pragma once
#include "memory.h"

#define MAX_CELLS 255
#define NONE 255

static u64 position_hash, cell_hash[2][MAX_CELLS + 1];

/* Makes the random numbers, the same ones each time. */
static void make_hashes(void) {
    u64 seed = 0x9e3779b97f4a7c15ULL;
    for (int i = 0; i < 2 * (MAX_CELLS + 1); i++) { /* splitmix64 */
        u64 z = seed += 0x9e3779b97f4a7c15ULL;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        cell_hash[i & 1][i >> 1] = z ^ z >> 31;
    }
}
