/* Solve all undecided positions of four in a row with a number of marks: a win, a draw or a loss of the side to move.
 *
 *     values MARKS STATE THREADS MIB       solve the positions that STATE does not have yet, with a table of MIB
 *     values MARKS STATE                   print a line "KEY VALUE" for each position that STATE has
 *
 * In a quiet position neither side can complete a line with its next mark. In a forced position the other side could complete
 * one in a single cell, and the side to move can fill that cell. All others are decided at once. Mirror images count once:
 * the key is the smaller `me + occupied` of the two, as in server/noughts/engine/four_in_a_row/search.py, whose masks this
 * program uses.
 *
 * STATE is a file with one byte for each position: `w`, `d`, `l`, or zero while it is unknown. It holds the quiet positions in
 * the order of their keys, then the forced positions in the order of theirs. All threads write to it in place, so the program
 * can be stopped at any moment, and goes on where it was.
 *
 * A search looks at the table seven times in each node, and without care it waits for memory most of its time. So there are
 * two kinds of tables. The threads share one, without locks, for the positions with few marks, which many searches meet: an
 * entry is one word with its whole key. Each thread has a small one for the others, which fits into its core's cache.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t mask;
enum { CELLS = 42, MIRROR_PLIES = 14, MOST_MARKS = 14 };             /* mirror images share entries up to that ply */
static const mask BOTTOM = 0x0040810204081, FULL = BOTTOM * 63, ODD_ROWS = BOTTOM * 21, EVEN_ROWS = BOTTOM * 42;
static const int CENTRE_FIRST[7] = {3, 2, 4, 1, 5, 0, 6};
#define COLUMN(c) ((mask)63 << 7 * (c))

/* Entries in buckets. The small tables of the threads have the positions with NEAR_MARKS and more. */
enum { BUCKET = 4, NEAR_MARKS = 24, NEAR_BUCKETS = 24576 };
struct table { uint64_t *entries, buckets; };
static struct table far;
static _Thread_local struct table near;

static void stop(const char *reason) { fprintf(stderr, "values: %s\n", reason); exit(1); }

/* --- positions ---------------------------------------------------------------------------------------------------- */

/* Return the free cells where one more of these marks completes a line. */
static mask winning(mask marks, mask occupied) {
    mask cells = marks << 1 & marks << 2 & marks << 3;
    for (int step = 6; step <= 8; step++) {
        mask above = marks << step & marks << 2 * step, below = marks >> step & marks >> 2 * step;
        cells |= above & (marks << 3 * step | marks >> step);
        cells |= below & (marks << step | marks >> 3 * step);
    }
    return cells & (occupied ^ FULL);
}

static int has_line(mask marks) {
    static const int steps[4] = {1, 6, 7, 8};
    for (int i = 0; i < 4; i++) {
        mask pairs = marks & marks >> steps[i];
        if (pairs & pairs >> 2 * steps[i]) return 1;
    }
    return 0;
}

static mask mirrored(mask m) {
    mask image = 0;
    for (int column = 0; column < 7; column++) image |= (m >> 7 * column & 127) << 7 * (6 - column);
    return image;
}

static uint64_t key_of(mask me, mask occupied, int ply) {
    uint64_t key = me + occupied, image = ply < MIRROR_PLIES ? mirrored(me) + mirrored(occupied) : key;
    return key < image ? key : image;
}

/* Store the masks of a key: in each column the highest bit of key + 1 gives the number of marks. */
static void position_of(uint64_t key, mask *me, mask *occupied) {
    *me = *occupied = 0;
    for (int column = 0; column < 7; column++) {
        unsigned part = key >> 7 * column & 127, bar = (1u << (31 - __builtin_clz(part + 1))) - 1;
        *me |= (mask)(part - bar) << 7 * column;
        *occupied |= (mask)bar << 7 * column;
    }
}

