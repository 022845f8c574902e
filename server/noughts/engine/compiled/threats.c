/* Threat searches on a board on which filling a line wins: wins by fours (fours.h) and wins by threes (threes.h,
   expansion.h).

   The search for threes is a proof-number search (V. Allis, M. van der Meulen, H. van den Herik, "Proof-number search", 1994).
   After a three the defender has few answers that do not lose at once: the cells that stop every double four, and fours of its
   own. The search tries all of them, so a win is proved against every legal move. The opposite does not hold: the attacker may
   have a win that the search does not find.

   A *linked* search tries only moves near the attacker's last marks, and finds most wins with few positions. A *full* search
   tries every three. A *wide* search also tries quieter threats, that is every move after which a win by fours threatens, which
   takes several times longer for each position.

   `make kernels` builds threats.wasm from this file. It needs no library. line_board.h draws the board. */

#include "expansion.h"

/* Before a search: the marks of the attacker and of the defender. After it: the last replies of a win by fours, the nodes
   searched and the positions expanded. */
static u64 words[2 * WORDS];
EXPORT(words_address) int words_address(void) { return (int)(uintptr_t)words; }

/* The cells of each move and reply of a win by fours, or the first moves that win by threes. */
static u8 result[2 * FRAMES];
EXPORT(result_address) int result_address(void) { return (int)(uintptr_t)result; }

/* Begins a search with empty tables. It reads the clock once in so many fours and in so many expansions, never for 0. Returns
   0 without enough memory. */
EXPORT(begin) int begin(int nodes_of_reading, int expansions_of_reading, int its_scope, i64 limit) {
    if (!make_failures() || !make_tree()) return 0;
    clear_failures();
    clear_tree();
    four_nodes = linked_nodes = 0;
    make_rows();
    nodes_per_reading = nodes_of_reading;
    expansions_per_reading = expansions_of_reading;
    scope = its_scope;
    four_limit = limit;
    return 1;
}

static void go_to_words(void) { go_to((Mask *)words, (Mask *)(words + WORDS)); }

static void write_counters(void) {
    words[WORDS] = (u64)four_nodes;
    words[WORDS + 1] = (u64)expanded;
}

/* Searches a win by fours in the position in `words`. Returns its length, 0 for none, -1 if it was broken off. */
EXPORT(solve_by_fours) int solve_by_fours(int block, int depth, i64 limit) {
    go_to_words();
    int found = solve_fours(pairs_of(0, pair_stack), block, depth, limit);
    write_counters();
    if (stopped) return -1;
    if (!found) return 0;
    for (int i = 0; i < win_length; i++) {
        result[2 * i] = win_move[win_length - 1 - i];
        result[2 * i + 1] = win_reply[win_length - 1 - i];
    }
    for (int i = 0; i < WORDS; i++) words[i] = last_replies.words[i];
    return win_length;
}

/* Computes the proof numbers of an expanded node. Returns whether they changed. */
static int update(Node *node) {
    i64 least_proof = INFINITE, proofs = 0, least_disproof = INFINITE, greatest_disproof = 0, disproofs = -1;
    for (u32 i = 0; i < node->children.count; i++) {
        Node *child = &nodes[children[node->children.start + i]];
        if (child->proof < least_proof) least_proof = child->proof;
        if (child->disproof < least_disproof) least_disproof = child->disproof;
        if (child->disproof > greatest_disproof) greatest_disproof = child->disproof;
        proofs += child->proof;
        disproofs += child->disproof > 0;
    }
    i64 proof = proofs, disproof = least_disproof;
    if (node->attack) {
        proof = least_proof;
        disproof = greatest_disproof ? greatest_disproof + disproofs : 0;
    }
    if (proof > INFINITE) proof = INFINITE;
    if (disproof > INFINITE) disproof = INFINITE;
    int changed = proof != node->proof || disproof != node->disproof;
    node->proof = proof;
    node->disproof = disproof;
    return changed;
}

