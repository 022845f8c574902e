"""A worker as the pool sees it: a child process that takes one request at a time, and can be limited and killed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

import msgspec

import noughts
from noughts.app.search.line_protocol import Limit, Ready, Reply, Request, Warned, line, read_reply

COMMAND: Final = (sys.executable, "-m", "noughts.app.search.worker")
_DIRECTORY: Final = Path(noughts.__file__).parents[1]
"""The working directory of a worker. ``python -m`` looks for modules there first: it must find this package, and no file of
the directory that the server was started in."""


class WorkerLostError(Exception):
    """The worker has ended, or it must be killed because it does not answer. The message says why."""


class WorkerProcess(asyncio.SubprocessProtocol):
    """One worker process, with the reply that it is to send."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = loop.create_future()
        """Done once the worker can answer no more."""
        self.warnings: list[str] = []
        """The texts of the warnings that the worker has sent. The pool logs them and empties the list."""
        self._ready: asyncio.Future[None] = loop.create_future()
        self._exited: asyncio.Future[None] = loop.create_future()
        self._reply: asyncio.Future[Reply] | None = None
        self._rest = b""
        self._transport: asyncio.SubprocessTransport | None = None

    @classmethod
    async def spawn(cls, niceness: int) -> WorkerProcess:
        """Start a process, and return before it is ready. Raise ``OSError`` if the system cannot start one."""
        # A session of its own, so that Ctrl-C in a terminal does not interrupt a worker that has yet to ignore it.
        _, worker = await asyncio.get_running_loop().subprocess_exec(
            cls, *COMMAND, str(niceness), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, cwd=_DIRECTORY,
            start_new_session=True,
        )  # fmt: skip
        return worker

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return -1 if self._transport is None else self._transport.get_pid()

    @property
    def stopped(self) -> bool:
        """Return whether a signal has stopped the process, which then answers nothing. False where that is not known."""
        try:
            return Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b") ")[2].startswith((b"T", b"t"))
        except OSError:
            return False

    async def ready(self, seconds: float) -> None:
        """Wait until the worker has started. Raise :class:`WorkerLostError` if it ends, or is not ready by then."""
        await asyncio.wait((self._ready, self.ended), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if not self._ready.done():
            raise WorkerLostError("it did not start")

    def send(self, request: Request) -> asyncio.Future[Reply]:
        """Send a request, and return its reply to come. If the worker ends first, the reply is cancelled.

        A worker has one request at a time: send the next one once the reply is here.
        """
        self._reply = asyncio.get_running_loop().create_future()
        if self.ended.done():
            self._reply.cancel()
        else:
            self._write(line(request))
        return self._reply

    def limit(self, request: Request, seconds: float) -> None:
        """Tell the worker to end the search for this request within ``seconds``. Its reply still comes."""
        self._write(line(Limit(request.id, max(0.0, seconds))))

    def kill(self) -> None:
        """Kill the process, also one that hangs. Its pipes close by themselves."""
        if self._transport is not None:
            with suppress(ProcessLookupError):
                self._transport.kill()

    async def exited(self) -> None:
        """Wait until the process is gone and its pipes are closed."""
        await asyncio.shield(self._exited)

    def _write(self, text: bytes) -> None:
        pipe = None if self._transport is None else self._transport.get_pipe_transport(0)
        if pipe is not None:
            cast(asyncio.WriteTransport, pipe).write(text)

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
        if self._reply is not None:
            self._reply.cancel()

    # --- called by the event loop ---------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take the replies in what the worker wrote. A line that is not a reply ends the worker."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for text in lines:
            try:
                message = read_reply(text)
            except (msgspec.DecodeError, UnicodeDecodeError):
                self._end()
                self.kill()
                return
            if isinstance(message, Ready):
                if not self._ready.done():
                    self._ready.set_result(None)
            elif isinstance(message, Warned):
                self.warnings.append(message.text)
            elif self._reply is not None and not self._reply.done():
                self._reply.set_result(message)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that the worker has ended. A pipe closes no later than its process ends."""
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the process is gone and that its pipes are closed."""
        self._end()
        if self._transport is not None:
            self._transport.close()
        if not self._exited.done():
            self._exited.set_result(None)
