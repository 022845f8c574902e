"""Draw a board as text that fits a width in columns. All characters are ASCII, so any terminal can show them.

Layout of 3x3, and of ultimate after X e5 (the playable cells are dots, and the free cells that may not be filled now are
blank)::

        a b c               a b c   d e f   g h i
     1  X . .            1        |       |
     2  . O .            2        |       |
     3  . . .            3        |       |
                           -------+-------+-------
                         4        | . . . |
                         5        | . X . |
                         6        | . . . |

A lower-case ``x`` or ``o`` is a mark that leaves with the next move (vanishing), or a free cell of a small board that this
mark has won (ultimate). ``=`` is a free cell of a small board that is a draw.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from noughts.rules.game import Game
from noughts.rules.ultimate import BOARD_OF
from noughts.rules.variant import Variant

Fragment: TypeAlias = tuple[str, str]
"""A style and the text that has it. The styles are the keys of ``STYLES`` in ``prompt_console.py``; plain text is ``""``."""
Line: TypeAlias = list[Fragment]

_LABEL: Final = 4
"""Columns before the first cell of a line."""
_GAP: Final = 3
"""Columns between two layers that stand side by side."""
_WIDEST_PITCH: Final = 4


class _Layout(NamedTuple):
    """How a board of a variant is drawn at one width: columns for each cell, and layers side by side."""

    pitch: int
    abreast: int


def board_lines(game: Game, width: int, cursor: int | None = None) -> list[Line]:
    """Return the lines of the board of a game, none wider than ``width`` if the variant fits at all.

    ``cursor`` is the index of the selected cell.
    """
    variant = game.variant
    layout = _fitting(variant, width)
    lines: list[Line] = []
    for first in range(0, variant.layers, layout.abreast):
        blocks = [
            _layer(game, layer, layout.pitch, cursor)
            for layer in range(first, min(first + layout.abreast, variant.layers))
        ]
        lines += [_side_by_side(parts) for parts in zip(*blocks, strict=True)]
    return lines


def plain_text(lines: list[Line]) -> str:
    """Return lines without their styles."""
    return "\n".join("".join(text for _, text in line).rstrip() for line in lines)


def _fitting(variant: Variant, width: int) -> _Layout:
    """Return the widest layout that fits: layers side by side first, then wider cells."""
    for abreast in (variant.layers, 2, 1):
        for pitch in (_WIDEST_PITCH, 3, 2):
            if abreast <= variant.layers and _width(variant, pitch, abreast) <= width:
                return _Layout(pitch, abreast)
    return _Layout(2, 1)


def _width(variant: Variant, pitch: int, abreast: int) -> int:
    separators = 2 * pitch if variant.nested else 0
    return abreast * (_LABEL + variant.columns * pitch + separators) + (abreast - 1) * _GAP


def _side_by_side(parts: tuple[Line, ...]) -> Line:
    line: Line = []
    for number, part in enumerate(parts):
        line += [("", " " * _GAP), *part] if number else part
    return line


def _layer(game: Game, layer: int, pitch: int, cursor: int | None) -> list[Line]:
    """Return the lines of one layer, all of the same width: a title in a cube, the letters, and the rows."""
    variant = game.variant
    letters = "".join(
        f"{_separator(variant, column, pitch, ' ')}{chr(ord('a') + column):<{pitch}}"
        for column in range(variant.columns)
    )
    lines: list[Line] = [[("label", " " * _LABEL + letters)]]
    if variant.layers > 1:
        title = f"{' ' * _LABEL}layer {layer + 1}: a1.{layer + 1}"
        lines.insert(0, [("label", title.ljust(_LABEL + len(letters)))])
    last = game.moves[-1] if game.moves else None
    for row in range(variant.rows):
        if variant.nested and row in (3, 6):
            third = "-" * (3 * pitch + pitch // 2)
            lines.append([("label", " " * (_LABEL - pitch // 2) + "+".join([third] * 3)[: len(letters)])])
        line: Line = [("label", f"{row + 1:>2}".ljust(_LABEL))]
        for column in range(variant.columns):
            cell = (layer * variant.rows + row) * variant.columns + column
            style, text = _cell(game, cell)
            if cell == last:
                style += " last"
            if cell == cursor:
                style += " cursor"
            line += [("label", _separator(variant, column, pitch, "|")), (style.strip(), text), ("", " " * (pitch - 1))]
        lines.append(line)
    return lines


def _separator(variant: Variant, column: int, pitch: int, character: str) -> str:
    return character.ljust(pitch) if variant.nested and column in (3, 6) else ""


def _cell(game: Game, cell: int) -> Fragment:
    """Return the style and the character of a cell."""
    position = game.position
    for mark, marks in (("X", position.x), ("O", position.o)):
        if marks >> cell & 1:
            style = f"mark-{mark.lower()}"
            if game.outcome is not None and cell in game.outcome.cells:
                style += " line"
            return style, mark.lower() if cell == position.fading and game.outcome is None else mark
    if position.boards is None:
        return "free", "."
    decision = position.boards[BOARD_OF[cell]]
    if decision is not None:
        return "label", "=" if decision == "draw" else decision.lower()
    return "free", "." if game.outcome is None and position.playable >> cell & 1 else " "
