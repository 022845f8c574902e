/* Threat searches on a board on which filling a line wins: wins by fours (fours.h) and wins by threes (threes.h).

   The search for threes is a proof-number search (V. Allis, M. van der Meulen, H. van den Herik, "Proof-number search", 1994).
   After a three the defender has few answers that do not lose at once: the cells that stop every double four, and fours of its
   own. The search tries all of them, so a win is proved against every legal move. The opposite does not hold: the attacker may
   have a win that the search does not find.

   After each answer a search for a win by fours runs. If there is a win, every answer that cannot refute it loses too, and is
   not tried. So only the answers that need a further three come into the tree. The defender may answer with a four, which the
   attacker must answer in turn. That answer need not be a four or a three: the attack stands as long as a win by fours still
   threatens. The defender's answers are then the moves that may refute it.

   A *linked* search tries only moves near the attacker's last marks, and finds most wins with few positions. A *full* search
   tries every three. A *wide* search also tries quieter threats, that is every move after which a win by fours threatens, which
   takes several times longer for each position.

   `make kernels` builds threats.wasm from this file. It needs no library. line_board.h draws the board. */

#include "threes.h"

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

/* Carries the groups of a node of the attacker on to its position, the current one, and finds the cells that it must fill. */
static void carry_on(Node *node) {
    int move = node->move, reply = node->reply;
    List list = new_list();
    int count = copy_pairs(pairs_at(list), node->pairs, move, reply);
    if (move != NONE) count = add_made_pairs(0, move, pairs_at(list), count);
    node->pairs = end_pairs(list, count);
    list = new_list();
    count = copy_triples(triples_at(list), node->triples, move, reply);
    if (move != NONE) count = add_made_triples(move, triples_at(list), count);
    node->triples = end_triples(list, count);
    list = new_list();
    count = copy_pairs(pairs_at(list), node->counters, move, reply);
    node->counters = end_pairs(list, add_made_pairs(1, reply, pairs_at(list), count));
    node->answers = (Mask){{0}};
    for (int i = 0; i < through_count[reply]; i++) {
        u8 cells[MAX_LENGTH];
        int line = through[reply][i];
        if (line_marks[0][line] || line_marks[1][line] != line_length - 1) continue;
        lacking(line, cells);
        set(&node->answers, cells[0]);
    }
    node->reply = NONE;
}

/* Searches a win by fours in a node of the attacker, in the current position. If there is one, ends the node. */
static int find_fours(Node *node) {
    if (node->reply != NONE) carry_on(node);
    int block = only_cell(&node->answers);
    node->searched_fours = 1;
    if (block == -1) return 0;
    int pair_count = copy_pairs(pair_stack, node->pairs, NONE, NONE);
    int triple_count = copy_triples(triple_stack, node->triples, NONE, NONE);
    if (!find_win(pair_count, triple_count, block, four_limit)) return 0;
    end_node(node, 1);
    return 1;
}

/* Adds a move after which a win by fours threatens, if it does. */
static void add_threat(u32 number, int move) {
    Node *node = &nodes[number];
    int pair_count = copy_pairs(pair_stack, node->pairs, move, NONE);
    pair_count = add_pairs_of_triples(pair_stack, pair_count, node->triples, move);
    int triple_count = copy_triples(triple_stack, node->triples, move, NONE);
    fill(0, move);
    triple_count = add_made_triples(move, triple_stack, triple_count);
    if (find_win(pair_count, triple_count, NONE, four_limit)) {
        Mask answers = refuters();
        for (u32 i = 0; i < node->counters.count; i++) {
            set(&answers, pairs_at(node->counters)[i].a);
            set(&answers, pairs_at(node->counters)[i].b);
        }
        add_child(node, after_three(number, move, answers), move);
    }
    empty(0, move);
}

/* Writes the cells that stop all double fours that a move threatens. Returns 0 if it threatens none. */
static int answers_to(List triples, int move, const Mask *meeting, const u8 *partners, Mask *answers) {
    int any = 0;
    for (int i = 0; i < WORDS; i++) answers->words[i] = ~0ULL;
    for (int i = 0; i < WORDS; i++)
        for (u64 rest = meeting->words[i]; rest; rest &= rest - 1) {
            int cell = 64 * i + __builtin_ctzll(rest);
            Mask stops = {{0}};
            if (partners[cell] != NONE) set(&stops, partners[cell]);
            for (u32 j = 0; j < triples.count; j++) {
                Triple triple = triples_at(triples)[j];
                if (!triple_has(triple, move) || !triple_has(triple, cell)) continue;
                Pair pair = triple_without(triple, move);
                set(&stops, pair.a == cell ? pair.b : pair.a);
            }
            int ends = count_of(&stops);
            if (ends < 2) continue;
            if (ends > 2) stops = (Mask){{0}};
            set(&stops, cell);
            for (int j = 0; j < WORDS; j++) answers->words[j] &= stops.words[j];
            any = 1;
        }
    return any;
}

