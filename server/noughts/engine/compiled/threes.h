/* Wins by threes: the same proof-number search as ThreeSearch in noughts/engine/threats/threes.py. It expands the same
   positions in the same order. The groups of empty cells of a position (pairs, triples, and the defender's pairs) are lists
   in one pool, and a position that is not expanded yet uses the lists of the position before it. */

#include "fours.h"

#define NODES_LIMIT 200000
#define NODE_SLOTS (1 << 19)
#define POOL_BYTES (40 << 20)
#define CHILDREN_LIMIT (1 << 21)
#define INFINITE (1LL << 40)
#define WON 0
#define NO_NODE 0xffffffff
#define LIST_LIMIT 4096

typedef struct {
    u8 cells[3];
} Triple;

typedef struct {
    u32 start, count;
} List;

typedef struct {
    Mask own, other, answers;
    u64 hash;
    i64 proof, disproof;
    List pairs, triples, fours, children;
    u32 slot;
    u8 attack, move, reply, expanded;
} Node;

static Node *nodes;
static u32 *node_slots, *children;
static u8 *child_moves, *pool;
static u32 node_count, children_count, pool_end;
static i64 expanded;
static int expansions_per_look, counts_readings, wide;
static i64 four_limit;
static int broken_off;

static int make_tree(void) {
    if (!nodes) nodes = take(sizeof(Node) * (NODES_LIMIT + 600));
    if (!node_slots) node_slots = take(4 * NODE_SLOTS);
    if (!children) children = take(4 * CHILDREN_LIMIT);
    if (!child_moves) child_moves = take(CHILDREN_LIMIT);
    if (!pool) pool = take(POOL_BYTES);
    return nodes && node_slots && children && child_moves && pool;
}

static void clear_tree(void) {
    for (u32 i = 1; i < node_count; i++) node_slots[nodes[i].slot] = 0;
    node_count = 1;
    children_count = pool_end = 0;
    expanded = 0;
    nodes[WON] = (Node){.attack = 1, .expanded = 1, .proof = 0, .disproof = INFINITE};
}

static inline Pair *pairs_at(List list) { return (Pair *)(pool + list.start); }
static inline Triple *triples_at(List list) { return (Triple *)(pool + list.start); }

/* A list under construction is the last one of the pool. */
static List new_list(void) { return (List){pool_end, 0}; }
static inline void add_pair(List *list, Pair pair) {
    pairs_at(*list)[list->count++] = pair;
    pool_end += sizeof(Pair);
}
static inline void add_triple(List *list, Triple triple) {
    triples_at(*list)[list->count++] = triple;
    pool_end += sizeof(Triple);
}

static inline int pair_has(Pair pair, int cell) { return pair.a == cell || pair.b == cell; }
static inline int triple_has(Triple triple, int cell) {
    return triple.cells[0] == cell || triple.cells[1] == cell || triple.cells[2] == cell;
}
static inline Pair triple_without(Triple triple, int cell) {
    u8 *c = triple.cells;
    return c[0] == cell ? (Pair){c[1], c[2]} : c[1] == cell ? (Pair){c[0], c[2]} : (Pair){c[0], c[1]};
}

static List pairs_without(List list, int cell, int also) {
    List rest = new_list();
    for (u32 i = 0; i < list.count; i++) {
        Pair pair = pairs_at(list)[i];
        if (!pair_has(pair, cell) && !pair_has(pair, also)) add_pair(&rest, pair);
    }
    return rest;
}

/* Returns the node of a position, or NO_NODE. Writes the slot where it is or would be. */
static u32 node_of(const Mask *own, const Mask *other, int is_attack, u64 hash, u32 *slot) {
    u32 at = (u32)(hash >> 20) & (NODE_SLOTS - 1);
    for (;; at = (at + 1) & (NODE_SLOTS - 1)) {
        *slot = at;
        if (!node_slots[at]) return NO_NODE;
        Node *node = &nodes[node_slots[at]];
        if (node->attack == is_attack && equal(&node->own, own) && equal(&node->other, other)) return node_slots[at];
    }
}

static u32 add_node(const Mask *own, const Mask *other, int is_attack, u64 hash, u32 slot, List pairs, List triples, List fours) {
    u32 number = node_count++;
    node_slots[slot] = number;
    nodes[number] = (Node){.own = *own, .other = *other, .hash = hash, .proof = 1, .disproof = 1, .pairs = pairs,
                           .triples = triples, .fours = fours, .slot = slot, .attack = (u8)is_attack, .move = NONE, .reply = NONE};
    return number;
}

