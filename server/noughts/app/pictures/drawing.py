"""The picture of a game in a link preview: the board of a position, its name, and a sentence. It never shows a verdict.

As a program it reads a scene as JSON from its input and writes the PNG to its output, so that the server waits and does not
draw.
"""

from __future__ import annotations

import io
import math
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import msgspec
from PIL import Image, ImageDraw, ImageFont

from noughts.rules.game import Game, replay
from noughts.rules.outcome import MARKS, Mark, Outcome
from noughts.rules.ultimate import BOARD_OF, CELLS_OF, SMALL_LINES
from noughts.rules.variant import VARIANTS, Variant
from noughts.values import Value

SIZE: Final = (1200, 630)
"""Width and height in px."""
MAX_CROSSED: Final = 10
"""Boards with more columns than this have lines that cross where stones lie."""

_SCALE: Final = 2
"""The picture is drawn this many times as large, and then made smaller, which smooths its edges."""
_BOARD: Final = (60.0, 45.0, 540.0)
"""Left, top, and the side of the box that a board is fitted into."""
_TEXT_LEFT: Final = 660
_GROUND: Final = (247, 245, 240)
_SUNKEN: Final = (236, 232, 223)
_INK: Final = (28, 32, 48)
_QUIET: Final = (91, 97, 114)
_LINE: Final = (143, 136, 120)
_RACK: Final = (139, 145, 169)
_MARK: Final = {"X": (34, 87, 196), "O": (201, 66, 15)}
_TINT: Final = {"X": (227, 235, 251), "O": (251, 230, 220)}
_FADED: Final = 0.78
_HIGHLIGHTER: Final = 0.24
_BEHIND: Final = 0.3
"""The opacity of a mark behind the large mark of its small board."""

Ink: TypeAlias = tuple[int, int, int]
Point: TypeAlias = tuple[float, float]


class Scene(Value):
    """What a picture shows: a game by its variant's key and its cells, how it ended if it has, and a sentence."""

    variant: str
    moves: tuple[int, ...]
    outcome: Outcome | None
    sentence: str


def png(scene: Scene) -> bytes:
    """Return the picture as a PNG of :data:`SIZE`."""
    width, height = SIZE
    image = Image.new("RGB", (width * _SCALE, height * _SCALE), _GROUND)
    pen = _Pen(ImageDraw.Draw(image))
    game = replay(VARIANTS[scene.variant], scene.moves)
    _draw_board(pen, game, scene.outcome)
    _draw_text(pen, game.variant.name, scene.sentence)
    file = io.BytesIO()
    image.reduce(_SCALE).save(file, "PNG")
    return file.getvalue()


