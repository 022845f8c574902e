"""Background tasks, and log lines that may repeat."""

from __future__ import annotations

import asyncio
import gc

import pytest

from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from tests.support.virtual_time import in_virtual_time


def test_a_task_runs_without_another_reference() -> None:
    """The event loop holds tasks only weakly."""

    async def scenario() -> None:
        tasks, outcomes = Tasks(), []

        async def work() -> None:
            await asyncio.sleep(1.0)
            outcomes.append("done")

        tasks.run(work())
        gc.collect()
        await asyncio.sleep(2.0)
        assert outcomes == ["done"]

    in_virtual_time(scenario())


def test_stopping_waits_and_then_cancels() -> None:
    async def scenario() -> None:
        tasks, ends = Tasks(), []

        async def work(seconds: float) -> None:
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                ends.append(f"{seconds:g} cancelled")
                raise
            ends.append(f"{seconds:g} done")

        for seconds in (0.5, 1.5, 60.0):
            tasks.run(work(seconds))
        await tasks.stop(1.0)
        await asyncio.sleep(0)
        assert sorted(ends) == ["0.5 done", "1.5 cancelled", "60 cancelled"]
        assert asyncio.get_running_loop().time() == 1.0

    in_virtual_time(scenario())


def test_a_task_that_fails_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    """A rejection is no fault: somebody was answered."""

    async def scenario() -> None:
        tasks = Tasks()

        async def fail(error: Exception) -> None:
            raise error

        for error in (ZeroDivisionError("a bug"), Rejection("forbidden", "Not now.")):
            tasks.run(fail(error))
        await asyncio.sleep(1.0)

    in_virtual_time(scenario())
    log = capsys.readouterr().out
    assert "ZeroDivisionError: a bug" in log
    assert "Not now" not in log


def test_work_that_must_not_end_begins_again(capsys: pytest.CaptureFixture[str]) -> None:
    """A second after each fault, and until the server stops."""

    async def scenario() -> None:
        tasks, starts_s = Tasks(), []

        async def work() -> None:
            starts_s.append(asyncio.get_running_loop().time())
            if len(starts_s) < 3:
                raise ZeroDivisionError(f"fault {len(starts_s)}")
            await asyncio.sleep(60.0)

        tasks.keep_running(work)
        await asyncio.sleep(5.0)
        await tasks.stop(0.0)
        await asyncio.sleep(5.0)
        assert starts_s == [0.0, 1.0, 2.0]

    in_virtual_time(scenario())
    log = capsys.readouterr().out
    assert log.count("ZeroDivisionError: fault ") == 2
