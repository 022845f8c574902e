/* Find a strategy with which X wins Qubic, and print it. `python -m tools.books qubic` compiles and runs this program.
 *
 * A node of the graph is a position with X to move, up to symmetry, from which X has no win by fours. It is proved if one
 * of X's likeliest moves leaves O no reply, or only replies to proved nodes. Replies after which X wins by fours are left
 * out (O. Patashnik, "Qubic: 4x4x4 Tic-Tac-Toe", 1980). Proof-number search chooses the node to expand next (L. V. Allis,
 * M. van der Meulen and H. J. van den Herik, "Proof-Number Search", 1994).
 *
 * The search is no proof: `make prove ARGS=qubic` proves the printed strategy.
 *
 * Output: one line an entry, "PARENT REPLY MOVE". PARENT is the number of an earlier entry, REPLY a cell of O after the
 * move of that entry, and MOVE the cell with which X wins. The first entry, the empty cube, has PARENT -1 and REPLY 0.
 */
#include <string.h>
#include <time.h>

#include "fours.h"

enum {
    OPENING = 0,               /* a corner; a cell of the middle is an image of it */
    WIDTH = 12,                /* moves of X to try at each node */
    SLOTS = 1 << 24,           /* of the hash table of nodes; a run fills 2.5 million */
    ENTRIES = 1 << 20
};
static const uint32_t INFINITE = 1000000000;

/* --- the graph ---------------------------------------------------------------------------------------------------- */

typedef struct { int move, count, *nodes; unsigned char *replies; } Branch;       /* one reply for each node */
typedef struct { mask x, o; uint32_t proof, disproof, size; Branch *branches; unsigned char count, best, expanded, printed; } Node;
static Node *nodes;
static int node_count, node_room = 1 << 20, *slots;
static long expanded;

/* Return the node of a position. */
static int node_of(mask x, mask o) {
    mask least_x, least_o;
    canonical(x, o, &least_x, &least_o);
    uint64_t slot = hash(least_x, least_o) % SLOTS;
    for (; slots[slot] >= 0; slot = (slot + 1) % SLOTS)
        if (nodes[slots[slot]].x == least_x && nodes[slots[slot]].o == least_o) return slots[slot];
    if (node_count == SLOTS / 2) stop("too many positions");
    if (node_count == node_room) {
        node_room *= 2;
        nodes = realloc(nodes, sizeof(Node) * node_room);
        if (!nodes) stop("out of memory");
    }
    nodes[node_count] = (Node){.x = least_x, .o = least_o, .proof = 1, .disproof = 1};
    slots[slot] = node_count;
    return node_count++;
}

/* Store the replies of O after which X has no win by fours. Return 0 if O wins at once or by fours. */
static int hard_replies(mask x, mask o, mask *hard) {
    Win win;
    mask fours = completions(x, o, lines, LINES), candidates = fours;
    *hard = 0;
    if (completions(o, x, lines, LINES)) return 0;
    if (fours & (fours - 1)) return 1;
    if (!fours) {
        candidates = wins_by_fours(x, o, 0, &win) ? refuters(x, o, &win) : ~(x | o);
        if (wins_by_fours(o, x, 0, &win)) return 0;
    }
    while (candidates) {
        mask reply = candidates & -candidates;
        candidates ^= reply;
        if (!wins_by_fours(x, o | reply, completions_through(FIRST(reply), o | reply, x), &win)) *hard |= reply;
        else if (!fours) candidates &= refuters(x, o, &win);       /* a win that works here works without the reply too */
    }
    return 1;
}

static Branch branch_of(mask x, mask o, int move, mask hard) {
    int count = COUNT(hard);
    Branch branch = {move, 0, allocate(sizeof(int) * count), allocate(count)};
    for (; hard; hard &= hard - 1) {
        int node = node_of(x | BIT(move), o | (hard & -hard)), i = 0;
        while (i < branch.count && branch.nodes[i] != node) i++;
        if (i < branch.count) continue;
        branch.nodes[branch.count] = node;
        branch.replies[branch.count++] = FIRST(hard);
    }
    return branch;
}

/* Return the weight of a cell: open lines through it count by the marks that they have. */
static int weight(mask x, mask o, int cell) {
    static const int own[4] = {2, 8, 30, 0}, other[4] = {0, 4, 14, 0};
    int sum = 0;
    for (int i = 0; i < through_count[cell]; i++) {
        mask line = through[cell][i];
        if (!(line & o)) sum += own[COUNT(line & x)];
        if (!(line & x)) sum += other[COUNT(line & o)];
    }
    return sum;
}

static void expand(int number) {
    mask x = nodes[number].x, o = nodes[number].o, blocks = completions(o, x, lines, LINES), moves = ~(x | o), hard;
    int cells[CELLS], weights[CELLS], count = 0, branch_count = 0;
    Branch *branches = allocate(sizeof(Branch) * WIDTH);
    Win win;
    if (blocks) moves = blocks & (blocks - 1) ? 0 : blocks;
    else if (wins_by_fours(o, x, 0, &win)) {                        /* only these and fours of X can help */
        moves = refuters(o, x, &win);
        for (int i = 0; i < LINES; i++)
            if (!(lines[i] & o) && COUNT(lines[i] & ~x) == 2) moves |= lines[i] & ~x;
    }
    for (mask m = moves; m; m &= m - 1) {
        int heavy = weight(x, o, FIRST(m)), i = count++;
        for (; i > 0 && weights[i - 1] < heavy; i--) {
            weights[i] = weights[i - 1];
            cells[i] = cells[i - 1];
        }
        weights[i] = heavy;
        cells[i] = FIRST(m);
    }
    for (int i = 0; i < count && i < WIDTH; i++) {
        if (!hard_replies(x | BIT(cells[i]), o, &hard)) continue;
        if (!hard) branch_count = 0;                                /* no other branch is needed */
        branches[branch_count++] = branch_of(x, o, cells[i], hard);
        if (!hard) break;
    }
    nodes[number].branches = branches;
    nodes[number].count = branch_count;
    nodes[number].expanded = 1;
    expanded++;
}