static int ascending(const void *a, const void *b) {
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* Return the moves that stop the other side from completing a line at once, and above the cell of the move. */
static mask safe_moves(mask theirs, mask occupied) {
    mask open = (occupied + BOTTOM) & FULL, forced = theirs & open;
    return (forced ? forced & (forced - 1) ? 0 : forced : open) & ~(theirs >> 1);
}

/* Return the keys of all undecided positions with this many marks, the quiet ones first, and store their number. */
static uint64_t *undecided_positions(int marks, long *count) {
    uint64_t *layer = calloc(1, sizeof *layer), *chosen;
    long size = 1;
    for (int ply = 0; ply < marks; ply++) {
        uint64_t *next = malloc(sizeof *next * size * 7);
        long all = 0;
        if (!next) stop("out of memory");
        for (long i = 0; i < size; i++) {
            mask me, occupied;
            position_of(layer[i], &me, &occupied);
            for (int column = 0; column < 7; column++) {
                mask move = (occupied + BOTTOM) & COLUMN(column);
                if (move && !has_line(me | move)) next[all++] = key_of(me ^ occupied, occupied | move, ply + 1);
            }
        }
        qsort(next, all, sizeof *next, ascending);
        size = 0;
        for (long i = 0; i < all; i++)
            if (!i || next[i] != next[i - 1]) next[size++] = next[i];
        free(layer);
        layer = next;
    }
    chosen = malloc(sizeof *chosen * size);
    if (!chosen) stop("out of memory");
    *count = 0;
    for (int forced = 0; forced < 2; forced++) {
        for (long i = 0; i < size; i++) {
            mask me, occupied;
            position_of(layer[i], &me, &occupied);
            mask open = (occupied + BOTTOM) & FULL, theirs = winning(me ^ occupied, occupied);
            if (winning(me, occupied) & open || !(theirs & open) == forced) continue;
            if (!forced || safe_moves(theirs, occupied)) chosen[(*count)++] = layer[i];
        }
    }
    free(layer);
    return chosen;
}

/* --- what a reply above each mark is worth -------------------------------------------------------------------------- */

/* Return the cells of rows 3 and 5 above those where a reply completes a line: the game ends before they are filled. */
static mask beyond(mask completing) { return (completing << 1 & FULL) | (completing & BOTTOM << 1) << 3; }

/* The cells of `switches` are paired, and `marks` gets one cell of each pair. Return 1 if it may complete a line however they
 * are paired, or if that takes too long to tell. */
static int pairs_leave_line(mask marks, mask switches) {
    mask cells[4];
    int count = 0, lines[3];
    if (!has_line(marks | switches)) return 0;
    if (__builtin_popcountll(switches) > 4 || has_line(marks)) return 1;
    for (mask rest = switches; rest; rest &= rest - 1) cells[count++] = rest & -rest;
    for (int i = 0; i < count; i++)
        if (has_line(marks | cells[i])) return 1;
    if (count == 2) return 0;
    for (int i = 0; i < 3; i++) lines[i] = has_line(marks | cells[0] | cells[i + 1]);
    lines[0] |= has_line(marks | cells[2] | cells[3]);
    lines[1] |= has_line(marks | cells[1] | cells[3]);
    lines[2] |= has_line(marks | cells[1] | cells[2]);
    return lines[0] + lines[1] + lines[2] > 1;                        /* two cells of one pair do not come together */
}

/* Return an upper bound of the value for the side to move (0, 1 or 2), from a rule by which the other side, the follower, can
 * reply. `completing` are the free cells where the follower completes a line.
 *
 * The follower replies above each mark, in the same column (claimeven: V. Allis, A Knowledge-based Approach of Connect-Four,
 * 1988). In a column with an odd number of free cells the first one has no partner. Such cells, the switches, are paired: the
 * reply to one is the other. So of the free cells the side to move gets those of rows 1, 3 and 5, and one switch of each pair.
 *
 * If X is to move, the number of switches is even. If O is to move, one is left over. X follows in its column too, from the
 * second cell on, if X completes a line in row 3 or 5 there: in the end O has no move but to the cell below. */
static int bound(mask mover, mask follower, mask occupied, mask completing, int ply) {
    mask rest = occupied ^ FULL, switches = (occupied + BOTTOM) & EVEN_ROWS, replies = rest & EVEN_ROWS & ~switches;
    if (!(ply & 1)) {
        mask odd = rest & ODD_ROWS & ~beyond(completing & replies);
        if (pairs_leave_line(mover | odd, switches)) return 2;
        return has_line(follower | replies) ? 0 : 1;
    }
    for (mask left = switches; left; left &= left - 1) {
        mask first = left & -left, column = COLUMN(__builtin_ctzll(first) / 7), target = completing & ODD_ROWS & column;
        if (!target) continue;
        mask below = ((target & -target) - 1) & rest & EVEN_ROWS & column;
        mask odd = rest & ODD_ROWS & ~column & ~beyond(completing & replies & ~column);
        if (!pairs_leave_line(mover | odd | below, switches ^ first)) return 0;
    }
    return 2;
}

/* --- the search --------------------------------------------------------------------------------------------------- */

/* An entry is key << 10 | work << 4 | lower << 2 | upper: the bounds of the value, 0 for a loss, 1 for a draw, 2 for a win, and
 * the binary logarithm of the nodes that they took. A new entry replaces the cheapest of its bucket. */
enum { NO_ENTRY = 2 };
static _Thread_local uint64_t nodes;

static uint64_t *bucket_of(uint64_t key, int ply) {
    const struct table *table = ply < NEAR_MARKS ? &far : &near;
    return table->entries + ((unsigned __int128)(key * 0x9E3779B97F4A7C15u) * table->buckets >> 64) * BUCKET;
}

static uint64_t entry_at(const uint64_t *slot) { return __atomic_load_n(slot, __ATOMIC_RELAXED); }

static uint64_t entry_of(const uint64_t *bucket, uint64_t key) {
    for (int i = 0; i < BUCKET; i++)
        if (entry_at(&bucket[i]) >> 10 == key) return entry_at(&bucket[i]);
    return NO_ENTRY;
}

static void store(uint64_t *bucket, uint64_t key, int goal, int reached, uint64_t work) {
    uint64_t *slot = bucket, lower = 0, upper = 2;
    for (int i = 0; i < BUCKET; i++) {
        uint64_t entry = entry_at(&bucket[i]);
        if (entry >> 10 == key) {
            slot = &bucket[i];
            lower = entry >> 2 & 3;
            upper = entry & 3;
            break;
        }
        if ((entry >> 4 & 63) < (entry_at(slot) >> 4 & 63)) slot = &bucket[i];
    }
    if (reached) lower = goal;
    else upper = goal - 1;
    work = 63 - __builtin_clzll(work | 1);
    __atomic_store_n(slot, key << 10 | work << 4 | lower << 2 | upper, __ATOMIC_RELAXED);
}

/* Return whether the value of the side to move, in a position without an immediate win, is at least `goal` (1 or 2).
 * `moves`, never empty, do not lose at once. `theirs` are the free cells that complete a line of the opponent. */
static int reaches(mask me, mask occupied, mask theirs, mask moves, int ply, int goal) {
    struct child { mask move, threats, replies; uint64_t key, *bucket; int weight; } list[7];
    mask opponent = me ^ occupied, open = (occupied + BOTTOM) & FULL;
    int count = 0, left = 0, reached = 0, theirs_to_beat = 3 - goal;
    uint64_t before = nodes++;
    if (ply >= CELLS - 2) return goal <= 1;
    uint64_t key = key_of(me, occupied, ply), *bucket = bucket_of(key, ply), entry = entry_of(bucket, key);
    if ((int)(entry >> 2 & 3) >= goal) return 1;
    if ((int)(entry & 3) < goal) return 0;
    for (int i = 0; i < 7 && !reached; i++) {
        mask move = moves & COLUMN(CENTRE_FIRST[i]), after = occupied | move;
        if (!move) continue;
        mask threats = winning(me | move, after), replies = (open ^ move) | (move << 1 & FULL), forced = replies & threats;
        if (forced) replies = forced;
        replies &= ~(threats >> 1);
        reached = forced & (forced - 1) || !replies;
        mask useful = threats & ~(theirs << 1), good = useful & (ply & 1 ? EVEN_ROWS : ODD_ROWS);
        int weight = 8 * __builtin_popcountll(useful) + 4 * __builtin_popcountll(good) - (forced ? 3 : 0);
        uint64_t child_key = key_of(opponent, after, ply + 1), *child_bucket = bucket_of(child_key, ply + 1);
        list[count++] = (struct child){move, threats, replies, child_key, child_bucket, weight};
        __builtin_prefetch(child_bucket);
    }
    for (int i = 0; i < count && !reached; i++) {
        struct child child = list[i];
        uint64_t below = entry_of(child.bucket, child.key);
        if ((int)(below >> 2 & 3) >= theirs_to_beat) continue;
        reached = (int)(below & 3) < theirs_to_beat
            || (below == NO_ENTRY
                && bound(opponent, me | child.move, occupied | child.move, child.threats, ply + 1) < theirs_to_beat);
        int at = left++;
        for (; at > 0 && list[at - 1].weight < child.weight; at--) list[at] = list[at - 1];
        list[at] = child;
    }
    for (int i = 0; i < left && !reached; i++) {
        mask move = list[i].move;
        reached = !reaches(opponent, occupied | move, list[i].threats, list[i].replies, ply + 1, theirs_to_beat);
    }
    store(bucket, key, goal, reached, nodes - before);
    return reached;
}

/* Return the value of an undecided position. */
static char value_of(uint64_t key, int ply) {
    mask me, occupied;
    position_of(key, &me, &occupied);
    mask theirs = winning(me ^ occupied, occupied), moves = safe_moves(theirs, occupied);
    if (!moves) return 'l';
    if (reaches(me, occupied, theirs, moves, ply, 2)) return 'w';
    return reaches(me, occupied, theirs, moves, ply, 1) ? 'd' : 'l';
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static struct {
    const uint64_t *keys;
    char *values;
    long count, next;
    int marks, threads;
} run;

static void *memory(size_t bytes, int file) {
    int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, kind, file, 0);
    if (memory == MAP_FAILED) stop("out of memory");
    return memory;
}

static struct table empty_table(uint64_t buckets) {
    size_t bytes = buckets * BUCKET * sizeof(uint64_t);
    struct table table = {memory(bytes, -1), buckets};
    madvise(table.entries, bytes, MADV_HUGEPAGE);
    return table;
}

static void *solve_some(void *unused) {
    near = empty_table(NEAR_BUCKETS);
    for (long at; (at = __atomic_fetch_add(&run.next, 1, __ATOMIC_RELAXED)) < run.count;)
        if (!run.values[at]) run.values[at] = value_of(run.keys[at], run.marks);
    __atomic_fetch_sub(&run.threads, 1, __ATOMIC_RELAXED);
    return unused;
}

static long solved(void) {
    long sum = 0;
    for (long i = 0; i < run.count; i++) sum += run.values[i] != 0;
    return sum;
}

/* Solve what is left in so many threads, and print the progress every second. */
static void solve(int threads) {
    long before = solved();
    time_t began = time(NULL);
    run.threads = threads;
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, solve_some, NULL)) stop("a thread cannot be started");
    }
    for (int left = threads; left;) {
        left = __atomic_load_n(&run.threads, __ATOMIC_RELAXED);
        long done = solved();
        double seconds = difftime(time(NULL), began), rate = (done - before) / (seconds > 0 ? seconds : 1);
        fprintf(stderr, "\r%ld of %ld positions, %.2f a second, about %.1f h left   ", done, run.count, rate,
                rate > 0 ? (run.count - done) / rate / 3600 : 0.0);
        if (left) sleep(1);
    }
    fputc('\n', stderr);
}

int main(int argc, char **argv) {
    int marks = argc > 2 ? atoi(argv[1]) : 0, file = argc > 2 ? open(argv[2], O_RDWR | O_CREAT, 0644) : -1;
    if (marks < 1 || marks > MOST_MARKS) stop("usage: values MARKS STATE [THREADS MIB], with 1 to 14 marks");
    run.marks = marks;
    run.keys = undecided_positions(marks, &run.count);
    if (file < 0 || ftruncate(file, run.count)) stop("the state cannot be written");
    run.values = memory(run.count, file);
    if (argc > 4) {
        far = empty_table((strtoull(argv[4], NULL, 10) << 20) / (BUCKET * sizeof(uint64_t)));
        solve(atoi(argv[3]));
        return 0;
    }
    for (long i = 0; i < run.count; i++)
        if (run.values[i]) printf("%llu %c\n", (unsigned long long)run.keys[i], run.values[i]);
    return 0;
}
