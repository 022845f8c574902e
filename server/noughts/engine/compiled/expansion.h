/* How a position in the tree of a search for wins by threes is expanded.

   After each answer a search for a win by fours runs. If there is a win, every answer that cannot refute it loses too, and is
   not tried. So only the answers that need a further three come into the tree. The defender may answer with a four, which the
   attacker must answer in turn. That answer need not be a four or a three: the attack stands as long as a win by fours still
   threatens. The defender's answers are then the moves that may refute it. */

#include "threes.h"

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
