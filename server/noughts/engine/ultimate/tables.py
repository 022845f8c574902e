"""Ultimate's tables: the worth of every state of a small board, and the evaluation of nine of them.

A small board's state is a number in base 3. Place ``p`` counts ``3**p`` times 0 (free), 1 (X) or 2 (O), so there are
19,683 states.

The worth of an undecided state comes from the *random-turn* game: before each mark a coin decides which side places it,
and both sides play well. One pass over all states gives each state the exact chance that X wins the board, and the
chance that O does. Blocked lines and cells that complete two lines need no extra rule. (Random-turn games: Peres,
Schramm, Sheffield and Wilson, 2007.)

The evaluation of the large board is a sum over its eight lines. A line is worth to X the product of X's chances in its
three boards, so a board that O has won makes the line worth nothing to X. The side to move is credited with part of the
best mark that it can make in the board where it has to play.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from noughts.rules.ultimate import SMALL_LINES

STATES: Final = 3**9
POWER: Final = tuple(3**place for place in range(9))
X_WON: Final = 1
O_WON: Final = 2
DRAWN: Final = 3

LINE: Final = 10_000
"""The worth of a complete large line in an evaluation."""
MY_LINES: Final = 1
THEIR_LINES: Final = 10
GAINS: Final = 19
TEMPO: Final = 0.6
"""The share of its best mark that the side to move is credited with."""

Chances: TypeAlias = tuple[float, float]
"""The chance that X wins the board, and that O does."""
Class: TypeAlias = tuple[float, float, float, float, float, float]
"""The numbers of a state that the evaluation uses: X's chance and O's; by how much X's best mark raises X's and lowers
O's; by how much O's best mark raises O's and lowers X's. There are 245 classes."""
Evaluation: TypeAlias = tuple[float, ...]
"""The result of :func:`evaluate`, for the side to move: the worth of the boards; from ``MY_LINES`` the factor of its own
chance in each board; from ``THEIR_LINES`` the factor of the opponent's; from ``GAINS`` the opponent's gain if it is
sent to each board, and last if it may choose. One flat tuple, so that the garbage collector does not track it."""
Successor: TypeAlias = tuple[int, int, int]
"""The place of a mark, the state after it, and the decision of the board then."""


def _marks() -> tuple[list[int], list[int]]:
    """Return for each state the masks of the places that X and O have."""
    x_marks, o_marks = [0], [0]
    for place in range(9):
        bit = 1 << place
        x_marks = [*x_marks, *[marks | bit for marks in x_marks], *x_marks]
        o_marks = [*o_marks, *o_marks, *[marks | bit for marks in o_marks]]
    return x_marks, o_marks


class Successors(dict[int, tuple[Successor, ...]]):
    """The successors of each open state by a mark of one side, computed when they are first looked up.

    A decided state has none.
    """

    __slots__ = ("_decisions", "_digit")

    def __init__(self, side: int, decisions: list[int]) -> None:
        super().__init__()
        self._digit = side + 1
        self._decisions = decisions

    def __missing__(self, state: int) -> tuple[Successor, ...]:
        free = [] if self._decisions[state] else [place for place in range(9) if not state // POWER[place] % 3]
        marked = [(place, state + self._digit * POWER[place]) for place in free]
        self[state] = successors = tuple([(place, new, self._decisions[new]) for place, new in marked])
        return successors


class Tables:
    """The tables that the search reads, made once."""

    def __init__(self) -> None:
        x_marks, o_marks = _marks()
        has_line = [any(marks & line == line for line in SMALL_LINES) for marks in range(512)]
        free_powers = [[POWER[place] for place in range(9) if not marks >> place & 1] for marks in range(512)]
        self.decisions: list[int] = [
            X_WON if has_line[x] else O_WON if has_line[o] else DRAWN if x | o == 511 else 0
            for x, o in zip(x_marks, o_marks, strict=True)
        ]
        chances: list[Chances] = [(0.0, 0.0)] * STATES
        leads = [0.0] * STATES  # X's chance less O's
        classes: dict[Class, int] = {}
        self.class_of: list[int] = [0] * STATES
        # A mark makes the state's number larger, so this order visits all successors of a state before the state.
        for state in range(STATES - 1, -1, -1):
            decision = self.decisions[state]
            if decision:
                own = (1.0, 0.0) if decision == X_WON else (0.0, 1.0) if decision == O_WON else (0.0, 0.0)
                best_x = best_o = own
            else:
                by_x = by_o = -1
                most, least = -2.0, 2.0
                for power in free_powers[x_marks[state] | o_marks[state]]:
                    lead = leads[state + power]
                    if lead > most:
                        most, by_x = lead, state + power
                    lead = leads[state + 2 * power]
                    if lead < least:
                        least, by_o = lead, state + 2 * power
                best_x, best_o = chances[by_x], chances[by_o]
                own = (best_x[0] + best_o[0]) / 2, (best_x[1] + best_o[1]) / 2
            chances[state] = own
            (x, o), (x_by_x, o_by_x), (x_by_o, o_by_o) = own, best_x, best_o
            leads[state] = x - o
            state_class = (x, o, x_by_x - x, o - o_by_x, o_by_o - o, x - x_by_o)
            self.class_of[state] = classes.setdefault(state_class, len(classes))
        self.successors: tuple[Successors, Successors] = Successors(0, self.decisions), Successors(1, self.decisions)
        self.chances = ([x for x, _ in chances], [o for _, o in chances])
        """The chance of each side (X, O) in each state."""
        self.classes = list(classes)
        self.class_at = [[number << 8 * board for number in self.class_of] for board in range(9)]
        self.cache: dict[int, Evaluation] = {}
        """Results of :func:`evaluate`. The search fills it and bounds its size."""

    @staticmethod
    def state_of(x: int, o: int) -> int:
        """Return the state with these marks, given as masks of places."""
        return sum(POWER[place] * ((x >> place & 1) + 2 * (o >> place & 1)) for place in range(9))


def evaluate(classes: list[Class], class_key: int, side: int) -> Evaluation:
    """Evaluate nine small boards for ``side``, to move. ``class_key`` holds the class of each, 8 bits, board 0 lowest."""
    boards = [classes[class_key >> shift & 255] for shift in range(0, 72, 8)]
    x_total, x_lines = _through([board[0] for board in boards])
    o_total, o_lines = _through([board[1] for board in boards])
    scale = LINE * TEMPO
    if side:
        total, mine, theirs = o_total - x_total, o_lines, x_lines
        gains = [
            scale * (x_more * x_line + o_less * o_line)
            for (_, _, x_more, o_less, _, _), x_line, o_line in zip(boards, x_lines, o_lines, strict=True)
        ]
    else:
        total, mine, theirs = x_total - o_total, x_lines, o_lines
        gains = [
            scale * (o_more * o_line + x_less * x_line)
            for (_, _, _, _, o_more, x_less), x_line, o_line in zip(boards, x_lines, o_lines, strict=True)
        ]
    return (LINE * total, *[LINE * line for line in mine], *[LINE * line for line in theirs], *gains, max(gains))


def _through(chances: list[float]) -> tuple[float, tuple[float, ...]]:
    """Return the sum over the eight lines of the product of their three chances, and each board's factor in that sum.

    The terms are written out because every second node needs them.
    """
    a, b, c, d, e, f, g, h, i = chances
    ei, ch, cg = e * i, c * f, c * g
    top, bottom, middle = d * f, g * h, b * h
    lines = (
        b * c + d * g + ei,
        a * c + e * h,
        a * b + f * i + e * g,
        a * g + e * f,
        top + middle + a * i + cg,
        d * e + c * i,
        h * i + a * d + c * e,
        g * i + b * e,
        bottom + ch + a * e,
    )
    return a * lines[0] + e * (top + middle + cg) + i * (bottom + ch), lines
