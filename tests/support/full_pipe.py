"""A pipe that is full: a program that writes to it blocks until the test reads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


class FullPipe:
    """The two ends, and how many bytes fill the pipe."""

    def __init__(self) -> None:
        self._read_end, self.write_end = os.pipe()
        self._open = True
        self.filled = 0
        os.set_blocking(self.write_end, False)
        try:
            while True:
                self.filled += os.write(self.write_end, bytes(4_096))
        except BlockingIOError:
            os.set_blocking(self.write_end, True)

    def read(self, size: int) -> bytes:
        """Read as many bytes, and wait for them."""
        data = b""
        while len(data) < size:
            data += os.read(self._read_end, size - len(data))
        return data

    def close_read_end(self) -> None:
        """Leave the pipe without a reader."""
        if self._open:
            self._open = False
            os.close(self._read_end)


@contextmanager
def full_pipe() -> Iterator[FullPipe]:
    """Make a full pipe, and close it in the end."""
    pipe = FullPipe()
    try:
        yield pipe
    finally:
        pipe.close_read_end()
        os.close(pipe.write_end)
