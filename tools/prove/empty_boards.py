"""Prove the engine's verdicts of the empty boards again, from nothing or from a book.

The claim differs by variant: :attr:`Proof.claim` states it in a sentence. A hash goes with it, so that two machines can
compare their proofs: the hash of the book's file, or of all values that were computed. For four in a row it is the hash of
three: those of the book and of the tables of early values and scores.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final, NamedTuple, TypeAlias, TypeVar

from noughts.engine import book
from noughts.engine.budget import Budget
from noughts.engine.four_in_a_row.early import VARIANT, EarlyScores, EarlyValues
from noughts.engine.kernel import Kernel
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.solvable import is_exact
from noughts.engine.vanishing import VanishingKernel
from noughts.engine.verdict import Analysis, Verdict
from noughts.errors import Rejection
from noughts.rules.game import start
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS, Variant
from tools.prove import NotProvedError, early_positions, openings, qubic, strategy

Progress: TypeAlias = Callable[[int, int], None]
"""A callback for the progress of a proof: the count so far, and the total as far as it is known.
:func:`progress_unit` is the unit of both."""

_Content = TypeVar("_Content")

WALK_CELLS: Final = 9
"""On boards of up to this many cells every reachable position is solved, on larger ones the empty board alone."""
SAMPLE: Final = 20
"""How many positions of four in a row's table of values are searched if the caller does not say."""
VALUES_PER_SCORE: Final = 4
"""One score of four in a row is searched for so many values, because it takes longer."""
ENDLESS: Final = Budget(1.0, lambda: 0.0)


class Proof(NamedTuple):
    """A proved claim: the verdict of the empty board, the number of positions, the seconds, and the hash."""

    variant: str
    claim: str
    verdict: Verdict
    positions: int
    seconds: float
    digest: str


def prove(
    variant: Variant,
    clock: Callable[[], float],
    progress: Progress,
    sample: int = SAMPLE,
    rng: random.Random | None = None,
) -> Proof:
    """Prove the variant's empty board again.

    Of four in a row's early values ``sample`` are searched, chosen by ``rng``, and of its early scores a quarter of that.
    Without ``rng`` they are the same ones each time. Raise ``bad_message`` for a variant that is not among :func:`provable`,
    and :class:`~tools.prove.NotProvedError` for a book that is damaged or has a wrong entry.
    """
    began = clock()
    if variant.key in _BOOK_PROOFS:
        proof = _prove_book(variant.key, progress)
        if variant.key == VARIANT:
            proof = _with_early_positions(proof, sample, rng or random.Random(1), progress)
    elif not is_exact(variant):
        able = ", ".join(provable())
        raise Rejection("bad_message", f"The empty board of {variant.name} is not proved here. These are: {able}.")
    elif variant.marks_kept is not None:
        vanishing = VanishingKernel(variant)
        proof = _prove_every_position(vanishing, progress)._replace(positions=vanishing.positions(ENDLESS))
    elif variant.cells <= WALK_CELLS:
        proof = _prove_every_position(NegamaxKernel(variant), progress)
    else:
        proof = _prove_empty_board(variant)
    return proof._replace(seconds=clock() - began)


def provable() -> tuple[str, ...]:
    """Return the keys of the variants that :func:`prove` can prove."""
    return (*[key for key, variant in VARIANTS.items() if is_exact(variant)], *_BOOK_PROOFS)


def progress_unit(variant: Variant) -> str:
    """Return the unit that a proof's progress counts, as a plural for people to read."""
    if variant.key in _BOOK_PROOFS:
        return "positions of the book and the tables" if variant.key == VARIANT else "positions of the book"
    apart = ", X's turns and O's apart" if variant.marks_kept is not None else ""  # Proof.positions counts those as one
    return f"positions found so far{apart}"


# The proofs below take 0 seconds: :func:`prove` replaces that.


def _prove_book(key: str, progress: Progress) -> Proof:
    module, claim = _BOOK_PROOFS[key]
    file = strategy.FILE if key == VARIANT else book.file_of(key)
    shipped = _read(file, lambda: book.load(key, file))
    module.prove_book(shipped.entries, progress)
    verdict = Verdict("win", None, "book")
    if module is openings:
        plies = shipped.entries[0]
        verdict = Verdict("win" if plies & 1 else "loss" if plies else "draw", plies or None, "book")
    return Proof(key, claim, verdict, len(shipped.entries), 0.0, shipped.digest)


