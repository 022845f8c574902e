"""Log lines on a thread of their own: nobody waits for a pipe that is not read, and what is lost is counted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts.app.runtime.log_writer import LogWriter
from tests.support.full_pipe import FullPipe, full_pipe


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


def test_a_reader_that_is_gone(pipe: FullPipe) -> None:
    pipe.close_read_end()
    with LogWriter(pipe.write_end) as writer:
        for _ in range(3):
            writer.write("line\n")
    assert writer.dropped == 3


def test_a_full_disk() -> None:
    descriptor = os.open("/dev/full", os.O_WRONLY)
    with LogWriter(descriptor) as writer:
        writer.write("line\n")
    os.close(descriptor)
    assert writer.dropped == 1
