"""The process in which a bot, a level of the engine, or the judge of moves runs: ``python -m noughts.bots.chooser_worker``.

It reads one request a line on standard input and writes one answer a line on standard output. What a bot prints goes to
standard error. A bot that never answers is killed with its process, and nothing else is.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn, Protocol

from noughts.bots.bot_file import BotError, Choose, chosen_cell, load_bot
from noughts.bots.line_messages import (
    Answer,
    ChooseMove,
    Chosen,
    Failed,
    Judged,
    JudgeGame,
    Ready,
    Request,
    decode_request,
    line,
)
from noughts.engine.budget import Budget
from noughts.engine.engine import analyse_game, choose
from noughts.protocol.messages import View
from noughts.rules.game import replay_names
from noughts.rules.variant import variant_named


class Chooser(Protocol):
    """Answers requests."""

    async def answer(self, request: Request) -> Answer: ...


class BotChooser:
    """The function of a bot file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._choose: Choose = load_bot(path)

    async def answer(self, request: Request) -> Answer:
        assert isinstance(request, ChooseMove)
        return Chosen(await chosen_cell(self._choose, request.view, self._path))


class LevelChooser:
    """The engine at a level, with ``seconds`` for a move.

    Its random numbers depend on the seed, the game and the moves. So a game is the same whichever process plays it, where
    the clock does not matter.
    """

    def __init__(self, level: str, seed: str, seconds: float) -> None:
        self._level = level
        self._seed = seed
        self._seconds = seconds

    async def answer(self, request: Request) -> Answer:
        assert isinstance(request, ChooseMove)
        game = replay_names(variant_named(_variant(request.view)), request.view.game.moves if request.view.game else ())
        budget = Budget(time.monotonic() + self._seconds, time.monotonic)
        rng = random.Random(f"{self._seed} {request.view.id} {game.moves}")
        return Chosen(game.variant.names[choose(game, self._level, budget, rng).cell])


class Judge:
    """The engine's verdicts on a game that is over."""

    async def answer(self, request: Request) -> Answer:
        assert isinstance(request, JudgeGame)
        variant = variant_named(request.variant)
        budget = Budget(time.monotonic() + request.seconds, time.monotonic)
        plies = analyse_game(variant, replay_names(variant, request.moves).moves, budget)
        return Judged(tuple([None if ply.verdict is None else ply.verdict.value for ply in plies]))


def _variant(view: View) -> str:
    return view.variant if view.game is None else view.game.variant


def _chooser(arguments: Sequence[str]) -> Chooser:
    kind, *values = arguments
    if kind == "bot":
        return BotChooser(Path(values[0]))
    if kind == "level":
        return LevelChooser(values[0], values[1], float(values[2]))
    return Judge()


async def serve(chooser: Chooser, requests: BinaryIO, answers: BinaryIO) -> NoReturn:
    """Answer requests, one at a time, until the process ends."""
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    reader = threading.Thread(target=_read, args=(requests, lines, asyncio.get_running_loop()), daemon=True)
    reader.start()
    answers.write(line(Ready()))
    answers.flush()
    while True:
        text = await lines.get()
        try:
            answer = await chooser.answer(decode_request(text))
        except BotError as error:
            answer = Failed(error.reason, error.detail)
        answers.write(line(answer))
        answers.flush()


def _read(requests: BinaryIO, lines: asyncio.Queue[bytes], loop: asyncio.AbstractEventLoop) -> None:
    """Read requests. When standard input ends, the parent is gone: end this process, whatever the bot is doing."""
    for text in requests:
        loop.call_soon_threadsafe(lines.put_nowait, text)
    os._exit(0)


def main(arguments: Sequence[str]) -> int:
    """Serve the requests on standard input until it ends. Return the exit status if the bot cannot be used."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a bot prints is no answer
    try:
        chooser = _chooser(arguments)
    except BotError as error:
        answers.write(line(Failed(error.reason, error.detail)))
        answers.flush()
        return 2
    asyncio.run(serve(chooser, sys.stdin.buffer, answers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
