"""The collections of puzzles: one file a variant, read when it is first asked for.

A file has one JSON object a line: a head, then the puzzles. Cells are names. ``wrong`` has a text for each step::

    win 3 c1: a2 b3; draw - b1: *      value, plies or -, reply or -, and the moves that lead there

``*`` stands for all legal moves that no other part names, ``unknown - -`` for moves after which nothing is proved. The
head's digest is the SHA-256 of all that follows it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import gcd
from typing import Final, cast

import msgspec

from noughts.engine.verdict import Proof, Verdict
from noughts.engine.verdict import Value as VerdictValue
from noughts.puzzles.puzzle import Kind, Punishment, Puzzle, Step
from noughts.rules.variant import VARIANTS, Variant, variant_named
from noughts.values import Value

FORM: Final = 1
"""The number of the files' form. A file of another form is not read."""

_GRADES: Final = (1, 2, 2, 3, 3, 4, 5)
"""The grade of the puzzle of each weekday, from Monday on."""
_SATURDAY: Final = 5
_SMALL: Final = ("classic", "misere", "vanishing", "4x4", "5x5", "four-in-a-row")
"""The games of the puzzles of weekdays."""


class CollectionError(Exception):
    """A file of puzzles is missing or damaged. The message says which, and what to do."""


class Record(Value, omit_defaults=True):
    """A puzzle as its file has it."""

    id: str
    kind: Kind
    grade: int
    moves: str
    line: str
    mistakes: tuple[str, ...]
    plies: int | None = None
    proof: Proof = "exact"


class Head(Value):
    """The first line of a file."""

    form: int
    variant: str
    digest: str


@cache
def records(variant: str) -> Mapping[str, Record]:
    """Return a variant's puzzles by id, in the order of the file. Raise :class:`CollectionError`."""
    path = files("noughts.puzzles").joinpath("collections", f"{variant}.jsonl")
    try:
        head_line, _, body = path.read_bytes().partition(b"\n")
        head = msgspec.json.decode(head_line, type=Head)
        if head != Head(FORM, variant, sha256(body).hexdigest()):
            raise CollectionError(f"{path} is damaged or of another version. Install Noughts again.")
        return {record.id: record for record in msgspec.json.Decoder(Record).decode_lines(body)}
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CollectionError(f"{path} cannot be read: {error}. Install Noughts again.") from None


def puzzle_of(variant: Variant, record: Record) -> Puzzle:
    """Return the puzzle of a record."""
    moves = tuple([variant.index_of[name] for name in record.moves.split()])
    line = [variant.index_of[name] for name in record.line.split()]
    puzzle = Puzzle(record.id, variant, record.kind, record.grade, moves, record.plies, record.proof, ())
    game, steps = puzzle.game, []
    for number, text in enumerate(record.mistakes):
        answer = line[2 * number]
        reply = line[2 * number + 1] if 2 * number + 1 < len(line) else None
        steps.append(Step(answer, reply, _mistakes_of(variant, text, set(game.legal()) - {answer}, record.proof)))
        if reply is not None:
            game = game.play(answer).play(reply)
    return Puzzle(record.id, variant, record.kind, record.grade, moves, record.plies, record.proof, tuple(steps))


def _mistakes_of(variant: Variant, text: str, legal: set[int], proof: Proof) -> Mapping[int, Punishment]:
    mistakes: dict[int, Punishment] = {}
    rest = None
    for part in text.split("; ") if text else ():
        head, _, names = part.partition(": ")
        value, plies, reply, *other = head.split(" ")
        how: Proof = "none" if value == "unknown" else cast(Proof, other[0]) if other else proof
        verdict = Verdict(cast(VerdictValue, value), None if plies == "-" else int(plies), how)
        punishment = Punishment(verdict, None if reply == "-" else variant.index_of[reply])
        if names == "*":
            rest = punishment
        else:
            mistakes.update((variant.index_of[name], punishment) for name in names.split(" "))
    if rest is not None:
        mistakes.update((cell, rest) for cell in legal - set(mistakes))
    return mistakes


class Puzzles:
    """All puzzles of this program. A variant whose file cannot be read has none, and ``report`` is told why, once."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._off: set[str] = set()

    def of(self, variant: str) -> Mapping[str, Record]:
        """Return the records of a variant, by id."""
        if variant in self._off:
            return {}
        try:
            return records(variant)
        except CollectionError as error:
            self._off.add(variant)
            self._report(str(error))
            return {}

    def puzzle(self, puzzle_id: str) -> Puzzle | None:
        """Return the puzzle with this id; None if there is none."""
        variant = puzzle_id.rpartition("-")[0]
        record = self.of(variant).get(puzzle_id) if variant in VARIANTS else None
        return None if record is None else puzzle_of(variant_named(variant), record)

    def next(
        self, variant: str | None, grade: int | None, kind: Kind | None, after: str | None
    ) -> tuple[Puzzle | None, int]:
        """Return the next puzzle that fits after the one with the id ``after``, and how many fit. None fits all.

        The first comes again after the last. Raise KeyError if there is no puzzle ``after``.
        """
        every = [record for key in VARIANTS for record in self.of(key).values()]
        fitting = [
            number
            for number, record in enumerate(every)
            if variant in (None, variant_of(record)) and grade in (None, record.grade) and kind in (None, record.kind)
        ]
        before = -1
        if after is not None:
            before = next((number for number, record in enumerate(every) if record.id == after), -1)
            if before < 0:
                raise KeyError(after)
        if not fitting:
            return None, 0
        record = every[next((number for number in fitting if number > before), fitting[0])]
        return puzzle_of(variant_named(variant_of(record)), record), len(fitting)

    def daily(self, day: dt.date, variant: str | None = None) -> Puzzle | None:
        """Return the puzzle of a day, a win or a draw: easy on a Monday, hard on a Sunday, small games on weekdays.

        Without a puzzle of the day's grade, the nearest grade stands in for it. No puzzle returns before all of its grade.
        """
        weekday = day.weekday()
        grade = _GRADES[weekday]
        keys = (variant,) if variant else _SMALL if weekday < _SATURDAY else tuple(VARIANTS)
        every = [record for key in keys for record in self.of(key).values() if record.kind != "defend"]
        if not every:
            return None
        nearest = min((record.grade for record in every), key=lambda each: (abs(each - grade), each))
        fitting = [record for record in every if record.grade == nearest]
        number = (day.toordinal() - 1) // len(_GRADES) * _GRADES.count(grade) + _GRADES[:weekday].count(grade)
        record = fitting[number * _stride(len(fitting)) % len(fitting)]
        return puzzle_of(variant_named(variant_of(record)), record)


def variant_of(record: Record) -> str:
    """Return the key of a record's variant, with which its id begins."""
    return record.id.rpartition("-")[0]


def _stride(count: int) -> int:
    """Return a step through ``count`` puzzles that meets each once and whose neighbours lie far apart."""
    step = max(1, round(count * 0.618))
    while gcd(step, count) != 1:
        step += 1
    return step
