"""Pictures as SVG text: the board of a position, and the scene of a link preview.

A cell is 100 units wide. The measures and colours are those of the page. The text names no other file: no style sheet,
script, link, picture or font. The scene asks for the family :data:`FONT`, which its reader must have.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from noughts.rules.board_layout import CELL, Layout, Point, layout_of
from noughts.rules.geometry import chosen
from noughts.rules.outcome import MARKS, Mark, Outcome
from noughts.rules.position import Position
from noughts.rules.ultimate import BOARD_OF, CELLS_OF, SMALL_LINES
from noughts.rules.variant import Variant

SCENE_SIZE: Final = (1200, 630)
"""Width and height of a scene."""
FONT: Final = "Noto Sans"
CROSSED_FROM: Final = 13
"""Boards with at least this many columns have lines that cross where stones lie."""

_GROUND: Final = "#f7f5f0"
_SURFACE: Final = "#fffefb"
_SUNKEN: Final = "#ece8df"
_INK: Final = "#1c2030"
_QUIET: Final = "#5b6172"
_LINE: Final = "#8f8878"
_RACK: Final = "#8188a2"
_MARK: Final = {"X": "#2257c4", "O": "#c9420f"}
_TINT: Final = {"X": "#e3ebfb", "O": "#fbe6dc"}
_HIGHLIGHT: Final = {"X": "#cad6ee", "O": "#f2d1c2"}
_FADED: Final = ' opacity=".78"'
_BEHIND: Final = ' opacity=".3"'

_STROKES: Final = {
    "X": '<path d="M24 24Q52 48 76 77M76 23Q49 49 24 76"',
    "O": '<circle cx="50" cy="50" r="28"',
}
"""Each mark in a box of 100, open for more attributes."""
_SENTENCE_COLUMNS: Final = 25
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def board_svg(position: Position, last: int | None, outcome: Outcome | None) -> str:
    """Return the picture of a board. ``last`` is the cell of the newest mark, None before the first move."""
    layout = layout_of(position.variant)
    width, height = layout.width + 2 * CELL / 5, layout.height + 2 * CELL / 5
    scale = 360 / max(width, height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width * scale)}" height="{_n(height * scale)}"'
        f' viewBox="-20 -20 {_n(width)} {_n(height)}" role="img" aria-label="{_text(position.variant.name)}">'
        f'<rect x="-20" y="-20" width="{_n(width)}" height="{_n(height)}" rx="24" fill="{_SURFACE}"/>'
        f"{''.join(_board(position, layout, last, outcome))}</svg>"
    )


def scene_svg(position: Position, last: int | None, outcome: Outcome | None, sentence: str) -> str:
    """Return the picture of a link preview: a board, the name of the game, and a sentence beside it."""
    layout = layout_of(position.variant)
    width, height = SCENE_SIZE
    lines = textwrap.wrap(sentence, _SENTENCE_COLUMNS)
    texts = [
        f'<text x="664" y="{346 + 48 * index}" font-size="34" fill="{_QUIET}">{_text(line)}</text>'
        for index, line in enumerate(lines)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="{_GROUND}"/>'
        f'<rect x="36" y="30" width="570" height="570" rx="32" fill="{_SURFACE}"/>'
        f'<svg x="66" y="60" width="510" height="510" viewBox="0 0 {_n(layout.width)} {_n(layout.height)}">'
        f"{''.join(_board(position, layout, last, outcome))}</svg>"
        f'<g font-family="{FONT}" font-weight="700">'
        f'<text x="660" y="280" font-size="60" fill="{_INK}">{_text(position.variant.name)}</text>{"".join(texts)}'
        f'<text x="754" y="566" font-size="30" fill="{_QUIET}">Noughts</text></g>'
        f"{_strokes('X', 'matrix(.54 0 0 .54 654 528)', 12)}{_strokes('O', 'matrix(.54 0 0 .54 692 528)', 12)}</svg>"
    )


def _n(number: float) -> str:
    """Return a number of at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _text(text: str) -> str:
    """Return text for an element or an attribute. Characters that XML forbids are left out."""
    return _NOT_XML.sub("", text).translate(_ESCAPES)


