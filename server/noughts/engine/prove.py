"""Prove again what the engine says is proved: from nothing, or from a book whose every entry is checked.

What is proved differs by variant, and :attr:`Proof.claim` says it in a sentence. A hash goes with it, so that two
machines can tell whether they proved the same: of the book's file, or of all values that were computed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from noughts.engine import book
from noughts.engine.book import NotProvedError
from noughts.engine.budget import Budget
from noughts.engine.five_by_five import openings
from noughts.engine.four_in_a_row import book as four_in_a_row_book
from noughts.engine.kernels import is_exact, kernel_for
from noughts.engine.negamax import FamilyKernel
from noughts.engine.retrograde import VanishingKernel
from noughts.engine.verdict import Verdict
from noughts.errors import Rejection
from noughts.rules.game import start
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS, Variant

Show: TypeAlias = Callable[[int, int], None]
"""Is told what is done and how much there is by now: :func:`counted` says of what."""

WALK_CELLS: Final = 9
"""On boards of up to this size every reachable position is solved, on larger ones the empty board."""
ENDLESS: Final = Budget(1.0, lambda: 0.0)


class Proof(NamedTuple):
    """What was proved: the verdict of the empty board, from how many positions, in how long, with which table."""

    variant: str
    claim: str
    verdict: Verdict
    positions: int
    seconds: float
    digest: str


class _Evidence(NamedTuple):
    claim: str
    verdict: Verdict
    positions: int
    digest: str


def prove(variant: Variant, clock: Callable[[], float], show: Show) -> Proof:
    """Prove the variant again. Raises ``bad_message`` where nothing is proved of the empty board, and
    :class:`~noughts.engine.book.NotProvedError` when a table does not stand."""
    began = clock()
    special = _SPECIAL.get(variant.key)
    if special is not None:
        found = special(show)
    elif is_exact(variant):
        found = _solve(variant, show)
    else:
        able = ", ".join(provable())
        raise Rejection("bad_message", f"The empty board of {variant.name} is not proved here. These are: {able}.")
    return Proof(variant.key, found.claim, found.verdict, found.positions, clock() - began, found.digest)


def provable() -> tuple[str, ...]:
    """The keys of the variants that :func:`prove` can prove."""
    return (*[key for key, variant in VARIANTS.items() if is_exact(variant)], *_SPECIAL)


def counted(variant: Variant) -> str:
    """What the progress of a proof counts: all there is of a book, but positions only as they are found."""
    if variant.key in _SPECIAL:
        return "positions of the book"
    apart = ", X's turns and O's apart" if variant.marks_kept is not None else ""  # Proof.positions counts those as one
    return f"positions found so far{apart}"


def _four_in_a_row(show: Show) -> _Evidence:
    shipped = book.load("four-in-a-row")
    four_in_a_row_book.prove_book(shipped.entries, show)
    return _Evidence(
        "X wins from the empty board: after each move of the book every reply is in the book again, or a short search "
        "proves the win.",
        Verdict("win", None, "book"),
        len(shipped.entries),
        shipped.digest,
    )


def _five_by_five(show: Show) -> _Evidence:
    shipped = book.load("5x5")
    openings.prove_book(shipped.entries, show)
    plies = shipped.entries[0]
    verdict = Verdict("win" if plies & 1 else "loss" if plies else "draw", plies or None, "book")
    claim = "Every position of the book, and so the empty board, has the value and the plies that the book says."
    return _Evidence(claim, verdict, len(shipped.entries), shipped.digest)


def _solve(variant: Variant, show: Show) -> _Evidence:
    """Solve with a kernel that knows nothing yet."""
    kernel = kernel_for.__wrapped__(variant)
    first = start(variant)
    layer: dict[Hashable, Position] = {first.key: first}
    seen = set(layer)
    table = sha256()
    while layer:
        after: dict[Hashable, Position] = {}
        for position in layer.values():
            analysis = kernel.analyse(position, ENDLESS)
            if analysis.verdict.value == "unknown":
                raise NotProvedError(f"a position of {variant.name} was not solved")
            table.update(repr((position.key, analysis)).encode())
            for cell in position.legal() if variant.cells <= WALK_CELLS else ():
                child = position.play(cell)
                if child.key not in seen:
                    seen.add(child.key)
                    if child.ended(cell) is None:
                        after[child.key] = child
        layer = after
        if variant.cells <= WALK_CELLS:
            show(len(seen) - len(layer), len(seen))
    if isinstance(kernel, VanishingKernel):
        positions, what = kernel.positions(ENDLESS), "every reachable position"
    elif isinstance(kernel, FamilyKernel) and variant.cells > WALK_CELLS:
        positions, what = kernel.nodes, "the empty board"
    else:
        positions, what = len(seen), "every reachable position"
    claim = f"The value of {what}, searched to the end of the game."
    return _Evidence(claim, kernel.analyse(first, ENDLESS).verdict, positions, table.hexdigest())


_SPECIAL: Final[Mapping[str, Callable[[Show], _Evidence]]] = MappingProxyType(
    {"5x5": _five_by_five, "four-in-a-row": _four_in_a_row}
)