class _Pen:
    """Draws in px of the finished picture."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self._draw = draw

    def stroke(self, points: Sequence[Point], width: float, ink: Ink) -> None:
        """Draw a line through points, with round ends and corners."""
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._draw.line(scaled, fill=ink, width=max(1, round(width * _SCALE)), joint="curve")
        for x, y in (points[0], points[-1]):
            self.disc(x, y, width / 2, ink)

    def disc(self, x: float, y: float, radius: float, ink: Ink) -> None:
        self._draw.ellipse(_box(x - radius, y - radius, x + radius, y + radius), fill=ink)

    def ring(self, x: float, y: float, radius: float, width: float, ink: Ink) -> None:
        """Draw a circle whose stroke has its middle at ``radius``."""
        edge = radius + width / 2
        self._draw.ellipse(_box(x - edge, y - edge, x + edge, y + edge), outline=ink, width=round(width * _SCALE))

    def patch(self, box: tuple[float, float, float, float], radius: float, ink: Ink) -> None:
        self._draw.rounded_rectangle(_box(*box), radius * _SCALE, fill=ink)

    def text(self, x: float, y: float, text: str, size: float, ink: Ink) -> None:
        self._draw.text(
            (x * _SCALE, y * _SCALE), text, fill=ink, font=ImageFont.load_default(size * _SCALE), anchor="ls"
        )

    def width_of(self, text: str, size: float) -> float:
        return self._draw.textlength(text, font=ImageFont.load_default(size * _SCALE)) / _SCALE


def _box(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
    return left * _SCALE, top * _SCALE, right * _SCALE, bottom * _SCALE


def _mixed(ink: Ink, share: float, ground: Ink = _GROUND) -> Ink:
    """Return an ink laid over a ground, with this opacity."""
    red, green, blue = (round(share * over + (1 - share) * under) for over, under in zip(ink, ground, strict=True))
    return red, green, blue


class _Layout(NamedTuple):
    """Where the cells of a board are: the side of one, and the middle of each by index."""

    side: float
    middles: tuple[Point, ...]


def _layout(variant: Variant) -> _Layout:
    """Return the layout of a board in the middle of its box. Layers lie two by two, small boards have gaps."""
    left, top, size = _BOARD
    along = 2 if variant.layers > 1 else 1
    gap = 0.5 if variant.layers > 1 else 0.3 if variant.nested else 0.0
    gaps = along - 1 if variant.layers > 1 else 2 if variant.nested else 0
    columns, rows = variant.columns * along + gaps * gap, variant.rows * along + gaps * gap
    side = size / max(columns, rows)
    left += (size - columns * side) / 2
    top += (size - rows * side) / 2
    middles = []
    for cell in variant.every_cell:
        layer, rest = divmod(cell, variant.columns * variant.rows)
        row, column = divmod(rest, variant.columns)
        x, y = float(column), float(row)
        if variant.layers > 1:
            x += layer % 2 * (variant.columns + gap)
            y += layer // 2 * (variant.rows + gap)
        elif variant.nested:
            x += column // 3 * gap
            y += row // 3 * gap
        middles.append((left + (x + 0.5) * side, top + (y + 0.5) * side))
    return _Layout(side, tuple(middles))


def _draw_board(pen: _Pen, game: Game, outcome: Outcome | None) -> None:
    variant, position = game.variant, game.position
    layout = _layout(variant)
    line = frozenset(outcome.cells) if outcome is not None else frozenset()
    last = game.moves[-1] if game.moves else None
    if variant.nested:
        _draw_small_boards(pen, layout, position.boards or ())
    if variant.gravity:
        _draw_rack(pen, variant, layout)
    else:
        _draw_lines(pen, variant, layout)
    if last is not None and not line and not variant.gravity and variant.columns <= MAX_CROSSED:
        half = 0.43 * layout.side
        x, y = layout.middles[last]
        pen.patch((x - half, y - half, x + half, y + half), 0.15 * layout.side, _TINT[MARKS[game.ply - 1 & 1]])
    if line and not variant.misere and not variant.nested:
        _draw_highlighter(pen, variant, layout, line, MARKS[game.ply - 1 & 1])
    fading = position.fading if outcome is None else None
    for cell in variant.every_cell:
        mark: Mark | None = "X" if position.x >> cell & 1 else "O" if position.o >> cell & 1 else None
        if mark is not None:
            faded = bool(line) and cell not in line and not variant.misere
            ink = _mixed(_MARK[mark], _FADED) if faded else _MARK[mark]
            if variant.nested and (owner := (position.boards or ())[BOARD_OF[cell]]) is not None:
                ink = _mixed(_MARK[mark], _BEHIND, _SUNKEN if owner == "draw" else _TINT[owner])
            _draw_mark(pen, variant, layout, cell, mark, ink, hollow=cell == fading)
    if variant.nested:
        _draw_large_marks(pen, layout, position.boards or (), line)
    if line and variant.misere:
        _draw_zigzag(pen, layout, line)
    if last is not None and variant.columns > MAX_CROSSED:
        x, y = layout.middles[last]
        pen.disc(x, y, 0.12 * layout.side, _INK if game.ply & 1 == 0 else _GROUND)


def _draw_lines(pen: _Pen, variant: Variant, layout: _Layout) -> None:
    """Draw the inner lines of each flat board. On a crossed board they run through the middles of the cells."""
    blocks: Iterable[Sequence[int]]
    if variant.nested:
        rows = [range(9 * row, 9 * row + 9) for row in range(9)]
        blocks = [
            [rows[row][column] for row in range(top, top + 3) for column in range(left, left + 3)]
            for top in (0, 3, 6)
            for left in (0, 3, 6)
        ]
        along = 3
    else:
        size = variant.columns * variant.rows
        blocks = [range(size * layer, size * (layer + 1)) for layer in range(variant.layers)]
        along = variant.columns
    crossed = variant.columns > MAX_CROSSED
    width = max(1.5, layout.side * (0.05 if crossed else 0.03))
    for block in blocks:
        (left, top), (right, bottom) = layout.middles[block[0]], layout.middles[block[-1]]
        half = 0.0 if crossed else layout.side / 2
        count_x, count_y = (along, len(block) // along) if crossed else (along - 1, len(block) // along - 1)
        shift = 0.0 if crossed else half
        inset = 0.0 if crossed else 0.06 * layout.side
        for index in range(count_x):
            x = left + shift + index * layout.side
            pen.stroke([(x, top - half + inset), (x, bottom + half - inset)], width, _LINE)
        for index in range(count_y):
            y = top + shift + index * layout.side
            pen.stroke([(left - half + inset, y), (right + half - inset, y)], width, _LINE)


def _draw_rack(pen: _Pen, variant: Variant, layout: _Layout) -> None:
    """Draw a rack with a hole for each cell."""
    (left, top), (right, bottom) = layout.middles[0], layout.middles[-1]
    edge = 0.56 * layout.side
    pen.patch((left - edge, top - edge, right + edge, bottom + edge), 0.3 * layout.side, _RACK)
    for x, y in layout.middles:
        pen.disc(x, y, 0.41 * layout.side, _GROUND)


def _draw_small_boards(pen: _Pen, layout: _Layout, boards: Sequence[str | None]) -> None:
    """Draw the ground of decided small boards: the tint of their owner, or sunken after a draw."""
    for board, owner in enumerate(boards):
        if owner is not None:
            cells = CELLS_OF[board]
            (left, top), (right, bottom) = layout.middles[cells[0]], layout.middles[cells[-1]]
            half = 0.5 * layout.side
            ink = _SUNKEN if owner == "draw" else _TINT[owner]
            pen.patch((left - half, top - half, right + half, bottom + half), 0.3 * layout.side, ink)


def _draw_large_marks(pen: _Pen, layout: _Layout, boards: Sequence[str | None], line: frozenset[int]) -> None:
    """Draw the marks of the owners of small boards, over a highlighter through those that won."""
    middles = [layout.middles[cells[4]] for cells in CELLS_OF]
    in_line = {BOARD_OF[cell] for cell in line}
    for mask in SMALL_LINES:
        three = [board for board in range(9) if mask >> board & 1]
        owner = boards[three[0]]
        if owner is not None and in_line.issuperset(three):
            ink = _mixed(_MARK[owner], _HIGHLIGHTER + 0.1)
            pen.stroke([middles[three[0]], middles[three[-1]]], 0.66 * 3 * layout.side, ink)
    for mark in MARKS:
        for board, owner in enumerate(boards):
            if owner == mark:
                faded = bool(line) and board not in in_line
                ink = _mixed(_MARK[mark], _FADED, _TINT[mark]) if faded else _MARK[mark]
                _draw_strokes(pen, *middles[board], 2.5 * layout.side / 100, mark, 11, ink)


def _draw_highlighter(pen: _Pen, variant: Variant, layout: _Layout, line: frozenset[int], mark: Mark) -> None:
    """Draw a highlighter over each completed line; through layers, draw it over the cells, and dots between."""
    ink = _mixed(_MARK[mark], _HIGHLIGHTER, _RACK if variant.gravity else _GROUND)
    width = 0.66 * layout.side
    masks = [mask for mask in variant.lines if all(cell in line for cell in variant.every_cell if mask >> cell & 1)]
    if variant.layers > 1 or not masks:
        for cell in line:
            pen.disc(*layout.middles[cell], width / 2, ink)
        if variant.layers > 1:
            for mask in masks:
                _draw_dots(pen, layout, [cell for cell in variant.every_cell if mask >> cell & 1], _MARK[mark])
        return
    for mask in masks:
        cells = [cell for cell in variant.every_cell if mask >> cell & 1]
        pen.stroke([layout.middles[cells[0]], layout.middles[cells[-1]]], width, ink)
    if variant.gravity:
        for cell, (x, y) in enumerate(layout.middles):
            if cell not in line:
                pen.disc(x, y, 0.41 * layout.side, _GROUND)


def _draw_dots(pen: _Pen, layout: _Layout, cells: Sequence[int], ink: Ink) -> None:
    """Draw dots from cell to cell, apart from their marks."""
    for start, end in pairwise(cells):
        (x0, y0), (x1, y1) = layout.middles[start], layout.middles[end]
        length = math.hypot(x1 - x0, y1 - y0)
        count = int((length - 0.9 * layout.side) / (0.24 * layout.side))
        for dot in range(count):
            share = (0.45 * layout.side + (dot + 0.5) * (length - 0.9 * layout.side) / count) / length
            pen.disc(x0 + share * (x1 - x0), y0 + share * (y1 - y0), 0.06 * layout.side, ink)


def _draw_zigzag(pen: _Pen, layout: _Layout, line: frozenset[int]) -> None:
    """Cross a line out in ink, which is what completing it does in misère."""
    cells = sorted(line)
    (x0, y0), (x1, y1) = layout.middles[cells[0]], layout.middles[cells[-1]]
    length = math.hypot(x1 - x0, y1 - y0)
    across = (-(y1 - y0) / length, (x1 - x0) / length)
    points = []
    for step in range(-1, 14):
        share, side = step / 12, 0.09 * layout.side * (1 if step & 1 else -1)
        points.append((x0 + share * (x1 - x0) + side * across[0], y0 + share * (y1 - y0) + side * across[1]))
    pen.stroke(points, 0.05 * layout.side, _INK)


def _draw_mark(pen: _Pen, variant: Variant, layout: _Layout, cell: int, mark: Mark, ink: Ink, *, hollow: bool) -> None:
    x, y = layout.middles[cell]
    unit = layout.side / 100
    if variant.columns > MAX_CROSSED:
        if mark == "X":
            pen.disc(x, y, 41 * unit, ink)
        else:
            pen.disc(x, y, 41 * unit, _GROUND)
            pen.ring(x, y, 37 * unit, 8 * unit, ink)
        return
    stroke = ink
    if variant.gravity:
        pen.disc(x, y, 41 * unit, ink)
        stroke, unit = _GROUND, 0.78 * unit
    _draw_strokes(pen, x, y, unit, mark, 11, stroke)
    if hollow:
        _draw_strokes(pen, x, y, unit, mark, 5, _GROUND)


def _draw_strokes(pen: _Pen, x: float, y: float, unit: float, mark: Mark, width: float, ink: Ink) -> None:
    """Draw a mark as pen strokes in a box of 100 units around its middle."""
    if mark == "O":
        pen.ring(x, y, 28 * unit, width * unit, ink)
        return
    for start, bend, end in (((24, 24), (52, 48), (76, 77)), ((76, 23), (49, 49), (24, 76))):
        points = []
        for step in range(9):
            t = step / 8
            at = [(1 - t) ** 2 * a + 2 * t * (1 - t) * b + t * t * c for a, b, c in zip(start, bend, end, strict=True)]
            points.append((x + (at[0] - 50) * unit, y + (at[1] - 50) * unit))
        pen.stroke(points, width * unit, ink)


def _draw_text(pen: _Pen, name: str, sentence: str) -> None:
    """Write the game's name, the sentence, and the name of the site. The sentence breaks between words.

    Pillow's own font has no letters with accents, so they lose them.
    """
    room = SIZE[0] - _TEXT_LEFT - 60
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    pen.text(_TEXT_LEFT, 270, plain, 64, _INK)
    lines = [""]
    for word in sentence.split():
        longer = f"{lines[-1]} {word}".strip()
        if pen.width_of(longer, 34) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    for index, text in enumerate(lines):
        pen.text(_TEXT_LEFT, 335 + 46 * index, text, 34, _QUIET)
    pen.text(_TEXT_LEFT, 570, "Noughts", 28, _QUIET)


def main() -> None:
    """Draw the scene that comes as JSON."""
    os.nice(10)
    scene = msgspec.json.decode(sys.stdin.buffer.read(), type=Scene)
    sys.stdout.buffer.write(png(scene))


if __name__ == "__main__":
    main()