def _board(position: Position, layout: Layout, last: int | None, outcome: Outcome | None) -> Iterator[str]:
    """Yield the elements of a board, from the ground up."""
    variant = position.variant
    line = outcome.cells if outcome is not None else ()
    completed_by = MARKS[position.ply - 1 & 1]
    stones = variant.columns >= CROSSED_FROM
    newest = last if not line else None
    if variant.nested:
        yield from _small_boards(position, layout, outcome)
    elif variant.gravity:
        yield f'<rect width="{_n(layout.width)}" height="{_n(layout.height)}" rx="36" fill="{_RACK}"/>'
    else:
        yield from _lines(variant, layout)
    if newest is not None and not variant.gravity and not stones:
        tint = _TINT[completed_by]
        yield f'<rect x="7" y="7" width="86" height="86" rx="15" fill="{tint}" transform="{layout.box(newest)}"/>'
    if variant.gravity:
        yield from (_disc(layout.middle(cell), 43, f'fill="{_SURFACE}"') for cell in variant.every_cell)
    if line and not variant.misere:
        yield from _highlighter(variant, layout, line, completed_by)
    fading = position.fading if outcome is None else None
    for mark, mask in (("X", position.x), ("O", position.o)):
        for cell in chosen(variant.every_cell, mask):
            faded = _FADED if line and cell not in line and not variant.misere else ""
            if variant.nested and (position.boards or ())[BOARD_OF[cell]] is not None:
                faded = _BEHIND
            shape = _mark(variant, mark, hollow=cell == fading)
            yield f'<g data-cell="{variant.names[cell]}" transform="{layout.box(cell)}"{faded}>{shape}</g>'
    if variant.nested:
        yield from _large_marks(layout, position.boards or (), line)
    if line and variant.misere:
        yield _zigzag(layout, line)
    if line and variant.layers > 1:
        yield from _dots(variant, layout, line, completed_by)
    if newest is not None and variant.gravity:
        yield _disc(layout.middle(newest), 47, _pen(_SURFACE, 7))
    if newest is not None and stones:
        ink = _SURFACE if completed_by == "X" else _MARK["O"]
        yield _disc(layout.middle(newest), 13, f'fill="{ink}"')


def _path(points: Sequence[Point]) -> str:
    """Return the path data of straight lines from point to point."""
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)


def _pen(ink: str, width: float) -> str:
    return f'fill="none" stroke="{ink}" stroke-width="{_n(width)}" stroke-linecap="round" stroke-linejoin="round"'


def _stroke(data: str, ink: str, width: float, more: str = "") -> str:
    return f'<path d="{data}" {_pen(ink, width)}{more}/>'


def _disc(middle: Point, radius: float, paint: str) -> str:
    return f'<circle cx="{_n(middle[0])}" cy="{_n(middle[1])}" r="{radius}" {paint}/>'


def _strokes(mark: str, transform: str, width: float, more: str = "") -> str:
    """Return a mark as pen strokes in a box of 100."""
    return f'{_STROKES[mark]} {_pen(_MARK[mark], width)} transform="{transform}"{more}/>'


def _lines(variant: Variant, layout: Layout) -> Iterator[str]:
    """Yield the inner lines of each layer. Where stones lie on crossings, the lines run through the middles."""
    columns, rows = variant.columns, variant.rows
    crossed = columns >= CROSSED_FROM
    for first in range(0, variant.cells, columns * rows):
        ends: list[tuple[Point, Point]] = []
        if crossed:
            right, down = (columns - 0.5) * CELL, (rows - 0.5) * CELL
            ends += [((50 + CELL * index, 50), (50 + CELL * index, down)) for index in range(columns)]
            ends += [((50, 50 + CELL * index), (right, 50 + CELL * index)) for index in range(rows)]
        else:
            inset = 0 if variant.layers > 1 else 7
            right, down = columns * CELL - inset, rows * CELL - inset
            edge = 0 if variant.layers > 1 else 1
            ends += [((CELL * index, inset), (CELL * index, down)) for index in range(edge, columns + 1 - edge)]
            ends += [((inset, CELL * index), (right, CELL * index)) for index in range(edge, rows + 1 - edge)]
        data = "".join(_path([layout.at(first, *start), layout.at(first, *end)]) for start, end in ends)
        yield _stroke(data, _LINE, 2.5 if crossed or variant.layers > 1 else 4)


def _small_boards(position: Position, layout: Layout, outcome: Outcome | None) -> Iterator[str]:
    """Yield the grounds and lines of the small boards, and frames around those that may be played in."""
    for board, owner in enumerate(position.boards or ()):
        x, y = layout.corners[CELLS_OF[board][0]]
        playable = outcome is None and owner is None and position.forced in (None, board)
        ground = _TINT.get(owner or "", _SURFACE if playable else _SUNKEN)
        yield f'<rect x="{_n(x - 8)}" y="{_n(y - 8)}" width="316" height="316" rx="22" fill="{ground}"/>'
        inner = [((x + at, y + 10), (x + at, y + 290)) for at in (100, 200)]
        inner += [((x + 10, y + at), (x + 290, y + at)) for at in (100, 200)]
        yield _stroke("".join(map(_path, inner)), _LINE, 3, _BEHIND if owner else "")
        if playable:
            yield (
                f'<rect x="{_n(x - 3)}" y="{_n(y - 3)}" width="306" height="306" rx="18" fill="none"'
                f' stroke="{_MARK[position.turn]}" stroke-width="9"/>'
            )


