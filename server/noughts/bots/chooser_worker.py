"""The process in which a bot runs: ``python -m noughts.bots.chooser_worker FILE``.

It reads one view a line on standard input and writes one answer a line on standard output, as JSON. What a bot prints goes
to standard error. A bot that never answers is killed with its process, and nothing else is.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

import msgspec

from noughts.bots.bot_file import BotError, Choose, chosen_cell, load_bot
from noughts.protocol.codec import encode
from noughts.protocol.messages import View
from noughts.values import Value


class Answer(Value):
    """The cell that was chosen, or the reason why there is none. It has neither when the process begins to take views.

    ``detail`` is a traceback of the bot's own code, or empty.
    """

    cell: str | None = None
    reason: str = ""
    detail: str = ""


_view: Final = msgspec.json.Decoder(View)
_answer: Final = msgspec.json.Decoder(Answer)
decode_answer: Final = _answer.decode


def line(message: View | Answer) -> bytes:
    """Return a message as a line."""
    return encode(message) + b"\n"


async def serve(choose: Choose, path: Path, views: BinaryIO, answers: BinaryIO) -> NoReturn:
    """Answer views, one at a time, until the process ends."""
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    reader = threading.Thread(target=_read, args=(views, lines, asyncio.get_running_loop()), daemon=True)
    reader.start()
    _write(answers, Answer())
    while True:
        view = _view.decode(await lines.get())
        try:
            _write(answers, Answer(await chosen_cell(choose, view, path)))
        except BotError as error:
            _write(answers, Answer(None, error.reason, error.detail))


def _write(answers: BinaryIO, answer: Answer) -> None:
    answers.write(line(answer))
    answers.flush()


def _read(views: BinaryIO, lines: asyncio.Queue[bytes], loop: asyncio.AbstractEventLoop) -> None:
    """Read views. When standard input ends, the parent is gone: end this process, whatever the bot is doing."""
    for text in views:
        loop.call_soon_threadsafe(lines.put_nowait, text)
    os._exit(0)


def main(path: Path) -> int:
    """Answer the views on standard input until it ends. Return the exit status if the bot cannot be used."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a bot prints is no answer
    try:
        choose = load_bot(path)
    except BotError as error:
        _write(answers, Answer(None, error.reason, error.detail))
        return 2
    asyncio.run(serve(choose, path, sys.stdin.buffer, answers))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
