/* Wins by continuous fours: every move makes three in an open line, and the opponent must answer it. */
#include "cube.h"

enum {
    FOUR_NODES = 2000,         /* of one search: few enough for plain Python to find the win again */
    DEEPEST = 30,              /* fours in a row */
    FAILURES = 1 << 22,        /* entries of the table of failed attacks */
    NO_LIMIT = 99
};

typedef struct { int length, move[DEEPEST]; mask answer[DEEPEST]; } Win;
static struct { mask own, other; int reach; } *failures;              /* no win by that many fours */
static int four_nodes, limit_reached;

static mask completions(mask own, mask other, const mask *masks, int count) {
    mask cells = 0;
    for (int i = 0; i < count; i++) {
        mask rest = masks[i] & ~own;
        if (!(masks[i] & other) && !(rest & (rest - 1))) cells |= rest;
    }
    return cells;
}

static mask completions_through(int cell, mask own, mask other) {
    return completions(own, other, through[cell], through_count[cell]);
}

/* Return whether `own`, to move, wins by `reach` fours. `blocks` are the cells that complete a line of `other`. */
static int attack(mask own, mask other, mask blocks, int reach, int depth, Win *win) {
    mask answers[CELLS], moves = 0;
    if (++four_nodes > FOUR_NODES) return 0;
    for (int i = 0; i < LINES; i++) {
        mask rest = lines[i] & ~own;
        if (lines[i] & other || COUNT(rest) != 2) continue;
        for (mask m = rest; m; m &= m - 1) {
            if (!(moves >> FIRST(m) & 1)) answers[FIRST(m)] = 0;
            answers[FIRST(m)] |= rest ^ (m & -m);
        }
        moves |= rest;
    }
    if (blocks) moves &= blocks;
    for (mask m = moves; m; m &= m - 1) {
        mask answer = answers[FIRST(m)];
        if (!(answer & (answer - 1))) continue;
        win->length = depth + 1;
        win->move[depth] = FIRST(m);
        win->answer[depth] = answer;
        return 1;
    }
    if (reach == 1) {
        limit_reached |= moves != 0;
        return 0;
    }
    int reached = limit_reached;
    for (mask m = moves; m; m &= m - 1) {
        int move = FIRST(m);
        mask mine = own | BIT(move), theirs = other | answers[move];
        uint64_t slot = hash(mine, theirs) % FAILURES;
        if (failures[slot].own == mine && failures[slot].other == theirs && failures[slot].reach >= reach - 1) {
            reached |= failures[slot].reach != NO_LIMIT;
            continue;
        }
        mask counter = completions_through(FIRST(answers[move]), theirs, mine);
        limit_reached = 0;
        if (!(counter & (counter - 1))) {
            win->move[depth] = move;
            win->answer[depth] = answers[move];
            if (attack(mine, theirs, counter, reach - 1, depth + 1, win)) return 1;
            if (four_nodes > FOUR_NODES) return 0;
        }
        failures[slot].own = mine;
        failures[slot].other = theirs;
        failures[slot].reach = limit_reached ? reach - 1 : NO_LIMIT;
        reached |= limit_reached;
    }
    limit_reached = reached;
    return 0;
}

/* Return whether `own`, to move and without a line to complete, has a win by fours, and store a shortest one. */
static int wins_by_fours(mask own, mask other, mask blocks, Win *win) {
    if (blocks & (blocks - 1)) return 0;
    four_nodes = 0;
    limit_reached = 1;
    for (int reach = 1; reach <= DEEPEST && limit_reached && four_nodes <= FOUR_NODES; reach++) {
        limit_reached = 0;
        if (attack(own, other, blocks, reach, 0, win)) return 1;
    }
    return 0;
}

/* Return the cells that may refute a win if the opponent fills one of them first. */
static mask refuters(mask own, mask other, const Win *win) {
    mask cells = 0, theirs = other;
    for (int i = 0; i < win->length; i++) {
        int last = i + 1 == win->length;
        cells |= BIT(win->move[i]);
        if (!last || COUNT(win->answer[i]) == 2) cells |= win->answer[i];
        if (!last) theirs |= win->answer[i];
    }
    for (int i = 0; i < LINES; i++)
        if (!(lines[i] & own) && COUNT(lines[i] & ~theirs) <= 2) cells |= lines[i] & ~theirs;
    return cells & ~(own | other);
}
