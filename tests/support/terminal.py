"""A pseudo-terminal with a program in it: a test types keys when it has read what it waits for. Nothing sleeps."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from typing import Final

from tests.support.player import WAIT_S

ESCAPE: Final = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[=>])")
"""A sequence that sets a colour or moves the cursor."""
LEFT, RIGHT, UP, DOWN = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
CTRL_C, CTRL_D, ENTER = "\x03", "\x04", "\r"


def run(*arguments: str, lines: Sequence[str] = (), columns: int = 80) -> subprocess.CompletedProcess[str]:
    """Run ``noughts`` with these lines on its standard input, and wait for its end."""
    return subprocess.run(
        [sys.executable, "-m", "noughts", *arguments],
        input="".join(f"{line}\n" for line in lines),
        env={**os.environ, "COLUMNS": str(columns)},
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )


class Terminal:
    """``noughts`` in a terminal of ``columns`` by 24. ``text`` is what it wrote, without escape sequences."""

    def __init__(self, *arguments: str, columns: int = 80, name: str = "xterm-256color") -> None:
        self._main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, *arguments],
            stdin=side,
            stdout=side,
            stderr=side,
            env={**environment, "TERM": name},
            start_new_session=True,
        )
        os.close(side)
        self.raw = ""
        self._read_to = 0

    @property
    def text(self) -> str:
        return ESCAPE.sub("", self.raw).replace("\r", "")

    def until(self, text: str) -> str:
        """Read until ``text`` comes that was not there at the last call. Return what came since then, up to its end."""
        while text not in self.text[self._read_to :]:
            assert self._read(), f"no {text!r} in:\n{self.text}"
        start = self._read_to
        self._read_to = self.text.index(text, start) + len(text)
        return self.text[start : self._read_to]

    def type(self, keys: str) -> None:
        os.write(self._main, keys.encode())

    def type_and_interrupt(self, keys: str) -> None:
        """Send keys and the signal of Ctrl-C so that both are there when the program looks for either."""
        self._process.send_signal(signal.SIGSTOP)
        self.type(keys)
        self._process.send_signal(signal.SIGINT)
        self._process.send_signal(signal.SIGCONT)

    def end(self) -> int:
        """Read to the end of the program, and return its exit status."""
        while self._read():
            pass
        return self._process.wait(WAIT_S)

    def close(self) -> None:
        """Kill the program if it still runs."""
        self._process.kill()
        self._process.wait()
        os.close(self._main)

    def _read(self) -> bool:
        readable, _, _ = select.select([self._main], [], [], WAIT_S)
        assert readable, f"the program waits:\n{self.text}"
        try:
            data = os.read(self._main, 65536)
        except OSError:  # the program has ended
            return False
        self.raw += data.decode(errors="replace")
        return bool(data)


_CHILD: Final = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C reaches this process
from noughts.command_line import main
sys.exit(main())
"""
