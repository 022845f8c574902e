"""The proof that the book of Qubic wins. It shares no code with the engine's searches.

For each entry it makes X's move and tries every reply of O. Each reply must lead to another entry, which has two marks
more, or to a position from which X wins by fours. So from the entries with the most marks to the empty cube, X wins.

A win by fours found for one reply is replayed against the others, move by move by the rules. Only where that fails, the
reply is looked up in the book, and then a new win is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from noughts.engine.threats.qubic_book import CELLS, SHAPE, Entry, QubicBook, symmetries, walk
from noughts.rules.variant import lines, lines_through
from tools.prove import NotProvedError

LINES: Final = lines(SHAPE, 4)
THROUGH: Final = {1 << cell: masks for cell, masks in enumerate(lines_through(SHAPE, 4))}
"""The lines through a cell, by its bit."""
ALL_CELLS: Final = (1 << CELLS) - 1
MOST_FOURS: Final = 20

Attack: TypeAlias = list[int]
"""The moves of a win by fours, as bits. The replies of O follow from them."""


def prove_book(entries: Mapping[int, int], progress: Callable[[int, int], None]) -> int:
    """Prove that X wins from the empty cube; return the number of replies that were tried.

    Call ``progress`` with the number of proved entries and the number of all. Raise
    :class:`~tools.prove.NotProvedError`.
    """
    prove_symmetries(symmetries())
    try:
        book = QubicBook(entries)
        positions = list(walk(entries))
    except ValueError as error:
        raise NotProvedError(str(error)) from error
    if not book.moves(0, 0):
        raise NotProvedError("the empty cube is not in the book")
    replies = 0
    for done, entry in enumerate(positions):
        progress(done, len(positions))
        replies += prove_entry(book, entry)
    progress(len(positions), len(positions))
    return replies


def prove_symmetries(images: tuple[tuple[int, ...], ...]) -> None:
    """Prove that each image permutes the cells and maps lines to lines. Raise NotProvedError."""
    masks = set(LINES)
    for image in images:
        if sorted(image) != list(range(CELLS)):
            raise NotProvedError("an image of the cube does not have every cell once")
        for line in LINES:
            if sum([1 << image[cell] for cell in range(CELLS) if line >> cell & 1]) not in masks:
                raise NotProvedError("an image of the cube does not map lines to lines")


def prove_entry(book: QubicBook, entry: Entry) -> int:
    """Try every reply to the move of an entry; return the number of replies. Raise NotProvedError."""
    x, o, cell = entry
    if x & o or x.bit_count() != o.bit_count() or (x | o) >> cell & 1 or has_line(x) or has_line(o):
        raise NotProvedError(f"{entry} is not a position with X to move, or its move is illegal")
    move = 1 << cell
    x |= move
    if has_line_through(x, move):
        return 0
    attacks: list[Attack] = []
    replies = bits(ALL_CELLS & ~(x | o))
    for reply in replies:
        after = o | reply
        if has_line(after):
            raise NotProvedError(f"{entry}: O completes a line after the move of the book")
        attack = next((attack for attack in attacks if wins(x, after, reply, attack)), None)
        if attack is not None:
            attacks.remove(attack)
        elif book.moves(x, after):
            continue
        else:
            attack = win_by_fours(x, after, reply)
            if attack is None:
                raise NotProvedError(f"{entry}: no entry and no win by fours after O's reply {reply.bit_length() - 1}")
        attacks.insert(0, attack)  # the next reply tries the latest success first
    return len(replies)


def wins(x: int, o: int, reply: int, attack: Attack) -> bool:
    """Return whether X, to move, wins with the moves of ``attack``, each of which O must answer.

    O's latest mark is ``reply``, and before it O could not complete a line.
    """
    blocks = completing(o, x, reply)
    for move in attack:
        if (x | o) & move:
            return False
        x |= move
        if has_line_through(x, move):
            return True
        answers = completing(x, o, move)
        if blocks & ~move or not answers:
            return False
        if answers & (answers - 1):
            return True
        o |= answers
        blocks = completing(o, x, answers)
    return False


def win_by_fours(x: int, o: int, reply: int) -> Attack | None:
    """Return a shortest win of X, to move, by fours, None if there is none. O's latest mark is ``reply``."""
    for line in LINES:
        if not line & o and (line & ~x).bit_count() == 1:
            return [line & ~x]
    failures: dict[tuple[int, int], int] = {}
    pairs = [line & ~x for line in LINES if not line & o and (line & ~x).bit_count() == 2]
    for fours in range(1, MOST_FOURS):
        attack = _attack(x, o, pairs, completing(o, x, reply), fours, failures)
        if attack is not None:
            return attack
    return None


def _attack(
    x: int, o: int, pairs: list[int], blocks: int, fours: int, failures: dict[tuple[int, int], int]
) -> Attack | None:
    """Return a win by at most ``fours`` fours.

    ``pairs`` are the two cells that X's lines without O lack, ``blocks`` the cells with which O completes a line.
    ``failures`` are positions and the number of fours that do not win there.
    """
    answers: dict[int, int] = {}  # move -> the cells that then complete a line
    for pair in pairs:
        low = pair & -pair
        high = pair ^ low
        answers[low] = answers.get(low, 0) | high
        answers[high] = answers.get(high, 0) | low
    moves = answers if not blocks else {blocks: answers[blocks]} if blocks in answers else {}
    for move, answer in moves.items():
        if answer & (answer - 1):
            return [move]
    if fours == 1:
        return None
    for move, answer in moves.items():
        after = (x | move, o | answer)
        if failures.get(after, 0) >= fours - 1:
            continue
        left = [pair for pair in pairs if not pair & (move | answer)]
        for line in THROUGH[move]:
            lacking = line & ~after[0]
            if not line & after[1] and lacking.bit_count() == 2:
                left.append(lacking)
        attack = _attack(*after, left, completing(after[1], after[0], answer), fours - 1, failures)
        if attack is not None:
            return [move, *attack]
        failures[after] = fours - 1
    return None


def completing(own: int, other: int, latest: int) -> int:
    """Return the cells with which a side completes a line through its latest mark."""
    cells = 0
    for line in THROUGH[latest]:
        if not line & other:
            rest = line & ~own
            if not rest & (rest - 1):
                cells |= rest
    return cells


def has_line_through(marks: int, latest: int) -> bool:
    """Return whether the latest of these marks completes a line."""
    return any(line & ~marks == 0 for line in THROUGH[latest])


def has_line(marks: int) -> bool:
    """Return whether these marks have a complete line."""
    return any(line & ~marks == 0 for line in LINES)


def bits(mask: int) -> list[int]:
    """Return the bits of a mask, one in each number."""
    return [1 << cell for cell in range(CELLS) if mask >> cell & 1]
