/* The search of the programs that solve early positions of four in a row, and their run.
 *
 * A *number* is the value of a position for the side to move: from 0 for the worst to TOP for the best. The program that includes
 * this file defines TOP, BOUND_BITS (how many bits a number takes) and three functions.
 *
 * A search looks at the table seven times in each node, and without care it waits for memory most of its time. So there are
 * two kinds of tables. The threads share one, without locks, for the positions with few marks, which many searches meet: an
 * entry is one word with its whole key. Each thread has a small one for the others, which fits into its core's cache.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "positions.h"

/* How many lines go through each cell. */
static const int LINES[49] = {
    3, 4, 5, 5, 4, 3, 0, 4, 6, 8, 8, 6, 4, 0, 5, 8, 11, 11, 8, 5, 0, 7, 10, 13, 13, 10, 7, 0,
    5, 8, 11, 11, 8, 5, 0, 4, 6, 8, 8, 6, 4, 0, 3, 4, 5, 5, 4, 3, 0};
static const masks COLUMNS_CENTRE_FIRST = {COLUMN(3), COLUMN(2), COLUMN(4), COLUMN(1), COLUMN(5), COLUMN(0), COLUMN(6), 0};
enum { DRAW = TOP / 2 };

/* Return the letter of an undecided position. */
static char letter_of(uint64_t key, int ply);
/* Return the value of an undecided position if it is known without a search: 0 for a loss, 1 for a draw, 2 for a win, or -1. */
static int known_value(mask me, mask occupied, int ply);
/* Return the least and the most that the number of such a ply may be, if neither side completes a line with its next mark. */
static int least_number(int ply);
static int most_number(int ply);

/* Entries in buckets. The small tables of the threads have the positions with NEAR_MARKS and more. */
enum { BUCKET = 4, NEAR_MARKS = 24, NEAR_BUCKETS = 24576 };
struct table { uint64_t *entries, buckets; };
static struct table far;
static _Thread_local struct table near;

/* --- the search --------------------------------------------------------------------------------------------------- */

/* An entry is the key, the binary logarithm of the nodes that it took, the lower and the upper bound of the number. A new entry
 * replaces the cheapest of its bucket. */
enum { NO_ENTRY = TOP, BOUND_MASK = (1 << BOUND_BITS) - 1, KEY_AT = 15, WORK_MASK = (1 << (KEY_AT - 2 * BOUND_BITS)) - 1 };
static _Thread_local uint64_t nodes;

static int lower(uint64_t entry) { return entry >> BOUND_BITS & BOUND_MASK; }
static int upper(uint64_t entry) { return entry & BOUND_MASK; }
static int work_of(uint64_t entry) { return entry >> 2 * BOUND_BITS & WORK_MASK; }

/* Return the least and the highest number of a value. */
static int lowest_number(int value) { return value == 2 ? DRAW + 1 : value == 1 ? DRAW : 0; }
static int highest_number(int value) { return value == 2 ? TOP : value == 1 ? DRAW : DRAW - 1; }

static uint64_t *bucket_of(uint64_t key, int ply) {
    const struct table *table = ply < NEAR_MARKS ? &far : &near;
    return table->entries + ((unsigned __int128)(key * 0x9E3779B97F4A7C15u) * table->buckets >> 64) * BUCKET;
}

static uint64_t entry_at(const uint64_t *slot) { return __atomic_load_n(slot, __ATOMIC_RELAXED); }

static uint64_t entry_of(const uint64_t *bucket, uint64_t key) {
    for (int i = 0; i < BUCKET; i++)
        if (entry_at(&bucket[i]) >> KEY_AT == key) return entry_at(&bucket[i]);
    return NO_ENTRY;
}

static void store(uint64_t *bucket, uint64_t key, int goal, int reached, uint64_t nodes_taken) {
    uint64_t *slot = bucket, least = 0, most = TOP, work = (63 - __builtin_clzll(nodes_taken | 1)) / WORK_STEP;
    for (int i = 0; i < BUCKET; i++) {
        uint64_t entry = entry_at(&bucket[i]);
        if (entry >> KEY_AT == key) {
            slot = &bucket[i];
            least = lower(entry);
            most = upper(entry);
            break;
        }
        if (work_of(entry) < work_of(entry_at(slot))) slot = &bucket[i];
    }
    if (reached) least = goal;
    else most = goal - 1;
    if (work > WORK_MASK) work = WORK_MASK;
    __atomic_store_n(slot, key << KEY_AT | work << 2 * BOUND_BITS | least << BOUND_BITS | most, __ATOMIC_RELAXED);
}

/* Return whether the side to move has a mark after which it wins with the next one, whatever the reply is. */
static int wins_with_next(mask me, mask occupied, mask moves) {
    masks each = moves & COLUMNS_CENTRE_FIRST, threats = winning_each(me | each, occupied | each);
    masks replies = (((occupied + BOTTOM) & FULL) ^ each) | (each << 1 & FULL), forced = replies & threats;
    replies = forced | (replies & (masks)(forced == 0));
    masks wins = (masks)(each != 0) & ((masks)((forced & (forced - 1)) != 0) | (masks)((replies & ~(threats >> 1)) == 0));
    mask any = 0;
    for (int i = 0; i < 7; i++) any |= wins[i];
    return any != 0;
}