def _large_marks(layout: Layout, boards: Sequence[str | None], line: Sequence[int]) -> Iterator[str]:
    """Yield the marks of the owners of small boards."""
    in_line = {BOARD_OF[cell] for cell in line}
    for board, owner in enumerate(boards):
        if owner in MARKS:
            x, y = layout.corners[CELLS_OF[board][0]]
            faded = _FADED if in_line and board not in in_line else ""
            yield _strokes(owner, f"matrix(2.52 0 0 2.52 {_n(x + 24)} {_n(y + 24)})", 11, faded)


def _highlighter(variant: Variant, layout: Layout, line: Sequence[int], mark: Mark) -> Iterator[str]:
    """Yield a highlighter over each completed line: over its cells, where it goes through layers."""
    if variant.layers > 1:
        for cell in line:
            box = layout.box(cell)
            yield f'<rect x="6" y="6" width="88" height="88" rx="14" fill="{_HIGHLIGHT[mark]}" transform="{box}"/>'
        return
    if variant.nested:
        in_line = {BOARD_OF[cell] for cell in line}
        threes = [chosen(tuple(range(9)), mask) for mask in SMALL_LINES]
        strokes = [
            _path([layout.middle(CELLS_OF[board][4]) for board in (three[0], three[-1])])
            for three in threes
            if in_line.issuperset(three)
        ]
        yield f'<g opacity=".3">{_stroke("".join(strokes), _MARK[mark], 198)}</g>'
        return
    width = 66 if variant.columns < CROSSED_FROM and not variant.gravity else 99
    strokes = [_path([layout.middle(cells[0]), layout.middle(cells[-1])]) for cells in _lines_in(variant, line)]
    yield _stroke("".join(strokes), _HIGHLIGHT[mark], width)


def _lines_in(variant: Variant, cells: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the lines of a variant that lie within some cells."""
    mask = sum(1 << cell for cell in cells)
    return [chosen(variant.every_cell, line) for line in variant.lines if mask & line == line]


def _dots(variant: Variant, layout: Layout, line: Sequence[int], mark: Mark) -> Iterator[str]:
    """Yield dots from cell to cell of each completed line, apart from their marks."""
    for cells in _lines_in(variant, line):
        for (x0, y0), (x1, y1) in pairwise(map(layout.middle, cells)):
            length = math.hypot(x1 - x0, y1 - y0)
            margin = min(46.0, length / 3)
            count = max(1, int((length - 2 * margin) / 24))
            for dot in range(count):
                share = (margin + (length - 2 * margin) * (dot + 0.5) / count) / length
                yield _disc((x0 + share * (x1 - x0), y0 + share * (y1 - y0)), 6, f'fill="{_MARK[mark]}"')


def _zigzag(layout: Layout, line: Sequence[int]) -> str:
    """Cross a line out, which is what completing it does in misère."""
    (x0, y0), (x1, y1) = layout.middle(line[0]), layout.middle(line[-1])
    length = math.hypot(x1 - x0, y1 - y0)
    along = ((x1 - x0) / length, (y1 - y0) / length)
    steps = 12
    points = []
    for step in range(steps + 1):
        forward = (length + 68) * step / steps - 34
        aside = 0 if step in (0, steps) else 14 if step % 2 else -14
        points.append((x0 + along[0] * forward - along[1] * aside, y0 + along[1] * forward + along[0] * aside))
    data = _path(points)
    return _stroke(data, _SURFACE, 10) + _stroke(data, _INK, 5)


def _mark(variant: Variant, mark: str, *, hollow: bool) -> str:
    """Return a mark in a box of 100: strokes, a disc in a rack, or a stone on a crossing."""
    middle = (CELL / 2, CELL / 2)
    if variant.columns >= CROSSED_FROM:
        fill, radius, width = (_MARK["X"], 41, 2) if mark == "X" else (_SURFACE, 36, 12)
        return _disc(middle, radius, f'fill="{fill}" stroke="{_MARK[mark]}" stroke-width="{width}"')
    if variant.gravity:
        cut = f'{_STROKES[mark]} {_pen(_SURFACE, 10)} transform="matrix(.78 0 0 .78 11 11)"/>'
        return _disc(middle, 41, f'fill="{_MARK[mark]}"') + cut
    strokes = f"{_STROKES[mark]} {_pen(_MARK[mark], 11)}/>"
    return strokes + f"{_STROKES[mark]} {_pen(_SURFACE, 5)}/>" if hollow else strokes