def _with_early_positions(proof: Proof, sample: int, rng: random.Random, progress: Progress) -> Proof:
    """Return the proof of the book, with that of the tables of early values and scores."""
    tables = [_read(kind.file(), kind.load_numbers) for kind in (EarlyValues, EarlyScores)]
    values, scores = EarlyValues(tables[0]), EarlyScores(tables[1])
    scores_sample = sample // VALUES_PER_SCORE
    samples = {values: sample, scores: scores_sample}
    positions = early_positions.prove_tables(values, scores, strategy.load().entries, samples, rng, progress)
    digest = sha256(bytes.fromhex(proof.digest))
    for table in tables:
        digest.update(bytes.fromhex(book.digest_of(table.data)))
    plies = 2 * (22 - (scores.value(early_positions.EMPTY) or 0)) - 1
    return proof._replace(
        claim=f"{proof.claim} {_EARLY.format(sample, scores_sample, plies)}",
        verdict=proof.verdict._replace(plies=plies),
        positions=proof.positions + positions,
        digest=digest.hexdigest(),
    )


def _read(file: Path, read: Callable[[], _Content]) -> _Content:
    """Return what ``read`` returns for a book's file. Raise NotProvedError if its file is missing or damaged."""
    try:
        return read()
    except (OSError, ValueError) as error:
        raise NotProvedError(f"{file}: {book.reason_of(error)}") from error


_EVERY_POSITION: Final = "The value of every reachable position, searched to the end of the game."
_EARLY: Final = (
    "A search proves the values of {} random positions with twelve marks. From the table of all of them follow the values "
    "of those with fewer marks: the centre alone wins, and the book agrees. A search proves the plies of {} random "
    "positions with eight marks. From the table of all of them follow the plies of those with fewer marks: X wins in {}."
)
_EMPTY_BOARD: Final = "The value of the empty board, searched to the end of the game."


def _prove_every_position(kernel: Kernel, progress: Progress) -> Proof:
    positions, digest = _walk(kernel, progress)
    verdict = kernel.analyse(start(kernel.variant), ENDLESS).verdict
    return Proof(kernel.variant.key, _EVERY_POSITION, verdict, positions, 0.0, digest)


def _prove_empty_board(variant: Variant) -> Proof:
    kernel = NegamaxKernel(variant)
    first = start(variant)
    analysis = _solve(kernel, first)
    digest = sha256(_record(first, analysis)).hexdigest()
    return Proof(variant.key, _EMPTY_BOARD, analysis.verdict, kernel.nodes, 0.0, digest)


def _walk(kernel: Kernel, progress: Progress) -> tuple[int, str]:
    """Solve every reachable position, ply by ply; return their number (ended games included) and the hash."""
    first = start(kernel.variant)
    layer: dict[Hashable, Position] = {first.key: first}
    keys = set(layer)
    table = sha256()
    while layer:
        next_layer: dict[Hashable, Position] = {}
        for position in layer.values():
            table.update(_record(position, _solve(kernel, position)))
            for cell in position.legal():
                child = position.play(cell)
                if child.key not in keys:
                    keys.add(child.key)
                    if child.ended(cell) is None:
                        next_layer[child.key] = child
        layer = next_layer
        progress(len(keys) - len(layer), len(keys))
    return len(keys), table.hexdigest()


def _solve(kernel: Kernel, position: Position) -> Analysis:
    analysis = kernel.analyse(position, ENDLESS)
    if analysis.verdict.value == "unknown":
        raise NotProvedError(f"a position of {kernel.variant.name} was not solved")
    return analysis


def _record(position: Position, analysis: Analysis) -> bytes:
    return repr((position.key, analysis)).encode()


_BOOK_PROOFS: Final[Mapping[str, tuple[ModuleType, str]]] = MappingProxyType(
    {
        "5x5": (
            openings,
            "Every position of the book, and so the empty board, has the value and the plies that the book says.",
        ),
        "four-in-a-row": (
            strategy,
            "X wins from the empty board: after each move of the book every reply is in the book again, or a short search "
            "proves the win.",
        ),
        "qubic": (
            qubic,
            "X wins from the empty cube: after each move of the book every reply is in the book again, or X wins by fours, "
            "which O must answer one by one.",
        ),
    }
)
"""By variant: the module with ``prove_book``, and the claim."""
