/* Threat searches on a board on which filling a line wins: wins by fours (fours.h) and wins by threes (threes.h).

   `make kernels` builds threats.wasm from this file. It needs no library. */

#include "threes.h"

/* Before a search: the marks of the attacker and of the defender. After it: the last replies of a win by fours, the nodes
   searched and the positions expanded. */
static u64 words[2 * WORDS];
EXPORT(words_address) int words_address(void) { return (int)(uintptr_t)words; }

/* The cells of each move and reply of a win by fours, or the first moves that win by threes. */
static u8 result[2 * FRAMES];
EXPORT(result_address) int result_address(void) { return (int)(uintptr_t)result; }

/* Begins a new search with empty tables, which looks at the clock so often. Returns 0 without enough memory. */
EXPORT(begin) int begin(int looks, int expansions, int counted, int is_wide, i64 limit) {
    if (!make_failures() || !make_tree()) return 0;
    clear_failures();
    clear_tree();
    four_nodes = 0;
    nodes_per_look = looks;
    expansions_per_look = expansions;
    counts_readings = counted;
    wide = is_wide;
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

/* Carries the groups on to a node of the attacker. Returns the cell that the defender threatens, NONE, or -1 for several. */
static int carry_on(u32 number) {
    Node *node = &nodes[number];
    int move = node->move, reply = node->reply;
    if (reply == NONE) { /* the root */
        int count = count_of(&node->answers);
        for (int i = 0; i < WORDS && count == 1; i++)
            if (node->answers.words[i]) return 64 * i + __builtin_ctzll(node->answers.words[i]);
        return count ? -1 : NONE;
    }
    List pairs = pairs_without(node->pairs, move, reply);
    for (int pass = 0; pass < 2; pass++) { /* each list is the last one of the pool while it grows */
        List triples = new_list();
        if (pass)
            for (u32 i = 0; i < node->triples.count; i++) {
                Triple triple = triples_at(node->triples)[i];
                if (!triple_has(triple, move) && !triple_has(triple, reply)) add_triple(&triples, triple);
            }
        for (int i = 0; move != NONE && i < through_count[move]; i++) {
            int line = through[move][i];
            u8 cells[MAX_LENGTH];
            if (line_marks[1][line] || line_marks[0][line] != line_length - 2 - pass) continue;
            lacking(line, cells);
            if (pass) add_triple(&triples, (Triple){{cells[0], cells[1], cells[2]}});
            else add_pair(&pairs, (Pair){cells[0], cells[1]});
        }
        if (pass) node->triples = triples;
        else node->pairs = pairs;
    }
    node->fours = pairs_without(node->fours, move, reply);
    int block = NONE;
    for (int i = 0; i < through_count[reply]; i++) {
        int line = through[reply][i];
        u8 cells[MAX_LENGTH];
        if (line_marks[0][line]) continue;
        int count = lacking(line, cells);
        if (count == 1) block = block == NONE || block == cells[0] ? cells[0] : -1;
        if (block == -1) break;
        if (count == 2) add_pair(&node->fours, (Pair){cells[0], cells[1]});
    }
    return block;
}

static Mask reply_masks[MAX_CELLS + 1];

/* Writes, for each cell of the pairs in the order in which they are met, the mask of its neighbours. Returns how many. */
static int neighbours(const Pair *pairs, u32 pair_count, u8 *order, Mask *masks) {
    int count = 0;
    seen_now++;
    for (u32 i = 0; i < pair_count; i++)
        for (int turn = 0; turn < 2; turn++) {
            u8 cell = turn ? pairs[i].b : pairs[i].a, other = turn ? pairs[i].a : pairs[i].b;
            if (seen_at[cell] != seen_now) {
                seen_at[cell] = seen_now;
                masks[cell] = (Mask){{0}};
                order[count++] = cell;
            }
            set(&masks[cell], other);
        }
    return count;
}

/* Writes the answers to a three: the cells that stop every two fours at once. Returns 0 if there are no such fours. */
static int answers_to(const Pair *pairs, u32 count, const u8 *makes_four, Mask *answers) {
    static Mask ends_of[MAX_CELLS + 1];
    u8 order[MAX_CELLS + 1];
    int cells = neighbours(pairs, count, order, ends_of), any = 0;
    for (int i = 0; i < WORDS; i++) answers->words[i] = ~0ULL;
    for (int i = 0; i < cells; i++) {
        Mask stops = ends_of[order[i]];
        if (makes_four[order[i]])
            for (int j = 0; j < WORDS; j++) stops.words[j] |= reply_masks[order[i]].words[j];
        int ends = count_of(&stops);
        if (ends < 2) continue;
        if (ends > 2) stops = (Mask){{0}};
        set(&stops, order[i]);
        for (int j = 0; j < WORDS; j++) answers->words[j] &= stops.words[j];
        any = 1;
    }
    return any;
}

/* Expands a node of the attacker. */
static void expand_attack(u32 number) {
    static u8 order[MAX_CELLS + 1], threes[MAX_CELLS + 1], makes_four[MAX_CELLS + 1], makes_three[MAX_CELLS + 1];
    static Pair made[LIST_LIMIT];
    Node *node = &nodes[number];
    go_to(&node->own, &node->other);
    int block = carry_on(number);
    node->children = (List){children_count, 0};
    if (block == -1) {
        node->expanded = 1;
        return;
    }
    int won = won_by_fours(pairs_at(node->pairs), node->pairs.count, block);
    if (broken_off) return;
    node->expanded = 1;
    if (won) {
        add_child(node, WON, win_move[win_length - 1]);
        return;
    }
    for (int i = 0; i < cell_count; i++) makes_four[i] = makes_three[i] = 0;
    int fours = neighbours(pairs_at(node->pairs), node->pairs.count, order, reply_masks);
    for (int i = 0; i < fours; i++) {
        int move = order[i], reply = 0;
        makes_four[move] = 1;
        if (block != NONE && move != block) continue;
        for (int j = 0; j < WORDS; j++)
            if (reply_masks[move].words[j]) reply = 64 * j + __builtin_ctzll(reply_masks[move].words[j]);
        add_child(node, child_of(number, move, reply), move);
    }
    int three_count = 0;
    for (u32 i = 0; i < node->triples.count; i++)
        for (int j = 0; j < 3; j++) {
            u8 cell = triples_at(node->triples)[i].cells[j];
            if ((block != NONE && cell != block) || makes_three[cell]) continue;
            makes_three[cell] = 1;
            threes[three_count++] = cell;
        }
    for (int i = 0; i < three_count && !broken_off; i++) {
        int move = threes[i];
        if (makes_four[move]) continue;
        u32 count = 0;
        for (u32 j = 0; j < node->triples.count; j++)
            if (triple_has(triples_at(node->triples)[j], move)) made[count++] = triple_without(triples_at(node->triples)[j], move);
        Mask answers;
        if (!answers_to(made, count, makes_four, &answers)) {
            if (wide && block == NONE) add_threat(number, move, made, count);
            continue;
        }
        List rest = pairs_without(node->fours, move, NONE);
        for (u32 j = 0; j < rest.count; j++) {
            set(&answers, pairs_at(rest)[j].a);
            set(&answers, pairs_at(rest)[j].b);
        }
        add_child(node, after_three(number, move, rest, &answers), move);
    }
    if (block != NONE && !node->children.count && !broken_off) {
        u32 count = 0;
        for (u32 j = 0; j < node->triples.count; j++)
            if (triple_has(triples_at(node->triples)[j], block)) made[count++] = triple_without(triples_at(node->triples)[j], block);
        add_threat(number, block, made, count);
    }
    if (broken_off) node->expanded = 0;
}

/* Expands a node of the defender: with its answers to a three. */
static void expand_defence(u32 number) {
    Node *node = &nodes[number];
    int move = node->move;
    go_to(&node->own, &node->other);
    List pairs = pairs_without(node->pairs, NONE, NONE);
    for (u32 i = 0; i < node->triples.count; i++)
        if (triple_has(triples_at(node->triples)[i], move)) add_pair(&pairs, triple_without(triples_at(node->triples)[i], move));
    List triples = new_list();
    for (u32 i = 0; i < node->triples.count; i++)
        if (!triple_has(triples_at(node->triples)[i], move)) add_triple(&triples, triples_at(node->triples)[i]);
    for (int i = 0; i < through_count[move]; i++) {
        int line = through[move][i];
        u8 cells[MAX_LENGTH];
        if (line_marks[1][line] || line_marks[0][line] != line_length - 3) continue;
        lacking(line, cells);
        add_triple(&triples, (Triple){{cells[0], cells[1], cells[2]}});
    }
    node->pairs = pairs;
    node->triples = triples;
    node->children = (List){children_count, 0};
    node->expanded = 1;
    for (int i = 0; i < WORDS; i++)
        for (u64 rest = node->answers.words[i]; rest; rest &= rest - 1) {
            int cell = 64 * i + __builtin_ctzll(rest);
            add_child(node, child_of(number, NONE, cell), cell);
        }
}

/* Computes the proof numbers of an expanded node. Returns whether they changed. */
static int update(Node *node) {
    i64 least_proof = INFINITE, proofs = 0, least_disproof = INFINITE, disproofs = 0;
    for (u32 i = 0; i < node->children.count; i++) {
        Node *child = &nodes[children[node->children.start + i]];
        if (child->proof < least_proof) least_proof = child->proof;
        if (child->disproof < least_disproof) least_disproof = child->disproof;
        proofs += child->proof;
        disproofs += child->disproof;
    }
    i64 proof = node->attack ? least_proof : proofs < INFINITE ? proofs : INFINITE;
    i64 disproof = !node->attack ? least_disproof : disproofs < INFINITE ? disproofs : INFINITE;
    int changed = proof != node->proof || disproof != node->disproof;
    node->proof = proof;
    node->disproof = disproof;
    return changed;
}

/* Expands the one position that contributes most to a proof or a disproof of the root. */
static void step(u32 root) {
    static u32 path[MAX_CELLS + 2];
    int length = 0;
    u32 number = root;
    path[length++] = number;
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
        if (best == NO_NODE || !nodes[best].proof || !nodes[best].disproof) break;
        number = best;
        path[length++] = number;
    }
    if (!nodes[number].expanded) {
        expanded++;
        if (expansions_per_look && expanded % expansions_per_look == 0 && host_stop()) broken_off = 1;
        if (broken_off) return;
        if (nodes[number].attack) expand_attack(number);
        else expand_defence(number);
        if (broken_off) return;
    }
    while (length && update(&nodes[path[length - 1]])) length--;
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
        List pairs = new_list(), triples, fours;
        Mask blocks = {{0}};
        u8 cells[MAX_LENGTH];
        for (int line = 0; line < line_count; line++)
            if (!line_marks[1][line] && line_marks[0][line] == line_length - 2) {
                lacking(line, cells);
                add_pair(&pairs, (Pair){cells[0], cells[1]});
            }
        triples = new_list();
        for (int line = 0; line < line_count; line++)
            if (!line_marks[1][line] && line_marks[0][line] == line_length - 3 && line_length > 3) {
                lacking(line, cells);
                add_triple(&triples, (Triple){{cells[0], cells[1], cells[2]}});
            }
        fours = new_list();
        for (int line = 0; line < line_count; line++)
            if (!line_marks[0][line] && line_marks[1][line] >= line_length - 2) {
                if (lacking(line, cells) == 1) set(&blocks, cells[0]);
                else add_pair(&fours, (Pair){cells[0], cells[1]});
            }
        root = add_node(&own, &other, 1, position_hash, slot, pairs, triples, fours);
        nodes[root].answers = blocks;
    }
    broken_off = 0;
    i64 end = expanded + limit;
    while (nodes[root].proof && nodes[root].disproof && expanded < end && has_room() && !broken_off) step(root);
    write_counters();
    int count = 0;
    Node *node = &nodes[root];
    if (!node->proof && node->expanded)
        for (u32 i = 0; i < node->children.count; i++)
            if (!nodes[children[node->children.start + i]].proof) result[count++] = child_moves[node->children.start + i];
    return count;
}
