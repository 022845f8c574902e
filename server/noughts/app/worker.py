"""What runs in a search process. Imports the engine and nothing of the server: a worker starts fast and stays small."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
import time
from multiprocessing import connection
from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.engine import AnalysedPly, analyse, analyse_game, choose
from noughts.engine.verdict import Choice, Verdict
from noughts.rules.game import replay
from noughts.rules.variant import Variant

_NICENESS: Final = 10
"""Searches yield to the event loop, which answers people."""


def start() -> None:
    """Prepare a process: nice, deaf to the terminal's Ctrl-C, which is the server's to handle, and gone with the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A server that is killed ends nobody: its processes would wait for searches for ever. This thread only sleeps, so it
    takes nothing from a search."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait((parent.sentinel,))
        os._exit(1)


def ready() -> int:
    """Answer, and so show that the process has started."""
    return os.getpid()


def _budget(seconds: float) -> Budget:
    return Budget(time.monotonic() + seconds, time.monotonic)


def move(variant: Variant, cells: tuple[int, ...], level: str, seconds: float, seed: int) -> Choice:
    """The engine's move after ``cells``, within ``seconds``."""
    return choose(replay(variant, cells), level, _budget(seconds), random.Random(seed))


def verdict(variant: Variant, cells: tuple[int, ...], seconds: float) -> Verdict:
    """The verdict for the side to move after ``cells``, within ``seconds``."""
    return analyse(replay(variant, cells).position, _budget(seconds)).verdict


def analysis(variant: Variant, cells: tuple[int, ...], seconds: float) -> list[AnalysedPly]:
    """The verdict of every position of a game, within ``seconds``."""
    return analyse_game(variant, cells, _budget(seconds))
