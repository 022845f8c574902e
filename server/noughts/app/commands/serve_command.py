"""``noughts serve``: start a server. It alone chooses the store that a server uses, from the setting ``store``."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import re
import secrets
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Final

import structlog
from aiohttp import http_parser, web

from noughts.app.commands.stores import store_of
from noughts.app.endpoints.requests import public_base
from noughts.app.runtime.addresses import local_url, urls_for_others
from noughts.app.runtime.config import Config, add_setting_flags, given_flags, load
from noughts.app.runtime.data_directory import only_server, private_files
from noughts.app.runtime.descriptors import raise_limit
from noughts.app.runtime.logs import LogWriter, set_up_logs
from noughts.app.runtime.setting_values import SettingError
from noughts.app.runtime.trust import default_gateways, trust_warnings
from noughts.app.search.programs import program_trial
from noughts.app.server import Server
from noughts.command_line import UsageError, command_parser, part
from noughts.store.address import RedisAddress, StoreAddress
from noughts.store.backend import Backend, single_node
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.store import SqliteStore

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:  # uvloop does not exist for every platform
    from asyncio import new_event_loop

log = structlog.get_logger()

STANDARD_ERROR: Final = 2
"""The descriptor to which the log is written."""
STANDARD_OUTPUT: Final = 1
"""The descriptor to which the server's addresses are written."""
STORE_POLL_S: Final = 0.1
"""How often a server that waits for its store looks whether the store is there."""


def main(arguments: Sequence[str]) -> int:
    """Serve until a signal. Return the exit status."""
    parser = command_parser("serve")
    add_setting_flags(parser)
    flags = given_flags(parser.parse_args(arguments[1:]))
    try:
        config, warnings = load(flags, os.environ)
        with LogWriter(STANDARD_ERROR) as log_writer, LogWriter(STANDARD_OUTPUT) as output:
            set_up_logs(config.log_level, config.log_format, config.shown_name, log_writer)
            for warning in (*warnings, *trust_warnings(config, default_gateways())):
                log.warning(warning)
            return _serve(config, log_writer, output)
    except (SettingError, SchemaError, StoreUnavailableError) as error:
        raise UsageError(str(error)) from None


def _serve(config: Config, log_writer: LogWriter, output: LogWriter) -> int:
    if http_parser.HttpRequestParser is http_parser.HttpRequestParserPy:
        log.warning(
            "aiohttp parses HTTP in Python, which is slower and not the parser that is tested:"
            " install aiohttp from a wheel and unset AIOHTTP_NO_EXTENSIONS"
        )
    raise_limit()
    # Nodes that share Redis keep nothing in the data directory, and several may run on one machine.
    address = store_of(config)
    with (
        program_trial() as programs_fault,  # it runs while this process makes the store
        private_files(),
        nullcontext()
        if isinstance(address, RedisAddress)
        else only_server(config.data, any_file_system=config.any_file_system),
        asyncio.Runner(loop_factory=new_event_loop) as runner,
    ):
        return runner.run(_run(config, address, programs_fault, log_writer, output))


def _backend(config: Config, address: StoreAddress) -> Backend:
    """Return the backend of a store."""
    if not isinstance(address, RedisAddress):
        return single_node(SqliteStore(address, log.warning))
    node = f"{_plain(config.node_name or socket.gethostname())}-{secrets.token_hex(4)}"
    backend: Backend = part("nodes").redis_backend(address, node, config.store_prefix)
    return backend


def _plain(name: str) -> str:
    """Return a name as it may stand in a key of Redis."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", name)[:40]


async def _run(
    config: Config,
    address: StoreAddress,
    programs_fault: Callable[[], str | None],
    log_writer: LogWriter,
    output: LogWriter,
) -> int:
    backend, fault = _backend(config, address), programs_fault()
    if fault is not None and isinstance(address, RedisAddress):
        raise UsageError(_cannot_search(fault))
    server = Server(config, backend, log_writer, fault)
    runner = web.AppRunner(server.application(), handle_signals=False, access_log=None, shutdown_timeout=1.0)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP for the server
            loop.add_signal_handler(number, stop.set)
    await runner.setup()
    listener: asyncio.Server | None = None
    try:
        try:
            listener = await server.listen(runner, config.host, config.port)
        except OSError as error:
            raise UsageError(_cannot_listen(config, error)) from None
        addresses = [line.getsockname() for line in listener.sockets]
        url = local_url(addresses[0]) + config.base_path
        _write_secret(server, config, url)
        # Everything loaded by now stays. Rooms are values without cycles, so the collector may run rarely.
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        if (reason := server.loss_reason()) is not None:
            output.write(f"Noughts waits for its store at {url}: {reason}\n")
            while server.loss_reason() is not None and not stop.is_set():  # noqa: ASYNC110 - several causes
                await asyncio.sleep(STORE_POLL_S)
        # Each in one write: a log line could come between the text and the end of its line.
        if not stop.is_set():
            output.write(f"Noughts is ready: open {public_base(config) or url}\n")
        for others_url in () if config.public_url or stop.is_set() else urls_for_others(addresses):
            output.write(f"For others on your network: {others_url}{config.base_path}\n")
        await stop.wait()
        log.info("stopping", drain_s=config.drain_s)
        server.drain()
        await asyncio.sleep(config.drain_s)
    finally:
        server.admin_secret.remove()
        if listener is not None:
            listener.close()
        await runner.cleanup()
        gc.freeze()  # a collection of all rooms and connections would delay the exit by seconds
    return 0


_NO_DESCRIPTORS: Final = (errno.EMFILE, errno.ENFILE)
_NO_SPACE: Final = "Free some space there."


def _write_secret(server: Server, config: Config, url: str) -> None:
    """Write what the admin commands need. A node that shares Redis serves without it where its directory is read-only."""
    shared = isinstance(config.store, RedisAddress)
    try:
        if shared:
            config.data.mkdir(parents=True, exist_ok=True)
        server.admin_secret.write(url)
    except OSError as error:
        if not shared:
            remedy = "Raise the limit on open files (ulimit -n)." if error.errno in _NO_DESCRIPTORS else _NO_SPACE
            raise UsageError(f"the server cannot write to {config.data}: {error.strerror}. {remedy}") from None
        log.info("admin commands cannot use this node: it cannot write to its data directory", reason=error.strerror)


def _cannot_search(fault: str) -> str:
    """Return why a node of a shared store does not start where the engine's programs do not run, and what to do."""
    return (
        f"this node cannot run the engine's searches: {fault}. All nodes of a store play at the same levels, so it does not"
        " start. Install wasmtime for this system, and let the service make machine code (no MemoryDenyWriteExecute);"
        " or serve from a file, where the engine then plays some games without a search."
    )


def _cannot_listen(config: Config, error: OSError) -> str:
    """Return why the server cannot listen, in the words of the system: asyncio puts words of its own around them."""
    where = f"cannot listen on {config.host}:{config.port}"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"{where}: this machine has no such address. Choose another one with --host (make run HOST=127.0.0.1)."
    reason = os.strerror(error.errno) if error.errno else str(error)
    return f"{where}: {reason}. Choose another port with --port (make run PORT=8001)."
