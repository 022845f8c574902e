"""A worker: what it answers, how a search is shortened, and that it never outlives its server."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
import warnings
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from noughts.app.search import worker as worker_module
from noughts.app.search.line_protocol import (
    AnalysisRequest,
    Answer,
    Fault,
    Limit,
    MoveRequest,
    Ready,
    Rejected,
    Reply,
    Request,
    VerdictRequest,
    Warned,
    line,
    raw,
    read_reply,
    value,
)
from noughts.app.search.worker import OOM_SCORE, Worker
from noughts.engine.budget import Budget
from noughts.engine.engine import analyse, analyse_game, choose
from noughts.engine.verdict import UNKNOWN, AnalysedPly
from noughts.rules.game import new_game, replay
from noughts.rules.variant import VARIANTS, Variant
from tests.support.player import WAIT_S
from tests.support.waiting import until

CLASSIC = VARIANTS["classic"]
ENDLESS = MoveRequest(7, VARIANTS["ultimate"], (40,), 2 * WAIT_S, "strongest", 1)
QUICK = MoveRequest(8, CLASSIC, (4,), 1.0, "perfect", 1)


class Looks:
    """A clock that counts how often it is read, and goes on by so many seconds each time: at 0 it stands still."""

    def __init__(self, step_s: float = 0.0) -> None:
        self.count = 0
        self._step_s = step_s

    def __call__(self) -> float:
        self.count += 1
        return 100.0 + self.count * self._step_s


def replies(worker: Worker, *messages: Request | Limit) -> list[Reply | Ready | Warned]:
    """Return what the worker replies to these messages, ``ready`` included."""
    worker.read([line(message) for message in messages])
    lines = worker.replies()
    requests = [message for message in messages if not isinstance(message, Limit)]
    return [read_reply(next(lines)) for _ in range(1 + len(requests))]


def test_it_answers_what_the_engine_answers() -> None:
    """One request of each kind, in order, after ``ready``."""
    cells = (4, 1)
    budget = Budget(time.monotonic() + WAIT_S, time.monotonic)
    game = replay(CLASSIC, cells)
    assert replies(
        Worker(),
        MoveRequest(1, CLASSIC, cells, WAIT_S, "casual", 5),
        VerdictRequest(2, CLASSIC, cells, WAIT_S),
        AnalysisRequest(3, CLASSIC, cells, WAIT_S),
    ) == [
        Ready(),
        Answer(1, raw(choose(game, "casual", budget, random.Random(5)))),
        Answer(2, raw(analyse(game.position, budget).verdict)),
        Answer(3, raw(analyse_game(CLASSIC, cells, budget))),
    ]


def test_a_rejection_comes_back_with_its_code_and_ply() -> None:
    _, illegal, level = replies(
        Worker(), AnalysisRequest(1, CLASSIC, (4, 0, 4), 1.0), MoveRequest(2, CLASSIC, (), 1.0, "godlike", 1)
    )
    assert isinstance(illegal, Rejected)
    assert (illegal.id, illegal.code, illegal.ply) == (1, "illegal_move", 2)
    assert isinstance(level, Rejected)
    assert (level.id, level.code, level.ply) == (2, "bad_message", None)


def test_a_fault_comes_back_and_the_worker_goes_on() -> None:
    """A move in a game that is over is a fault of the caller."""
    _, fault, answer = replies(Worker(), MoveRequest(1, CLASSIC, (0, 3, 1, 4, 2), 1.0, "perfect", 1), QUICK)
    assert isinstance(fault, Fault)
    assert fault.traceback.startswith("Traceback")
    assert "the game is over" in fault.traceback
    assert isinstance(answer, Answer)


@pytest.mark.parametrize("kind", [VerdictRequest, AnalysisRequest])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_search_can_be_cancelled(variant: str, kind: type[VerdictRequest | AnalysisRequest]) -> None:
    game = new_game(VARIANTS[variant])
    for _ in range(2):
        game = game.play(game.position.legal()[-1])
    _, answer = replies(Worker(Looks()), kind(1, game.variant, game.moves, 60.0), Limit(1, 0.0))
    assert isinstance(answer, Answer)


def test_no_share_of_a_cancelled_search_has_time_left() -> None:
    """An analysis gives each position a share of its time. Nothing is proved of a board that no search has seen yet."""
    board = Variant("new", "New", "Four in a line wins.", (4, 4), 4)
    _, answer = replies(Worker(Looks()), AnalysisRequest(1, board, (), 60.0), Limit(1, 0.0))
    assert isinstance(answer, Answer)
    (ply,) = value(answer, list[AnalysedPly])
    assert ply.verdict == UNKNOWN


def test_a_late_limit_is_ignored() -> None:
    """The request that it means is answered: the next one searches until its deadline."""
    clock = Looks(step_s=2 * WAIT_S / 10)
    replies(Worker(clock), Limit(1, 0.0), ENDLESS, Limit(1, 0.0))
    assert clock.count > 10


@pytest.mark.parametrize(("seconds", "limit_s"), [(1_000.0, 40.0), (40.0, 1_000.0)], ids=["shortened", "not longer"])
def test_a_limit_ends_a_search_sooner_and_never_later(seconds: float, limit_s: float) -> None:
    """The clock goes on by a second at each reading: 40 readings, and the search is over."""
    clock = Looks(step_s=1.0)
    request = MoveRequest(1, ENDLESS.variant, ENDLESS.cells, seconds, "strongest", 1)
    replies(Worker(clock), request, Limit(1, limit_s))
    assert 30 <= clock.count < 60


def test_a_warning_of_the_engine_comes_before_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose_with_a_warning(*arguments: object) -> object:
        warnings.warn("a damaged file", stacklevel=1)
        return 4, UNKNOWN

    monkeypatch.setattr(worker_module, "choose", choose_with_a_warning)
    worker = Worker()
    worker.read([line(QUICK)])
    lines = worker.replies()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert [read_reply(next(lines)) for _ in range(3)] == [
            Ready(),
            Warned("a damaged file"),
            Answer(QUICK.id, raw((4, UNKNOWN))),
        ]


def test_a_worker_without_memory_left_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a fault of this process, not of the request: a new process has no tables yet."""

    def filled(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(worker_module, "choose", filled)
    with pytest.raises(MemoryError):
        replies(Worker(), QUICK)


# --- the process ----------------------------------------------------------------------------------------------------


@pytest.fixture
async def process() -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "noughts.app.search.worker", "10", stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    async with asyncio.timeout(WAIT_S):
        assert process.stdout is not None
        assert read_reply(await process.stdout.readline()) == Ready()
    yield process
    if process.returncode is None:
        process.kill()
    await process.communicate()


async def reply(process: Process, *messages: Request | Limit) -> Reply | Ready | Warned:
    """Send messages to a worker and return its next reply."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.writelines(line(message) for message in messages)
    async with asyncio.timeout(WAIT_S):
        return read_reply(await process.stdout.readline())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
async def test_signals_that_stop_the_server_do_not_end_a_worker(process: Process, number: signal.Signals) -> None:
    """A terminal and systemd send them to all processes. The server ends its workers itself."""
    process.send_signal(number)
    assert isinstance(await reply(process, QUICK), Answer)


async def test_it_yields_to_the_server(process: Process) -> None:
    niceness = os.getpriority(os.PRIO_PROCESS, process.pid)
    assert niceness == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has this order")
async def test_it_is_killed_before_the_server_when_memory_is_short(process: Process) -> None:
    assert isinstance(await reply(process, QUICK), Answer)
    own = int(Path("/proc/self/oom_score_adj").read_text())
    assert int(Path(f"/proc/{process.pid}/oom_score_adj").read_text()) == min(1_000, own + OOM_SCORE)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone ends a process with its parent")
async def test_it_ends_with_a_killed_server_even_when_it_is_stopped() -> None:
    code = (
        "import subprocess, sys\n"
        "worker = subprocess.Popen([sys.executable, '-m', 'noughts.app.search.worker', '0'], stdin=-1, stdout=-1)\n"
        "worker.stdout.readline()\n"
        "print(worker.pid, flush=True)\n"
        "input()\n"
    )
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdin=PIPE, stdout=PIPE)
    assert parent.stdout is not None
    worker = int(await parent.stdout.readline())
    os.kill(worker, signal.SIGSTOP)
    parent.kill()
    await parent.wait()

    def is_gone() -> bool:
        path = Path(f"/proc/{worker}/stat")
        return not path.exists() or path.read_bytes().rpartition(b") ")[2].startswith(b"Z")

    await until(is_gone)
    await parent.communicate()


async def test_it_loads_nothing_of_the_server() -> None:
    """Neither libraries nor floors: it starts in the time that the engine takes to load."""
    code = "import sys; before = set(sys.modules); import noughts.app.search.worker; print(*set(sys.modules) - before)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=PIPE)
    output, _ = await process.communicate()
    modules = set(output.decode().split())
    assert "noughts.engine.engine" in modules
    assert modules.isdisjoint({"aiohttp", "asyncio", "structlog", "sqlite3", "noughts.app.search.pool"})
    assert modules.isdisjoint({"noughts.room", "noughts.protocol", "noughts.store"})