/* Returns the node after the attacker's move, or NONE, and the defender's reply. */
static u32 child_of(u32 parent, int move, int reply) {
    Mask own = nodes[parent].own, other = nodes[parent].other;
    u64 hash = nodes[parent].hash;
    if (!nodes[parent].attack) hash = ~hash;
    if (move != NONE) {
        set(&own, move);
        hash ^= cell_hash[0][move];
    }
    set(&other, reply);
    hash ^= cell_hash[1][reply];
    u32 slot, child = node_of(&own, &other, 1, hash, &slot);
    if (child == NO_NODE) {
        child = add_node(&own, &other, 1, hash, slot, nodes[parent].pairs, nodes[parent].triples, nodes[parent].fours);
        nodes[child].move = (u8)move;
        nodes[child].reply = (u8)reply;
    }
    return child;
}

/* Returns the node of the defender after a three. */
static u32 after_three(u32 parent, int move, List fours, const Mask *answers) {
    if (!count_of(answers)) return WON;
    Mask own = nodes[parent].own;
    set(&own, move);
    u64 hash = ~(nodes[parent].hash ^ cell_hash[0][move]);
    u32 slot, child = node_of(&own, &nodes[parent].other, 0, hash, &slot);
    if (child == NO_NODE) {
        child = add_node(&own, &nodes[parent].other, 0, hash, slot, nodes[parent].pairs, nodes[parent].triples, fours);
        nodes[child].move = (u8)move;
        nodes[child].answers = *answers;
        nodes[child].proof = count_of(answers);
    }
    return child;
}

static void add_child(Node *node, u32 child, int move) {
    children[children_count] = child;
    child_moves[children_count++] = (u8)move;
    node->children.count++;
}

/* Solves by fours in the current position. If the budget is spent, breaks the whole search off. */
static int won_by_fours(const Pair *pairs, u32 count, int block) {
    for (u32 i = 0; i < count; i++) pair_stack[i] = pairs[i];
    if (solve_fours((int)count, block, UNLIMITED, four_limit)) return 1;
    /* Python reads the clock once more here. It matters only if the clock counts its readings. */
    if (stopped && (counts_readings ? host_stop() : stopped == OUT_OF_TIME)) broken_off = 1;
    return 0;
}

/* Returns every cell that may refute the win by fours if the defender fills it first. */
static Mask refuters(void) {
    Mask cells = {{0}}, own = marks[0], other = marks[1];
    for (int i = win_length - 1; i > 0; i--) {
        set(&cells, win_move[i]);
        set(&cells, win_reply[i]);
        fill(1, win_reply[i]);
    }
    set(&cells, win_move[0]);
    if (count_of(&last_replies) == 2)
        for (int i = 0; i < WORDS; i++) cells.words[i] |= last_replies.words[i];
    for (int line = 0; line < line_count; line++)
        if (!line_marks[0][line] && line_marks[1][line] >= line_length - 2)
            for (int i = 0; i < line_length; i++)
                if (!has(&marks[1], line_cells[line][i])) set(&cells, line_cells[line][i]);
    for (int i = win_length - 1; i > 0; i--) empty(1, win_reply[i]);
    for (int i = 0; i < WORDS; i++) cells.words[i] &= ~(own.words[i] | other.words[i]);
    return cells;
}

/* Adds a move after which a win by fours threatens, if it does. */
static void add_threat(u32 number, int move, const Pair *made, u32 made_count) {
    static Pair pairs[LIST_LIMIT];
    Node *node = &nodes[number];
    u32 count = 0;
    for (u32 i = 0; i < node->pairs.count; i++) {
        Pair pair = pairs_at(node->pairs)[i];
        if (!pair_has(pair, move)) pairs[count++] = pair;
    }
    for (u32 i = 0; i < made_count; i++) pairs[count++] = made[i];
    fill(0, move);
    if (won_by_fours(pairs, count, NONE)) {
        Mask answers = refuters();
        List fours = pairs_without(node->fours, move, NONE);
        add_child(node, after_three(number, move, fours, &answers), move);
    }
    empty(0, move);
}
