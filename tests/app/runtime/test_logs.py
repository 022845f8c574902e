"""Log lines: their form, which of them are not written, and the thread that writes them."""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from aiohttp.http_exceptions import BadHttpMessage

from noughts.app.runtime.logs import AUDIT, LINE_S, LINES, MAX_TEXTS, LineRate, LogWriter, set_up_logs
from noughts.room.commands import Close, Move, Resign
from tests.support.full_pipe import FullPipe, full_pipe
from tests.support.manual_clock import ManualClock
from tests.support.node import ANN, BEN, Node


@pytest.fixture(autouse=True)
def restored_logs() -> Iterator[None]:
    """Set the logs back to what they were."""
    root, http = logging.getLogger(), logging.getLogger("aiohttp.server")
    handlers, level, filters = root.handlers[:], root.level, http.filters[:]
    yield
    root.handlers[:], http.filters[:] = handlers, filters
    root.setLevel(level)
    structlog.reset_defaults()


def test_json_lines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("info", "json", "node1")
    structlog.get_logger().info("store recovered", rooms=3)
    logging.getLogger("aiohttp.web").warning("careful: %s", "x")
    ours, theirs = map(json.loads, capsys.readouterr().err.splitlines())
    assert (ours["event"], ours["rooms"], ours["level"]) == ("store recovered", 3, "info")
    assert (theirs["event"], theirs["level"]) == ("careful: x", "warning")
    assert ours["timestamp"].endswith("Z")
    assert ours["node"] == theirs["node"] == "node1"


def test_text_lines_are_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal there are no colours. Tracebacks follow the line."""
    set_up_logs("debug", "text")
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError:
        structlog.get_logger().exception("a fault", room="r")
    lines = capsys.readouterr().err
    assert "a fault" in lines
    assert "ZeroDivisionError: by zero" in lines
    assert "\x1b" not in lines


def test_lines_below_the_level_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    """Libraries are quiet below a warning at every level."""
    set_up_logs("error", "text")
    structlog.get_logger().warning("quiet")
    logging.getLogger("aiohttp.web").warning("quiet")
    assert capsys.readouterr().err == ""
    set_up_logs("debug", "text")
    logging.getLogger("asyncio").info("quiet")
    assert capsys.readouterr().err == ""


def test_malformed_requests_of_strangers_are_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    """The line would quote the request, and a secret in its URL."""
    set_up_logs("info", "text")
    server = logging.getLogger("aiohttp.server")
    for error in (BadHttpMessage("GET /?token=secret"), ValueError("ours")):
        server.error("Error handling request", exc_info=error)
    server.warning("without an exception")
    lines = capsys.readouterr().err
    assert "secret" not in lines
    assert "ours" in lines
    assert "without an exception" in lines


# --- how many lines are written -------------------------------------------------------------------------------------


def written(rate: LineRate, text: str, times: int) -> list[int]:
    """Log a text, and return how many lines each written line counts as dropped before it."""
    return [dropped for _ in range(times) if (dropped := rate.dropped_before(text)) is not None]


def test_a_text_is_written_five_times_at_once_then_once_a_minute() -> None:
    clock = ManualClock()
    rate = LineRate(clock.now_s)
    assert written(rate, "room made", 25) == LINES * [0]
    assert written(rate, "room closed", 1) == [0]
    clock.ms += int(LINE_S * 1_000)
    assert written(rate, "room made", 3) == [25 - LINES]
    clock.ms += int(LINES * LINE_S * 1_000)
    assert written(rate, "room made", 25) == [2, *(LINES - 1) * [0]]
    assert written(rate, AUDIT, 99) == 99 * [0]
    for number in range(MAX_TEXTS):
        assert written(rate, f"text {number}", 1) == [0]


async def test_players_do_not_make_the_log_longer(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines of rooms and games are rendered on the event loop, which takes longer than a move. So they are limited."""
    set_up_logs("info", "json")
    structlog.configure(cache_logger_on_first_use=False)  # the server's own loggers must not keep this stream
    for _ in range(3 * LINES):
        actor = await node.game()
        await actor.request(ANN, Move("move", 0, "b2"))
        await actor.request(BEN, Resign("resign"))
        await actor.request(ANN, Close("close"))
    logging.getLogger("aiohttp.web").warning("a first line")
    for _ in range(3 * LINES):
        logging.getLogger("aiohttp.web").warning("a library's line")
    texts = Counter(json.loads(line)["event"] for line in capsys.readouterr().err.splitlines())
    assert texts == {
        "room made": LINES, "game ended": LINES, "room closed": LINES, "a first line": 1, "a library's line": LINES,
    }  # fmt: skip


@pytest.fixture
def pipe() -> Iterator[FullPipe]:
    with full_pipe() as pipe:
        yield pipe


def test_lines_are_written_in_their_order(tmp_path: Path) -> None:
    """The end waits for the last one."""
    with (tmp_path / "log").open("wb") as file, LogWriter(file.fileno()) as writer:
        for number in range(2_000):
            assert writer.write(f"line {number} \ud800\n") == len(f"line {number} x\n")
            writer.flush()
        assert not writer.isatty()
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines == [f"line {number} \\ud800" for number in range(2_000)]
    assert writer.dropped == 0


def test_nobody_waits_for_a_pipe_that_is_not_read(pipe: FullPipe) -> None:
    """What waits is bounded. It is written once the pipe is read again."""
    with LogWriter(pipe.write_end, max_waiting=1_000) as writer:
        for _ in range(100):
            writer.write("x" * 99 + "\n")
        assert writer.dropped == 100 - 11
        pipe.read(pipe.filled)
        assert pipe.read(1_100) == (b"x" * 99 + b"\n") * 11
        writer.write("again\n")
        assert pipe.read(6) == b"again\n"
    assert writer.dropped == 100 - 11


def test_the_end_waits_for_a_limited_time(pipe: FullPipe) -> None:
    with LogWriter(pipe.write_end, end_s=0.01) as writer:
        writer.write("lost\n")
    pipe.read(pipe.filled + 5)


def test_a_pipe_that_another_program_made_non_blocking(pipe: FullPipe) -> None:
    os.set_blocking(pipe.write_end, False)
    with LogWriter(pipe.write_end) as writer:
        writer.write("line\n")
        pipe.read(pipe.filled)
        assert pipe.read(5) == b"line\n"
    assert writer.dropped == 0


def test_what_cannot_be_written_is_counted(pipe: FullPipe) -> None:
    """The reader of a pipe is gone, or the disk is full."""
    pipe.close_read_end()
    full_disk = os.open("/dev/full", os.O_WRONLY)
    for descriptor in (pipe.write_end, full_disk):
        with LogWriter(descriptor) as writer:
            for _ in range(3):
                writer.write("line\n")
        assert writer.dropped == 3
    os.close(full_disk)
