/* A quick search for a win by fours, for the positions in the tree of threes.h. Most of these searches find nothing, so they
   must fail soon. It tries only fours that make a pair, linked to the fours before, and as its last move one that completes a
   line in two places. So it misses a few wins that the search of fours.h finds, and a win that it finds need not be a shortest
   one. It shares the table of failures with fours.h: one program holds the tables of one search at a time. */

#include "fours.h"

#define LINKED_FAILURES_LIMIT 380000

typedef struct {
    u8 cells[3];
} Triple;

static Triple triple_stack[1 << 16];
static u8 order_stack[1 << 15];
static i64 linked_nodes, linked_end;
static int linked_stopped, broken_off;

/* The lines through each cell, grouped by their direction, and the cells of these lines. */
static u16 by_row[MAX_CELLS + 1][32];
static Mask near[MAX_CELLS + 1];

static int shared_cells(int one, int other) {
    int count = 0;
    for (int i = 0; i < line_length; i++)
        for (int j = 0; j < line_length; j++) count += line_cells[one][i] == line_cells[other][j];
    return count;
}

static void make_rows(void) {
    for (int cell = 0; cell < cell_count; cell++) {
        u8 row_of[32];
        int rows = 0, count = 0;
        near[cell] = (Mask){{0}};
        for (int i = 0; i < through_count[cell]; i++) {
            int row = rows;
            for (int j = 0; j < i; j++)
                if (row_of[j] < row && shared_cells(through[cell][i], through[cell][j]) > 1) row = row_of[j];
            row_of[i] = (u8)row;
            if (row == rows) rows++;
            for (int k = 0; k < line_length; k++) set(&near[cell], line_cells[through[cell][i]][k]);
        }
        for (int row = 0; row < rows; row++)
            for (int i = 0; i < through_count[cell]; i++)
                if (row_of[i] == row) by_row[cell][count++] = through[cell][i];
    }
}

static inline int pair_has(Pair pair, int cell) { return pair.a == cell || pair.b == cell; }
static inline int triple_has(Triple triple, int cell) {
    return triple.cells[0] == cell || triple.cells[1] == cell || triple.cells[2] == cell;
}
static inline Pair triple_without(Triple triple, int cell) {
    u8 *c = triple.cells;
    return c[0] == cell ? (Pair){c[1], c[2]} : c[1] == cell ? (Pair){c[0], c[2]} : (Pair){c[0], c[1]};
}

/* Append a group that is not there yet; return the new count. */
static inline int add_pair_once(Pair *pairs, int count, Pair pair) {
    for (int i = 0; i < count; i++)
        if (pairs[i].a == pair.a && pairs[i].b == pair.b) return count;
    pairs[count] = pair;
    return count + 1;
}
static inline int add_triple_once(Triple *triples, int count, Triple triple) {
    for (int i = 0; i < count; i++) {
        u8 *c = triples[i].cells;
        if (c[0] == triple.cells[0] && c[1] == triple.cells[1] && c[2] == triple.cells[2]) return count;
    }
    triples[count] = triple;
    return count + 1;
}

/* Append what the mark of a side on a cell has made; return the new count. */
static int add_made_pairs(int side, int cell, Pair *pairs, int count) {
    u8 cells[MAX_LENGTH];
    for (int i = 0; i < through_count[cell]; i++) {
        int line = by_row[cell][i];
        if (line_marks[1 - side][line] || line_marks[side][line] != line_length - 2) continue;
        lacking(line, cells);
        count = add_pair_once(pairs, count, (Pair){cells[0], cells[1]});
    }
    return count;
}
static int add_made_triples(int cell, Triple *triples, int count) {
    u8 cells[MAX_LENGTH];
    for (int i = 0; i < through_count[cell]; i++) {
        int line = by_row[cell][i];
        if (line_marks[1][line] || line_marks[0][line] != line_length - 3) continue;
        lacking(line, cells);
        count = add_triple_once(triples, count, (Triple){{cells[0], cells[1], cells[2]}});
    }
    return count;
}

/* Writes the win that ends with a double four on a cell. */
static void write_double_four(const Pair *pairs, int count, int cell) {
    last_replies = (Mask){{0}};
    for (int i = 0; i < count; i++) {
        if (pairs[i].a == cell) set(&last_replies, pairs[i].b);
        if (pairs[i].b == cell) set(&last_replies, pairs[i].a);
    }
    win_move[0] = (u8)cell;
    win_length = 1;
}