/* The path from the root to the position where the next step starts. */
static u32 path[MAX_CELLS + 2];
static int path_length;

static int is_open(u32 number) { return nodes[number].proof && nodes[number].disproof; }

/* Expands the one position below the last one of the path that contributes most to a proof or a disproof of it. */
static void step(void) {
    u32 number = path[path_length - 1];
    while (nodes[number].expanded) {
        Node *node = &nodes[number];
        u32 best = NO_NODE;
        i64 least = INFINITE;
        for (u32 i = 0; i < node->children.count; i++) {
            u32 child = children[node->children.start + i];
            i64 worth = node->attack ? nodes[child].proof : nodes[child].disproof;
            if (worth < least) {
                least = worth;
                best = child;
            }
        }
        if (best == NO_NODE || !is_open(best)) break;
        number = best;
        path[path_length++] = number;
    }
    if (!nodes[number].expanded) {
        expanded++;
        if (expansions_per_reading && expanded % expansions_per_reading == 0 && host_stop()) broken_off = 1;
        if (broken_off) return;
        go_to(&nodes[number].own, &nodes[number].other);
        if (nodes[number].attack) expand_attack(number);
        else expand_defence(number);
        if (broken_off) return;
    }
    while (update(&nodes[path[path_length - 1]]) || !is_open(path[path_length - 1])) {
        if (path_length == 1) break;
        path_length--;
    }
}

static int has_room(void) {
    return node_count <= NODES_LIMIT && children_count + 4096 < CHILDREN_LIMIT && pool_end + (1 << 20) < POOL_BYTES;
}

/* Searches a win by threes in the position in `words`. Returns how many first moves are proved to win, in `result`. */
EXPORT(solve_by_threes) int solve_by_threes(i64 limit) {
    go_to_words();
    Mask own = marks[0], other = marks[1];
    u32 slot, root = node_of(&own, &other, 1, position_hash, &slot);
    if (root == NO_NODE) {
        List pairs = new_list();
        int count = 0;
        u8 cells[MAX_LENGTH];
        for (int line = 0; line < line_count; line++)
            if (!line_marks[1][line] && line_marks[0][line] == line_length - 2) {
                lacking(line, cells);
                count = add_pair_once(pairs_at(pairs), count, (Pair){cells[0], cells[1]});
            }
        pairs = end_pairs(pairs, count);
        List triples = new_list();
        count = 0;
        for (int line = 0; line < line_count; line++)
            if (!line_marks[1][line] && line_marks[0][line] == line_length - 3 && line_length > 3) {
                lacking(line, cells);
                count = add_triple_once(triples_at(triples), count, (Triple){{cells[0], cells[1], cells[2]}});
            }
        triples = end_triples(triples, count);
        List counters = new_list();
        Mask blocks = {{0}};
        count = 0;
        for (int line = 0; line < line_count; line++)
            if (!line_marks[0][line] && line_marks[1][line] >= line_length - 2) {
                if (lacking(line, cells) == 1) set(&blocks, cells[0]);
                else count = add_pair_once(pairs_at(counters), count, (Pair){cells[0], cells[1]});
            }
        counters = end_pairs(counters, count);
        root = add_node(&own, &other, 1, position_hash, slot, pairs, triples, counters);
        nodes[root].answers = blocks;
        for (int i = 0; i < cell_count; i++) set(&nodes[root].focus, i);
    }
    broken_off = 0;
    path[0] = root;
    path_length = 1;
    i64 end = expanded + limit;
    while (is_open(root) && expanded < end && has_room() && !broken_off) step();
    write_counters();
    int count = 0;
    Node *node = &nodes[root];
    if (!node->proof && node->expanded)
        for (u32 i = 0; i < node->children.count; i++)
            if (!nodes[children[node->children.start + i]].proof) result[count++] = child_moves[node->children.start + i];
    return count;
}
