/* The tree of a search for wins by threes.

   A *three* is a move after which some cell would make two fours at once, such as an open three for five in a line. The groups
   of empty cells of a position are the pairs of the attacker (one more mark makes a four), its triples (one more mark makes a
   pair), and the defender's pairs:

       . . X X .     a triple: a mark on any of the empty cells leaves a pair
       X . X . X     a pair

   The groups are lists in one pool. A position that is not expanded yet uses the lists of the position before it. Marks never
   leave the board, so there are no cycles, and equal positions reached by different orders of moves share one node. */

#include "linked_fours.h"

#define NODES_LIMIT 200000
#define NODE_SLOTS (1 << 19)
#define POOL_BYTES (40 << 20)
#define CHILDREN_LIMIT (1 << 21)
#define INFINITE (1LL << 40)
#define FOUR_PROOF 2
#define WON 0
#define NO_NODE 0xffffffff

enum { LINKED = 0, FULL = 1, WIDE = 2 };

typedef struct {
    u32 start, count;
} List;

typedef struct {
    Mask own, other, answers, focus;
    u64 hash;
    i64 proof, disproof;
    List pairs, triples, counters, children;
    u32 slot;
    u8 attack, move, reply, expanded, searched_fours;
} Node;

static Node *nodes;
static u32 *node_slots, *children;
static u8 *child_moves, *pool;
static u32 node_count, children_count, pool_end;
static i64 expanded;
static int expansions_per_reading, scope;
static i64 four_limit;

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

/* Starts a list at the end of the pool, and ends it. Between the two it is the only list that grows. */
static List new_list(void) { return (List){pool_end, 0}; }
static List end_pairs(List list, int count) {
    list.count = (u32)count;
    pool_end += list.count * (u32)sizeof(Pair);
    return list;
}
static List end_triples(List list, int count) {
    list.count = (u32)count;
    pool_end += list.count * (u32)sizeof(Triple);
    return list;
}

/* Copies the groups without these cells, and returns how many there are. */
static int copy_pairs(Pair *to, List list, int cell, int also) {
    int count = 0;
    for (u32 i = 0; i < list.count; i++) {
        Pair pair = pairs_at(list)[i];
        if (!pair_has(pair, cell) && !pair_has(pair, also)) to[count++] = pair;
    }
    return count;
}
static int copy_triples(Triple *to, List list, int cell, int also) {
    int count = 0;
    for (u32 i = 0; i < list.count; i++) {
        Triple triple = triples_at(list)[i];
        if (!triple_has(triple, cell) && !triple_has(triple, also)) to[count++] = triple;
    }
    return count;
}
/* Adds the pairs that the triples with a cell leave after a mark there; returns the new count. */
static int add_pairs_of_triples(Pair *to, int count, List triples, int cell) {
    for (u32 i = 0; i < triples.count; i++) {
        Triple triple = triples_at(triples)[i];
        if (triple_has(triple, cell)) count = add_pair_once(to, count, triple_without(triple, cell));
    }
    return count;
}

static inline Mask both(const Mask *one, const Mask *other) {
    Mask result;
    for (int i = 0; i < WORDS; i++) result.words[i] = one->words[i] | other->words[i];
    return result;
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

static u32 add_node(const Mask *own, const Mask *other, int is_attack, u64 hash, u32 slot, List pairs, List triples,
                    List counters) {
    u32 number = node_count++;
    node_slots[slot] = number;
    nodes[number] = (Node){.own = *own, .other = *other, .hash = hash, .proof = 1, .disproof = 1, .pairs = pairs,
                           .triples = triples, .counters = counters, .slot = slot, .attack = (u8)is_attack, .move = NONE,
                           .reply = NONE};
    return number;
}

/* Returns the node of the attacker after its four (NONE after a three) and the defender's reply. */
static u32 child_of(u32 parent, int move, int reply, List pairs, List triples, List counters) {
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
        child = add_node(&own, &other, 1, hash, slot, pairs, triples, counters);
        nodes[child].move = (u8)move;
        nodes[child].reply = (u8)reply;
        nodes[child].focus = move == NONE ? nodes[parent].focus : both(&near[move], &nodes[parent].focus);
        if (move != NONE) nodes[child].proof = FOUR_PROOF;
    }
    return child;
}

/* Returns the node of the defender after a three. */
static u32 after_three(u32 parent, int move, Mask answers) {
    Node *node = &nodes[parent];
    Mask own = node->own;
    set(&own, move);
    u64 hash = ~(node->hash ^ cell_hash[0][move]);
    u32 slot, child = node_of(&own, &node->other, 0, hash, &slot);
    if (child == NO_NODE) {
        answers.words[move >> 6] &= ~(1ULL << (move & 63));
        if (!count_of(&answers)) return WON;
        child = add_node(&own, &node->other, 0, hash, slot, node->pairs, node->triples, node->counters);
        nodes[child].move = (u8)move;
        nodes[child].answers = answers;
        nodes[child].focus = near[move];
        nodes[child].proof = count_of(&answers);
    }
    return child;
}

static void add_child(Node *node, u32 child, int move) {
    children[children_count] = child;
    child_moves[children_count++] = (u8)move;
    node->children.count++;
}

/* Proves that the attacker wins here, or that this search finds no win. */
static void end_node(Node *node, int won) {
    node->expanded = 1;
    node->children = (List){children_count, 0};
    node->proof = won ? 0 : INFINITE;
    node->disproof = won ? INFINITE : 0;
    if (won) add_child(node, WON, win_move[win_length - 1]);
}

/* Returns the one cell of a mask, NONE for none, -1 for several. */
static int only_cell(const Mask *mask) {
    int count = count_of(mask);
    for (int i = 0; i < WORDS && count == 1; i++)
        if (mask->words[i]) return 64 * i + __builtin_ctzll(mask->words[i]);
    return count ? -1 : NONE;
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
    if (count_of(&last_replies) == 2) cells = both(&cells, &last_replies);
    for (int line = 0; line < line_count; line++)
        if (!line_marks[0][line] && line_marks[1][line] >= line_length - 2)
            for (int i = 0; i < line_length; i++)
                if (!has(&marks[1], line_cells[line][i])) set(&cells, line_cells[line][i]);
    for (int i = win_length - 1; i > 0; i--) empty(1, win_reply[i]);
    for (int i = 0; i < WORDS; i++) cells.words[i] &= ~(own.words[i] | other.words[i]);
    return cells;
}