/* Searches the current position. The groups of the frames lie on stacks from these places on. */
static int find_on(int first_pair, int pair_count, int first_triple, int triple_count, int first_cell, int block, int move) {
    linked_nodes++;
    if (nodes_per_reading && linked_nodes % nodes_per_reading == 0 && host_stop()) broken_off = 1;
    if (broken_off) return 0;
    if (linked_nodes > linked_end) {
        linked_stopped = 1;
        return 0;
    }
    const Pair *pairs = pair_stack + first_pair;
    Mask seen = {{0}}, meeting = {{0}};
    for (int i = 0; i < pair_count; i++) {
        if (has(&seen, pairs[i].a)) set(&meeting, pairs[i].a);
        if (has(&seen, pairs[i].b)) set(&meeting, pairs[i].b);
        set(&seen, pairs[i].a);
        set(&seen, pairs[i].b);
    }
    if (block != NONE) {
        if (!has(&seen, block)) return 0;
        int meets = has(&meeting, block);
        meeting = seen = (Mask){{0}};
        set(&seen, block);
        if (meets) set(&meeting, block);
    }
    for (int i = 0; i < WORDS; i++)
        if (meeting.words[i]) {
            write_double_four(pairs, pair_count, 64 * i + __builtin_ctzll(meeting.words[i]));
            return 1;
        }
    Triple *triples = triple_stack + first_triple;
    if (move != NONE) {
        Triple *before = triples;
        int count = 0;
        triples += triple_count;
        first_triple += triple_count;
        for (int i = 0; i < triple_count; i++) {
            u8 *c = before[i].cells;
            if (is_empty(c[0]) && is_empty(c[1]) && is_empty(c[2])) triples[count++] = before[i];
        }
        triple_count = add_made_triples(move, triples, count);
    }
    u8 *order = order_stack + first_cell;
    int cell_total = 0;
    for (int i = 0; i < triple_count; i++)
        for (int j = 0; j < 3; j++) {
            int cell = triples[i].cells[j];
            if (!has(&seen, cell)) continue;
            seen.words[cell >> 6] ^= 1ULL << (cell & 63);
            order[cell_total++] = (u8)cell;
        }
    Pair *after = pair_stack + first_pair + pair_count;
    for (int k = 0; k < cell_total; k++) {
        int cell = order[k], reply = NONE, count = 0;
        for (int i = 0; i < pair_count && reply == NONE; i++)
            if (pair_has(pairs[i], cell)) reply = pairs[i].a == cell ? pairs[i].b : pairs[i].a;
        for (int i = 0; i < pair_count; i++)
            if (!pair_has(pairs[i], cell) && !pair_has(pairs[i], reply)) after[count++] = pairs[i];
        int kept = count;
        for (int i = 0; i < triple_count; i++)
            if (triple_has(triples[i], cell) && !triple_has(triples[i], reply))
                count = add_pair_once(after, count, triple_without(triples[i], cell));
        if (count == kept) continue;
        fill(0, cell);
        fill(1, reply);
        u32 slot;
        int won = 0;
        if (!failure_of_position(&slot)) {
            int counter = counter_of(reply);
            if (counter >= 0)
                won = find_on(first_pair + pair_count, count, first_triple, triple_count, first_cell + cell_total, counter, cell);
            if (!won && !linked_stopped && !broken_off) keep_failure(UNLIMITED);
        }
        empty(1, reply);
        empty(0, cell);
        if (won) {
            win_move[win_length] = (u8)cell;
            win_reply[win_length++] = (u8)reply;
            return 1;
        }
        if (linked_stopped || broken_off) return 0;
    }
    return 0;
}

/* Searches a win by fours in the current position. Its groups are the first ones of the stacks. */
static int find_win(int pair_count, int triple_count, int block, i64 limit) {
    linked_end = linked_nodes + limit;
    linked_stopped = 0;
    if (failure_count > LINKED_FAILURES_LIMIT) clear_failures();
    return find_on(0, pair_count, 0, triple_count, 0, block, NONE);
}
