"""A console with colours and arrow keys. The arrow keys select a cell, Enter plays it, and names can be typed as well."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText, StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from noughts.rules.game import Game
from noughts.rules.variant import Variant
from noughts.terminal.board_text import Fragment, board_lines
from noughts.terminal.console import columns, wrapped
from noughts.terminal.room_console import InterruptError

STYLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mark-x": "ansibrightblue bold",
        "mark-o": "ansibrightred bold",
        "line": "reverse",
        "last": "underline",
        "cursor": "reverse",
    }
)
"""How a style looks, unless it is plain. The colours are the sixteen of the terminal, so they suit its background."""

Step: TypeAlias = tuple[int, int, int]
_STEPS: Final[Mapping[str, Step]] = MappingProxyType(
    {
        "left": (-1, 0, 0),
        "right": (1, 0, 0),
        "up": (0, -1, 0),
        "down": (0, 1, 0),
        "pageup": (0, 0, -1),
        "pagedown": (0, 0, 1),
    }
)
"""The way that each key moves the cursor: columns, rows, layers."""


class PromptConsole:
    """A terminal that can move its cursor. The board is drawn where the question is, and goes when it is answered.

    A signal is left to asyncio, which cancels the question. A handler of the prompt's own would fail when the signal comes
    while the answer is being taken.
    """

    keys = "select a cell with the arrow keys and press Enter"
    waits = False

    def __init__(self) -> None:
        self._output = create_output(sys.stdout)
        if isinstance(self._output, Vt100_Output):
            self._output.enable_cpr = False  # some terminals never say where their cursor is
        self._style = Style.from_dict(dict(STYLES))
        self._cursor: int | None = None
        self._game: Game | None = None
        self._question = ""
        self._prompt: PromptSession[str] = PromptSession(
            self._message,
            output=self._output,
            style=self._style,
            key_bindings=self._keys(),
            erase_when_done=True,
            reserve_space_for_menu=0,
        )

    def say(self, text: str) -> None:
        self._print([("", wrapped(text, columns()))])

    def show(self, game: Game) -> None:
        self._print(_fragments(game, None))

    def ask(self, game: Game, question: str) -> str:
        self._game, self._question = game, question
        answer = self._prompt.prompt(handle_sigint=False).strip()
        self.say(f"{question.splitlines()[-1]} {answer}")
        return answer

    def follow(self, game: Game | None, question: str) -> None:
        self._game, self._question = game, question
        self._prompt.app.invalidate()

    async def answer(self) -> str:
        try:
            answer = (await self._prompt.prompt_async(handle_sigint=False)).strip()
        except KeyboardInterrupt:  # raised in a task, it would end the event loop with a traceback
            raise InterruptError from None
        self.say(f"> {answer}")
        return answer

    def _print(self, fragments: list[Fragment]) -> None:
        print_formatted_text(FormattedText(_styled(fragments)), output=self._output, style=self._style)

    def _message(self) -> StyleAndTextTuples:
        """Return what stands before the answer: the board with the selected cell, and the question."""
        if self._game is None:
            return [("", f"{self._question} ")]
        cursor = self._selected(self._prompt.default_buffer)
        return [*_styled(_fragments(self._game, cursor)), ("", f"\n{wrapped(self._question, columns())} ")]

    def _selected(self, buffer: Buffer) -> int | None:
        """Return the cell that the answer names so far."""
        return self._game.variant.index_of.get(buffer.text.strip().lower()) if self._game else None

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        for key in _STEPS:
            keys.add(key)(self._on_arrow)
        return keys

    def _on_arrow(self, event: KeyPressEvent) -> None:
        """Select the next cell in the direction of the key, and write its name as the answer."""
        if self._game is None:
            return
        variant = self._game.variant
        step = _STEPS[event.key_sequence[0].key]
        cell = self._selected(event.current_buffer)
        if cell is not None:
            cell = stepped(variant, cell, step)
        else:
            cell = self._cursor if self._cursor is not None else variant.cells // 2
        self._cursor = cell
        name = variant.names[cell]
        event.current_buffer.document = Document(name, len(name))


def _fragments(game: Game, cursor: int | None) -> list[Fragment]:
    """Return the board as one text, without a line break at its end."""
    lines = board_lines(game, columns(), cursor)
    return [fragment for number, line in enumerate(lines) for fragment in ([("", "\n")] if number else []) + line]


def _styled(fragments: list[Fragment]) -> StyleAndTextTuples:
    """Return fragments with the names of their styles as prompt_toolkit writes them."""
    return [(" ".join(f"class:{name}" for name in style.split()), text) for style, text in fragments]


def stepped(variant: Variant, cell: int, step: Step) -> int:
    """Return the cell one step away. At an edge the step continues at the other side, in a cube on the next layer."""
    columns, rows, layers = variant.columns, variant.rows, variant.layers
    column, row, layer = cell % columns, cell // columns % rows, cell // (columns * rows)
    column, row = column + step[0], row + step[1]
    layer += step[2] + (column // columns) + (row // rows)
    return (layer % layers * rows + row % rows) * columns + column % columns
