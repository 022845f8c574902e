/* The cube of Qubic: cells, lines and symmetries as masks. A cell is z * 16 + y * 4 + x. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t mask;
#define BIT(cell) ((mask)1 << (cell))
#define COUNT(m) __builtin_popcountll(m)
#define FIRST(m) __builtin_ctzll(m)
enum { CELLS = 64, LINES = 76, SYMMETRIES = 192 };

static mask lines[LINES], through[CELLS][7];
static int through_count[CELLS];
static mask images[SYMMETRIES][8][256];               /* of each byte of a mask */
static unsigned char origin[SYMMETRIES][CELLS];       /* of each image, the cell */

static void stop(const char *reason) { fprintf(stderr, "\nqubic: %s\n", reason); exit(1); }

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) stop("out of memory");
    return memory;
}

static void make_lines(void) {
    int count = 0;
    for (int cell = 0; cell < CELLS; cell++)
        for (int direction = 14; direction < 27; direction++) {       /* 13 is no direction, and the others are opposites */
            int step[3] = {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1}, inside = 1;
            int at[3] = {cell & 3, cell >> 2 & 3, cell >> 4};
            mask line = 0;
            for (int axis = 0; axis < 3; axis++) inside &= at[axis] + 3 * step[axis] >= 0 && at[axis] + 3 * step[axis] < 4;
            if (!inside) continue;
            for (int i = 0; i < 4; i++) line |= BIT(cell + i * (step[2] * 16 + step[1] * 4 + step[0]));
            lines[count++] = line;
        }
    if (count != LINES) stop("there are not 76 lines");
    for (int cell = 0; cell < CELLS; cell++)
        for (int i = 0; i < LINES; i++)
            if (lines[i] >> cell & 1) through[cell][through_count[cell]++] = lines[i];
}

/* The 48 symmetries of the cube, times the permutations of the coordinates that map lines to lines. */
static void make_symmetries(void) {
    static const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int coordinates[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {0, 2, 1, 3}, {2, 0, 3, 1}};
    for (int s = 0; s < SYMMETRIES; s++) {
        unsigned char image[CELLS];
        for (int cell = 0; cell < CELLS; cell++) {
            int at[3] = {cell & 3, cell >> 2 & 3, cell >> 4}, to[3];
            for (int axis = 0; axis < 3; axis++) {
                to[axis] = coordinates[s % 4][at[axes[s / 32][axis]]];
                if (s / 4 % 8 >> axis & 1) to[axis] = 3 - to[axis];
            }
            image[cell] = to[2] * 16 + to[1] * 4 + to[0];
            origin[s][image[cell]] = cell;
        }
        for (int byte = 0; byte < 8; byte++)
            for (int value = 0; value < 256; value++)
                for (int i = 0; i < 8; i++)
                    if (value >> i & 1) images[s][byte][value] |= BIT(image[byte * 8 + i]);
    }
}

static mask image_of(int s, mask m) {
    mask image = 0;
    for (int byte = 0; byte < 8; byte++) image |= images[s][byte][m >> 8 * byte & 255];
    return image;
}

/* Store the smallest image of a position, and return its symmetry. */
static int canonical(mask x, mask o, mask *least_x, mask *least_o) {
    int best = -1;
    for (int s = 0; s < SYMMETRIES; s++) {
        mask image_x = image_of(s, x);
        if (best >= 0 && image_x > *least_x) continue;
        mask image_o = image_of(s, o);
        if (best >= 0 && image_x == *least_x && image_o >= *least_o) continue;
        best = s;
        *least_x = image_x;
        *least_o = image_o;
    }
    return best;
}

/* The tables compare both masks as well: no hash of 64 bits stands for 128. */
static uint64_t hash(mask x, mask o) {
    uint64_t h = x * 0x9E3779B97F4A7C15u;
    h = ((h ^ h >> 29) + o) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 32) * 0x94D049BB133111EBu;
    return h ^ h >> 29;
}
