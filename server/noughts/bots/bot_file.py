"""A bot file: Python with a function ``choose(view)`` that returns the name of a cell."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

from noughts.protocol.messages import View

FUNCTION: Final = "choose"

Choose: TypeAlias = Callable[[View], object | Awaitable[object]]
"""A bot's function. It gets the view of a room in which the bot is to move, and returns the name of a legal cell."""


class BotError(Exception):
    """A bot did not choose a move. ``reason`` is one line; ``detail`` is a traceback, or empty.

    ``stops`` says that it failed so often that it should not go on.
    """

    stops = False

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


def load_bot(path: Path) -> Choose:
    """Import a bot file and return its function. Raise :class:`BotError`."""
    if not path.is_file():
        raise BotError(f"there is no file {path}: name a Python file with a function {FUNCTION}(view).")
    spec = importlib.util.spec_from_file_location(f"bot_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BotError(f"{path} is no Python file: its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickle look their module up
    sys.path.insert(0, str(path.parent.resolve()))  # as `python FILE` does, so that it may import its neighbours
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BotError(f"{path} cannot be imported: {_summary(error)}.", traceback.format_exc()) from None
    function = getattr(module, FUNCTION, None)
    if not callable(function):
        raise BotError(f"{path} has no function {FUNCTION}: define `def {FUNCTION}(view)`, which returns a cell.")
    loaded: Choose = function
    return loaded


async def chosen_cell(choose: Choose, view: View) -> str:
    """Return the cell that a bot chooses. Raise :class:`BotError` with the reason if it is not a legal one."""
    try:
        answer = choose(view)
        if inspect.isawaitable(answer):
            answer = await answer
    except (Exception, SystemExit) as error:
        raise BotError(f"{FUNCTION} raised {_summary(error)}", traceback.format_exc()) from None
    return legal_cell(answer, view)


def legal_cell(answer: object, view: View) -> str:
    """Return a bot's answer if it is a legal cell of a view. Raise :class:`BotError` if it is not."""
    legal = () if view.game is None else view.game.legal
    if not isinstance(answer, str) or answer not in legal:
        some = ", ".join(legal[:8]) + (", …" if len(legal) > 8 else "")
        raise BotError(f"{FUNCTION} returned {_short(answer)}, which is no legal cell: {some}")
    return legal[legal.index(answer)]  # plain text, also for an answer of a class of the bot's own


def _summary(error: BaseException) -> str:
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _short(answer: object) -> str:
    try:
        text = repr(answer)
    except Exception:
        text = f"a {type(answer).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
