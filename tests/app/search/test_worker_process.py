"""A worker as the pool sees it: started, asked, cancelled, lost, killed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from noughts.app.search.line_protocol import Answer, MoveRequest
from noughts.app.search.worker_process import WorkerLostError, WorkerProcess
from noughts.rules.variant import VARIANTS
from tests.support.player import WAIT_S
from tests.support.searching import is_alive
from tests.support.waiting import until

ENDLESS = MoveRequest(7, VARIANTS["ultimate"], (40,), 2 * WAIT_S, "strongest", 1)
QUICK = MoveRequest(8, VARIANTS["classic"], (4,), 1.0, "perfect", 1)


@pytest.fixture
async def worker() -> AsyncIterator[WorkerProcess]:
    worker = await WorkerProcess.spawn(10)
    await worker.ready(WAIT_S)
    yield worker
    worker.kill()
    await worker.exited()


async def test_a_worker_that_a_signal_stops_is_seen(worker: WorkerProcess) -> None:
    assert not worker.stopped
    os.kill(worker.pid, signal.SIGSTOP)
    await until(lambda: worker.stopped)
    os.kill(worker.pid, signal.SIGCONT)
    await until(lambda: not worker.stopped)
    worker.kill()
    await worker.exited()
    assert not worker.stopped


async def test_a_worker_that_dies_cancels_its_reply(worker: WorkerProcess) -> None:
    reply = worker.send(ENDLESS)
    worker.kill()
    async with asyncio.timeout(WAIT_S):
        await asyncio.wait((reply,))
        await worker.exited()
    assert reply.cancelled()
    assert worker.ended.done()
    assert not is_alive(worker.pid)
    assert worker.send(QUICK).cancelled()
    worker.kill()  # again: nothing happens


async def test_a_worker_that_dies_as_it_starts_is_lost() -> None:
    worker = await WorkerProcess.spawn(10)
    worker.kill()
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(WorkerLostError):
            await worker.ready(2 * WAIT_S)
        await worker.exited()


async def test_a_line_in_parts_is_one_line() -> None:
    worker = WorkerProcess()
    for part in (b'{"type":', b'"ready"}', b"\n"):
        worker.pipe_data_received(1, part)
    await worker.ready(WAIT_S)
    reply = worker.send(QUICK)
    worker.pipe_data_received(1, b'{"type":"answer","id":8,"value":1}\n{"type":"ans')
    assert isinstance(reply.result(), Answer)


async def test_warnings_wait_for_the_pool() -> None:
    worker = WorkerProcess()
    reply = worker.send(QUICK)
    worker.pipe_data_received(1, b'{"type":"warning","text":"one"}\n{"type":"warning","text":"two"}\n')
    assert worker.warnings == ["one", "two"]
    assert not reply.done()


@pytest.mark.parametrize(
    "nonsense", [b"hello\n", b'{"type":"answer"}\n', b'{"type":"fault","id":7,"traceback":"\xff"}\n']
)
async def test_a_worker_that_writes_nonsense_is_lost(worker: WorkerProcess, nonsense: bytes) -> None:
    """It is killed too: nobody knows what it will say next."""
    reply = worker.send(ENDLESS)
    worker.pipe_data_received(1, nonsense)
    assert reply.cancelled()
    async with asyncio.timeout(WAIT_S):
        await worker.exited()


async def test_a_reply_that_nobody_waits_for_is_ignored() -> None:
    """So is a second ``ready``."""
    worker = WorkerProcess()
    answer = b'{"type":"answer","id":8,"value":1}\n'
    worker.pipe_data_received(1, answer + b'{"type":"ready"}\n' * 2)
    reply = worker.send(QUICK)
    assert not reply.done()
    worker.pipe_data_received(1, answer * 2)
    assert isinstance(reply.result(), Answer)
    assert not worker.ended.done()


async def test_a_worker_without_a_process_is_lost_in_silence() -> None:
    """The event loop may lose a connection that was never made, and may say so twice."""
    worker = WorkerProcess()
    worker.kill()
    assert worker.pid == -1
    for _ in range(2):
        worker.connection_lost(None)
    await worker.exited()
    assert worker.ended.done()


async def test_no_file_of_the_working_directory_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may be started in any directory: what is called random.py there is not ours."""
    (tmp_path / "random.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    worker = await WorkerProcess.spawn(10)
    try:
        await worker.ready(WAIT_S)
    finally:
        worker.kill()
        await worker.exited()
