"""Ultimate's tables: what every state of a small board is worth, and how nine of them make a large one.

A small board's state is a number in base 3, place ``p`` counting ``3**p`` times 0 (free), 1 (X) or 2 (O): 19,683
states.

The worth of an undecided state comes from the *random-turn* game: before each mark a coin says who places it, and both
place it well. That gives each state the chance that X wins the board and the chance that O does, exactly, by one pass
over all states; marks that block and places that complete two lines need no rule of their own. (Random-turn games:
Peres, Schramm, Sheffield and Wilson, 2007.)

The large board is then judged by its eight lines: a line is worth to X the product of X's chances in its three boards,
so that a board that O holds makes it worth nothing. The side to move is credited with part of the best mark that it
may place at once in the board where it has to play.
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
"""The worth of a completed large line, the unit of :func:`judge`."""
MY_LINES: Final = 1
THEIR_LINES: Final = 10
GAINS: Final = 19
TEMPO: Final = 0.6
"""How much of its best mark the side to move is credited with."""

Chances: TypeAlias = tuple[float, float]
"""That X wins the board, that O does."""
Class: TypeAlias = tuple[float, float, float, float, float, float]
"""All that the evaluation knows of a state: X's chance and O's; by how much X's best mark raises the one and lowers
the other; by how much O's best mark raises the other and lowers the one. There are 245."""
Judged: TypeAlias = tuple[float, ...]
"""What :func:`judge` says, flat, so that the garbage collector need not look at it: the worth of the boards for the
side to move; from ``MY_LINES`` what the side's chance in each board counts for, from ``THEIR_LINES`` the other
side's, from ``GAINS`` what being sent to each board (and a free choice) gives the other side."""
Successor: TypeAlias = tuple[int, int, int]  # place, state after the mark, who has the board then (0: nobody)


def _masks(state: int) -> tuple[int, int]:
    x = o = 0
    for place in range(9):
        digit = state // POWER[place] % 3
        if digit == 1:
            x |= 1 << place
        elif digit == 2:
            o |= 1 << place
    return x, o


def _decisions() -> list[int]:
    """Who has the board in each state: 0 nobody yet, else ``X_WON``, ``O_WON`` or ``DRAWN``."""
    has_line = [any(mask & line == line for line in SMALL_LINES) for mask in range(512)]
    decided = []
    for state in range(STATES):
        x, o = _masks(state)
        decided.append(X_WON if has_line[x] else O_WON if has_line[o] else DRAWN if x | o == 511 else 0)
    return decided


class Tables:
    """Everything that the search looks up. Made once, in a tenth of a second."""

    def __init__(self) -> None:
        self.decided: list[int] = _decisions()
        free = [[place for place in range(9) if not state // POWER[place] % 3] for state in range(STATES)]
        chances: list[Chances] = [(0.0, 0.0)] * STATES
        successors: tuple[list[tuple[Successor, ...]], list[tuple[Successor, ...]]] = (
            [()] * STATES,
            [()] * STATES,
        )
        classes: dict[Class, int] = {}
        self.class_of: list[int] = [0] * STATES
        # A mark makes the state's number larger: from the last state down, all successors are known.
        for state in range(STATES - 1, -1, -1):
            decision = self.decided[state]
            if decision:
                now = (1.0, 0.0) if decision == X_WON else (0.0, 1.0) if decision == O_WON else (0.0, 0.0)
                best_x = best_o = now
            else:
                best_x, best_o = (-1.0, 1.0), (1.0, -1.0)
                for place in free[state]:
                    by_x, by_o = chances[state + POWER[place]], chances[state + 2 * POWER[place]]
                    if by_x[0] - by_x[1] > best_x[0] - best_x[1]:
                        best_x = by_x
                    if by_o[1] - by_o[0] > best_o[1] - best_o[0]:
                        best_o = by_o
                now = ((best_x[0] + best_o[0]) / 2, (best_x[1] + best_o[1]) / 2)
                for side in (0, 1):
                    after_mark = [(place, state + (side + 1) * POWER[place]) for place in free[state]]
                    successors[side][state] = tuple([(place, new, self.decided[new]) for place, new in after_mark])
            chances[state] = now
            (x, o), (x_by_x, o_by_x), (x_by_o, o_by_o) = now, best_x, best_o
            seen = (x, o, x_by_x - x, o - o_by_x, o_by_o - o, x - x_by_o)
            self.class_of[state] = classes.setdefault(seen, len(classes))
        self.successors = successors
        self.chances = ([x for x, _ in chances], [o for _, o in chances])
        """For each side, its chance in each state."""
        self.classes = list(classes)
        self.class_at = [[number << 8 * board for number in self.class_of] for board in range(9)]
        self.remembered: dict[int, Judged] = {}
        """What :func:`judge` said; the search adds to it, within a bound."""

    @staticmethod
    def state_of(x: int, o: int) -> int:
        """The state with these marks, as masks by place."""
        return sum(POWER[place] * ((x >> place & 1) + 2 * (o >> place & 1)) for place in range(9))


def judge(classes: list[Class], worth: int, side: int) -> Judged:
    """Judge nine small boards for ``side``, to move; they are given as their classes, board 0 lowest, 8 bits each."""
    boards = [classes[worth >> shift & 255] for shift in range(0, 72, 8)]
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
    """The sum over the eight lines of the product of their three chances, and for each board what its own chance is
    multiplied with in that sum. Written out: every second node comes here."""
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