/* Return whether the number of the side to move, in a position without an immediate win, is at least `goal` (1 to TOP).
 * `moves`, never empty, do not lose at once. `theirs` are the free cells that complete a line of the opponent. */
static int reaches(mask me, mask occupied, mask theirs, mask moves, int ply, int goal) {
    struct child { mask move, threats, replies; uint64_t key, *bucket; int weight; } list[7];
    mask opponent = me ^ occupied, open = (occupied + BOTTOM) & FULL;
    int count = 0, left = 0, reached = 0, theirs_to_beat = TOP + 1 - goal;
    uint64_t before = nodes++;
    if (ply >= CELLS - 2) return goal <= DRAW;
    if (goal <= least_number(ply)) return 1;
    if (goal > most_number(ply)) return wins_with_next(me, occupied, moves);
    int is_last = ply < CELLS - 3 && theirs_to_beat > most_number(ply + 1); /* the children need no search, and no entry */
    uint64_t key = key_of(me, occupied, ply), *bucket = bucket_of(key, ply), entry = is_last ? NO_ENTRY : entry_of(bucket, key);
    if (lower(entry) >= goal) return 1;
    if (upper(entry) < goal) return 0;
    masks each_move = moves & COLUMNS_CENTRE_FIRST, each_threats = winning_each(me | each_move, occupied | each_move);
    for (int i = 0; i < 7 && !reached; i++) {
        mask move = each_move[i], after = occupied | move;
        if (!move) continue;
        mask threats = each_threats[i], replies = (open ^ move) | (move << 1 & FULL), forced = replies & threats;
        if (forced) replies = forced;
        replies &= ~(threats >> 1);
        reached = forced & (forced - 1) || !replies;
        if (is_last) {
            reached = reached || !wins_with_next(opponent, after, replies);
            continue;
        }
        mask useful = threats & ~(theirs << 1), good = useful & (ply & 1 ? EVEN_ROWS : ODD_ROWS);
        int weight = 8 * __builtin_popcountll(useful) + 4 * __builtin_popcountll(good) - (forced ? 3 : 0);
        uint64_t child_key = key_of(opponent, after, ply + 1), *child_bucket = bucket_of(child_key, ply + 1);
        list[count++] = (struct child){move, threats, replies, child_key, child_bucket, weight};
        __builtin_prefetch(child_bucket);
    }
    for (int i = 0; i < count && !reached; i++) {
        struct child child = list[i];
        uint64_t below = entry_of(child.bucket, child.key);
        if (lower(below) >= theirs_to_beat) continue;
        reached = upper(below) < theirs_to_beat;
        if (below == NO_ENTRY) {
            int value = known_value(opponent, occupied | child.move, ply + 1);
            if (value >= 0 && lowest_number(value) >= theirs_to_beat) continue;
            if (value < 0) value = bound(opponent, me | child.move, occupied | child.move, child.threats, ply + 1);
            reached = highest_number(value) < theirs_to_beat;
        }
        child.weight = child.weight * 16 + LINES[__builtin_ctzll(child.move)];
        int at = left++;
        for (; at > 0 && list[at - 1].weight < child.weight; at--) list[at] = list[at - 1];
        list[at] = child;
    }
    for (int i = 0; i < left && !reached; i++) {
        mask move = list[i].move;
        reached = !reaches(opponent, occupied | move, list[i].threats, list[i].replies, ply + 1, theirs_to_beat);
    }
    if (!is_last) store(bucket, key, goal, reached, nodes - before);
    return reached;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static struct {
    const uint64_t *keys;
    char *letters;
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
        if (!run.letters[at]) run.letters[at] = letter_of(run.keys[at], run.marks);
    __atomic_fetch_sub(&run.threads, 1, __ATOMIC_RELAXED);
    return unused;
}

static long solved(void) {
    long sum = 0;
    for (long i = 0; i < run.count; i++) sum += run.letters[i] != 0;
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

/* Solve the positions with so many marks that the file does not have yet, or print its letters if `threads` is 0. */
static void run_program(int marks, const char *state, int threads, const char *mib) {
    int file = open(state, O_RDWR | O_CREAT, 0644);
    run.marks = marks;
    run.keys = undecided_positions(marks, &run.count);
    if (file < 0 || ftruncate(file, run.count)) stop("the state cannot be written");
    run.letters = memory(run.count, file);
    if (threads) {
        far = empty_table((strtoull(mib, NULL, 10) << 20) / (BUCKET * sizeof(uint64_t)));
        solve(threads);
        return;
    }
    for (long i = 0; i < run.count; i++)
        if (run.letters[i]) printf("%llu %c\n", (unsigned long long)run.keys[i], run.letters[i]);
}
