/* The small boards of ultimate as states, what each is worth, and the estimate of a position.

   A small board is one number, its state, in base 3. Place p counts 3^p times 0 (free), 1 (X) or 2 (O):

       places   0 1 2      X . O        1*1  + 0*3    + 2*9
                3 4 5      . X .      + 0*27 + 1*81   + 0*243       = 1,558, one of 19,683 states
                6 7 8      O . .      + 2*729 + 0*2187 + 0*6561

   So a move in it is an addition, and what follows from the marks is looked up.

   The worth of an undecided state comes from the random-turn game: before each mark a coin decides which side places it, and
   both sides play well. One pass over all states gives each one the exact chance that X wins the board, and the chance that
   O does. Blocked lines and cells that complete two lines need no rule of their own. (Y. Peres, O. Schramm, S. Sheffield,
   D. Wilson, "Random-Turn Hex and Other Selection Games", 2007.)

   The evaluation of the large board is a sum over its eight lines. A line is worth to X the product of X's chances in its
   three boards, so a board that O has won makes the line worth nothing to X. The side to move is credited with part of the
   best mark that it can make in the board where it has to play. */

#include "memory.h"

#pragma STDC FP_CONTRACT OFF

#define STATES 19683
#define CLASSES 256
#define X_WON 1
#define O_WON 2
#define FREE 9
#define DRAWN 3
#define ALL_CLOSED 511
#define LINE 10000.0
#define TEMPO 0.6

/* The numbers of a state that an evaluation uses: X's chance and O's; by how much X's best mark raises X's and lowers O's; by
   how much O's best mark raises O's and lowers X's. The states have 245 different ones, their classes. */
static struct {
    double classes[CLASSES][6];
    u8 class_of[STATES], decisions[STATES];
} tables;

/* The states of the nine boards. The caller writes them before a search. */
static u16 boards[9];
EXPORT(boards_address) int boards_address(void) { return (int)(uintptr_t)boards; }

typedef struct {
    double base, my_line[9], their_line[9], gains[10];
} Evaluation;

static const u16 POWERS[9] = {1, 3, 9, 27, 81, 243, 729, 2187, 6561};
static const u16 SMALL_LINES[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
static u16 free_places[STATES];
static u8 has_line[512];

/* Fills the decision and the class of every state. A mark makes a state's number larger, so the states after a state are
   finished before it. */
static void fill_tables(void) {
    static double chances[STATES][2];
    int class_count = 0;
    for (int mask = 0; mask < 512; mask++)
        for (int line = 0; line < 8; line++) has_line[mask] |= (mask & SMALL_LINES[line]) == SMALL_LINES[line];
    for (int state = STATES - 1; state >= 0; state--) {
        int x = 0, o = 0;
        for (int place = 0; place < 9; place++) {
            int digit = state / POWERS[place] % 3;
            x |= (digit == 1) << place;
            o |= (digit == 2) << place;
        }
        free_places[state] = (u16)(511 & ~(x | o));
        int decision = has_line[x] ? X_WON : has_line[o] ? O_WON : free_places[state] ? 0 : DRAWN;
        tables.decisions[state] = (u8)decision;
        double own[2] = {decision == X_WON, decision == O_WON};
        const double *best_x = own, *best_o = own;
        if (!decision) {
            double most = -2.0, least = 2.0;
            for (int places = free_places[state]; places; places &= places - 1) {
                int power = POWERS[__builtin_ctz((unsigned)places)];
                const double *by_x = chances[state + power], *by_o = chances[state + 2 * power];
                if (by_x[0] - by_x[1] > most) {
                    most = by_x[0] - by_x[1];
                    best_x = by_x;
                }
                if (by_o[0] - by_o[1] < least) {
                    least = by_o[0] - by_o[1];
                    best_o = by_o;
                }
            }
            for (int side = 0; side < 2; side++) chances[state][side] = (best_x[side] + best_o[side]) / 2;
            own[0] = chances[state][0];
            own[1] = chances[state][1];
        } else {
            chances[state][0] = own[0];
            chances[state][1] = own[1];
        }
        double numbers[6] = {own[0], own[1], best_x[0] - own[0], own[1] - best_x[1], best_o[1] - own[1], own[0] - best_o[0]};
        int number = 0;
        for (; number < class_count; number++) {
            int same = 0;
            for (int i = 0; i < 6; i++) same += tables.classes[number][i] == numbers[i];
            if (same == 6) break;
        }
        if (number == class_count) {
            for (int i = 0; i < 6; i++) tables.classes[number][i] = numbers[i];
            class_count++;
        }
        tables.class_of[state] = (u8)number;
    }
}

/* Writes each board's factor in the sum of the large lines. Returns the sum. */
static inline double lines_through(const double *chances, double *lines) {
    double a = chances[0], b = chances[1], c = chances[2], d = chances[3], e = chances[4];
    double f = chances[5], g = chances[6], h = chances[7], i = chances[8];
    double ei = e * i, cf = c * f, cg = c * g, top = d * f, bottom = g * h, middle = b * h;
    lines[0] = b * c + d * g + ei;
    lines[1] = a * c + e * h;
    lines[2] = a * b + f * i + e * g;
    lines[3] = a * g + e * f;
    lines[4] = top + middle + a * i + cg;
    lines[5] = d * e + c * i;
    lines[6] = h * i + a * d + c * e;
    lines[7] = g * i + b * e;
    lines[8] = bottom + cf + a * e;
    return a * lines[0] + e * (top + middle + cg) + i * (bottom + cf);
}

static inline void evaluate(int side, Evaluation *evaluation) {
    double mine[9], theirs[9];
    const double *class_at[9];
    for (int board = 0; board < 9; board++) {
        class_at[board] = tables.classes[tables.class_of[boards[board]]];
        mine[board] = class_at[board][side];
        theirs[board] = class_at[board][side ^ 1];
    }
    double my_total = lines_through(mine, evaluation->my_line);
    double their_total = lines_through(theirs, evaluation->their_line);
    evaluation->base = LINE * (my_total - their_total);
    /* The opponent's best mark: by how much it raises its own chance, and lowers mine. */
    int more = side ? 2 : 4, less = side ? 3 : 5;
    double most = 0.0;
    for (int board = 0; board < 9; board++) {
        const double *numbers = class_at[board];
        double gain = LINE * TEMPO
            * (numbers[more] * evaluation->their_line[board] + numbers[less] * evaluation->my_line[board]);
        evaluation->gains[board] = gain;
        if (!board || gain > most) most = gain;
        evaluation->my_line[board] *= LINE;
        evaluation->their_line[board] *= LINE;
    }
    evaluation->gains[FREE] = most;
}

static inline double chance(int state, int side) { return tables.classes[tables.class_of[state]][side]; }

/* One open board before a mark in it: its state, what its outcome is worth, and the estimate of all else. */
typedef struct {
    int state;
    double my_line, their_line, elsewhere;
} Local;

static inline Local local_of(const Evaluation *evaluation, int side, int board) {
    int state = boards[board];
    double my_line = evaluation->my_line[board], their_line = evaluation->their_line[board];
    double elsewhere = evaluation->base - chance(state, side) * my_line + chance(state, side ^ 1) * their_line;
    return (Local){state, my_line, their_line, elsewhere};
}

static inline int state_after(const Local *local, int side, int place) { return local->state + (side + 1) * POWERS[place]; }

/* The estimate of a position in which the board has this state, without what the opponent gains by the board to play in. */
static inline double estimate_with(const Local *local, int side, int after) {
    return local->elsewhere + chance(after, side) * local->my_line - chance(after, side ^ 1) * local->their_line;
}