/* Expands a node of the attacker, in the current position: with a win by fours, else with fours and threes. */
static void expand_attack(u32 number) {
    static Mask reached[MAX_CELLS + 1], meeting[MAX_CELLS + 1];
    static u8 partners[MAX_CELLS + 1];
    u8 order[MAX_CELLS + 1], reached_order[MAX_CELLS + 1], threes[MAX_CELLS + 1];
    int partner_count = 0, reached_count = 0, three_count = 0;
    Node *node = &nodes[number];
    if (!node->searched_fours && (find_fours(node) || broken_off)) return;
    int block = only_cell(&node->answers);
    if (block == -1) {
        end_node(node, 0);
        return;
    }
    Mask focus = {{0}}, seen = {{0}}, hot = {{0}}, with_meeting = {{0}}, was_reached = {{0}}, counters = {{0}};
    if (block != NONE) set(&focus, block);
    else if (scope == LINKED) focus = node->focus;
    else for (int i = 0; i < cell_count; i++) set(&focus, i);
    int is_wide = scope == WIDE && block == NONE;
    for (int i = 0; i < cell_count; i++) partners[i] = NONE;
    for (u32 i = 0; i < node->pairs.count; i++) {
        Pair pair = pairs_at(node->pairs)[i];
        if (!has(&seen, pair.a)) order[partner_count++] = pair.a;
        set(&seen, pair.a);
        if (!has(&seen, pair.b)) order[partner_count++] = pair.b;
        set(&seen, pair.b);
        partners[pair.a] = pair.b;
        partners[pair.b] = pair.a;
    }
    for (u32 i = 0; i < node->triples.count; i++)
        for (int j = 0; j < 3; j++) {
            Triple triple = triples_at(node->triples)[i];
            int move = triple.cells[j];
            set(&hot, move);
            if (has(&seen, move) || !has(&focus, move)) continue;
            if (!has(&was_reached, move)) {
                set(&was_reached, move);
                reached_order[reached_count++] = (u8)move;
                reached[move] = seen;
                meeting[move] = (Mask){{0}};
            }
            Pair pair = triple_without(triple, move);
            int a = has(&reached[move], pair.a), b = has(&reached[move], pair.b);
            if (a) set(&meeting[move], pair.a);
            if (b) set(&meeting[move], pair.b);
            if ((a || b) && !has(&with_meeting, move)) {
                set(&with_meeting, move);
                threes[three_count++] = (u8)move;
            }
            set(&reached[move], pair.a);
            set(&reached[move], pair.b);
        }
    if (block != NONE || scope == WIDE) hot = seen;
    node->children = (List){children_count, 0};
    for (int i = 0; i < partner_count; i++) {
        int move = order[i];
        if (has(&focus, move) && has(&hot, move))
            add_child(node, child_of(number, move, partners[move], node->pairs, node->triples, node->counters), move);
    }
    for (u32 i = 0; i < node->counters.count; i++) {
        set(&counters, pairs_at(node->counters)[i].a);
        set(&counters, pairs_at(node->counters)[i].b);
    }
    for (int i = 0; i < three_count && !broken_off; i++) {
        Mask answers;
        if (answers_to(node->triples, threes[i], &meeting[threes[i]], partners, &answers))
            add_child(node, after_three(number, threes[i], both(&answers, &counters)), threes[i]);
        else if (is_wide) add_threat(number, threes[i]);
    }
    for (int i = 0; i < reached_count && is_wide && !broken_off; i++)
        if (!has(&with_meeting, reached_order[i])) add_threat(number, reached_order[i]);
    if (block != NONE && !node->children.count && !broken_off) add_threat(number, block);
    node->expanded = !broken_off;
}

/* Expands a node of the defender, in the current position: with the answers to a three that leave no win by fours. */
static void expand_defence(u32 number) {
    u32 left_open[MAX_CELLS + 1];
    u8 answers[MAX_CELLS + 1];
    int open = 0;
    Node *node = &nodes[number];
    int move = node->move;
    List pairs = new_list();
    int count = copy_pairs(pairs_at(pairs), node->pairs, move, NONE);
    pairs = end_pairs(pairs, add_pairs_of_triples(pairs_at(pairs), count, node->triples, move));
    List triples = new_list();
    count = copy_triples(triples_at(triples), node->triples, move, NONE);
    triples = end_triples(triples, add_made_triples(move, triples_at(triples), count));
    List counters = new_list();
    counters = end_pairs(counters, copy_pairs(pairs_at(counters), node->counters, move, NONE));
    Mask left = node->answers;
    for (int cell = 0; cell < cell_count; cell++) {
        if (!has(&left, cell)) continue;
        u32 at = child_of(number, NONE, cell, pairs, triples, counters);
        Node *child = &nodes[at];
        if (!child->searched_fours) {
            fill(1, cell);
            int won = find_fours(child);
            empty(1, cell);
            if (broken_off) return;
            if (won) {
                Mask stops = refuters();
                for (int i = 0; i < WORDS; i++) left.words[i] &= stops.words[i];
            }
        }
        if (!child->proof) continue;
        answers[open] = (u8)cell;
        left_open[open++] = at;
        if (only_cell(&child->answers) == -1) end_node(child, 0);
        if (!child->disproof) break;
    }
    node->children = (List){children_count, 0};
    for (int i = 0; i < open; i++) add_child(node, left_open[i], answers[i]);
    node->expanded = 1;
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