/* Compute a node's proof and disproof numbers from those of the nodes below. */
static void update(int number) {
    Node *node = &nodes[number];
    uint64_t disproofs = 0;
    uint32_t proof = INFINITE;
    for (int i = 0; i < node->count; i++) {
        uint64_t proofs = 0;
        uint32_t disproof = INFINITE;
        for (int j = 0; j < node->branches[i].count; j++) {
            Node *below = &nodes[node->branches[i].nodes[j]];
            proofs += below->proof;
            if (below->disproof < disproof) disproof = below->disproof;
        }
        if (proofs < proof) {
            proof = proofs;
            node->best = i;
        }
        disproofs += disproof;
    }
    node->proof = proof;
    node->disproof = !proof || disproofs > INFINITE ? INFINITE : disproofs;
}

static void prove(int root) {
    time_t shown_at = 0;
    while (nodes[root].proof) {
        int path[CELLS], depth = 0;
        path[0] = root;
        for (; nodes[path[depth]].expanded; depth++) {
            update(path[depth]);
            Node *node = &nodes[path[depth]];
            if (!node->proof || node->proof >= INFINITE) break;     /* it was proved on another path meanwhile */
            Branch *branch = &node->branches[node->best];
            int next = -1;
            for (int i = 0; i < branch->count; i++) {
                Node *below = &nodes[branch->nodes[i]];
                if (below->proof && (next < 0 || below->disproof < nodes[next].disproof)) next = branch->nodes[i];
            }
            path[depth + 1] = next;
        }
        if (!nodes[path[depth]].expanded) expand(path[depth]);
        for (; depth >= 0; depth--) update(path[depth]);
        if (nodes[root].proof >= INFINITE) stop("no proof: the reply is not lost with these moves of X");
        if (time(NULL) != shown_at) {
            shown_at = time(NULL);
            fprintf(stderr, "\rqubic: %ld positions expanded, %d met, proof number %u   ", expanded, node_count, nodes[root].proof);
        }
    }
}

/* --- the strategy ------------------------------------------------------------------------------------------------- */

/* Return the entries of the smallest strategy below a proved node, and note its branch. Shared ones count repeatedly. */
static uint32_t size_of(int number) {
    Node *node = &nodes[number];
    uint64_t least = UINT32_MAX;
    if (node->size) return node->size;
    for (int i = 0; i < node->count; i++) {
        uint64_t sum = 1;
        for (int j = 0; j < node->branches[i].count; j++) {
            int below = node->branches[i].nodes[j];
            sum += nodes[below].proof ? UINT32_MAX : size_of(below);
        }
        if (sum >= least) continue;
        least = sum;
        node->best = i;
    }
    return node->size = least;
}

static struct { mask x, o; } entries[ENTRIES];
static int entry_count;

static void enter(mask x, mask o, int parent, int reply) {
    mask least_x, least_o;
    int number = node_of(x, o), s = canonical(x, o, &least_x, &least_o);
    if (nodes[number].printed) return;
    if (entry_count == ENTRIES) stop("too many entries");
    size_of(number);
    nodes[number].printed = 1;
    entries[entry_count].x = x;
    entries[entry_count++].o = o;
    printf("%d %d %d\n", parent, reply, origin[s][nodes[number].branches[nodes[number].best].move]);
}

static void print_strategy(void) {
    enter(0, 0, -1, 0);
    for (int i = 0; i < entry_count; i++) {
        mask least_x, least_o, replies = 0;
        int s = canonical(entries[i].x, entries[i].o, &least_x, &least_o);
        Node *node = &nodes[node_of(entries[i].x, entries[i].o)];
        Branch *branch = &node->branches[node->best];
        mask x = entries[i].x | BIT(origin[s][branch->move]);
        for (int j = 0; j < branch->count; j++) replies |= BIT(origin[s][branch->replies[j]]);
        for (; replies; replies &= replies - 1) enter(x, entries[i].o | (replies & -replies), i, FIRST(replies));
    }
}

int main(void) {
    make_lines();
    make_symmetries();
    failures = calloc(FAILURES, sizeof *failures);
    nodes = allocate(sizeof(Node) * node_room);
    slots = allocate(sizeof(int) * SLOTS);
    if (!failures) stop("out of memory");
    memset(slots, 255, sizeof(int) * SLOTS);
    int root = node_of(0, 0);
    Branch *opening = allocate(sizeof(Branch));
    *opening = branch_of(0, 0, OPENING, ~BIT(OPENING));
    nodes[root].branches = opening;
    nodes[root].count = nodes[root].expanded = 1;
    for (int i = 0; i < opening->count; i++) prove(opening->nodes[i]);
    update(root);
    print_strategy();
    fprintf(stderr, "\rqubic: %ld positions expanded, %d met, %d entries\n", expanded, node_count, entry_count);
    return 0;
}
