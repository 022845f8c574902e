"""The power fails under play: whatever is on the disk of the unflushed writes, all that was acknowledged is in the file."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.app.players.identity import hash_secret
from noughts.room.idempotency import IdempotencyKeys
from noughts.room.storage import room_from
from noughts.rules.notation import cell_names
from noughts.store.machine_store import StoredRow
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.store import SqliteStore
from tests.support.disk_trace import FATES, Event, Flush, Sent, Write, cuts, events, tracing
from tests.support.ledger import CELLS, Ledger, LedgerRoom, lines_violations
from tests.support.server import QUICK, RunningServer
from tests.support.strace import store_files
from tests.support.waiting import until

ROOMS = 8
PAGES_BEFORE = 800
"""Pages in the log at the start. SQLite copies a log of 1,000 pages to the file."""
IDS_CHECKED = 40
"""How many of a room's newest ids are looked up. The server keeps 64 of each player."""
OK = re.compile(rb'"type":"ok","id":"(\w+)"')
TOKEN = re.compile(rb'"token":"([^"]+)"')


def make_files(server: RunningServer, before: Path) -> None:
    """Make the files of a server, whose log soon has the pages of a checkpoint, and copy them."""
    server.data.mkdir()
    with closing(DatabaseFile(store_files(server)[0]).connect()) as store:
        store.execute("PRAGMA synchronous=OFF")
        for beat_ms in range(PAGES_BEFORE):
            store.execute("INSERT OR REPLACE INTO alive VALUES(1,?)", (beat_ms,))
        shutil.copytree(server.data, before, ignore=shutil.ignore_patterns("*-shm"))
    for path in before.iterdir():  # closing has emptied the log
        shutil.copy(path, server.data)


async def a_traced_run(server: RunningServer, trace: Path, commands: int) -> Ledger:
    """Let players play on a traced server until this many commands were acknowledged, and kill it.

    A checkpoint is among what happened: the more changes a flush carries, the later it comes.
    """
    make_files(server, trace.parent / "before")
    server.start(*tracing(trace))
    file, _ = store_files(server)
    untouched_ns = file.stat().st_mtime_ns
    ledger = Ledger(server)
    await ledger.open_rooms(ROOMS)
    async with ledger.playing():
        await ledger.until(commands)
        await until(lambda: file.stat().st_mtime_ns > untouched_ns)
        await ledger.until(ROOMS)
    server.kill()
    return ledger


def chosen(happened: Sequence[Event], count: int) -> list[int]:
    """Return the events before which the power is cut: a third of them in checkpoints, which write to the file itself."""
    concerned = [number for number, event in enumerate(happened) if not isinstance(event, Sent)]
    copying = [number for number in concerned if is_of_checkpoint(happened[number])]
    assert copying, "no checkpoint was traced"
    chosen = [copying[number * len(copying) // (count // 3)] for number in range(count // 3)]
    rest = count - len(chosen)
    return sorted((*chosen, *[concerned[number * len(concerned) // rest] for number in range(rest)]))


def is_of_checkpoint(event: Event) -> bool:
    return isinstance(event, Write | Flush) and not event.file.endswith("-wal")


async def violations_in(image: Path, ledger: Ledger, sent: bytes) -> list[str]:
    """Return what is missing in a file of all that was sent to clients, and what is there that cannot be."""
    store = SqliteStore(image)
    await store.open()
    try:
        violations = [
            f"the guest of a token is lost: {token!r}"
            for token in TOKEN.findall(sent)
            if await store.player_by_token(hash_secret(token.decode())) is None
        ]
        ids = {id.decode() for id in OK.findall(sent)}
        for room in ledger.rooms:
            stored = await store.load(room.id)
            if stored is not None:
                violations += room_violations(room, stored, ids)
            elif room.id.encode() in sent:
                violations.append(f"the room {room.id} is lost")
    finally:
        await store.close()
    return violations


def room_violations(room: LedgerRoom, stored: StoredRow, ids: set[str]) -> list[str]:
    """Compare a stored room with the commands of these ids, which were acknowledged by then."""
    by_then = LedgerRoom(room.id, room.invite, room.players)
    for entry in room.entries:
        if entry.command["id"] in ids:
            by_then.acknowledge(entry)
    answered = IdempotencyKeys.decoded(stored.command_ids)
    violations = [
        f"{room.id}: the id of {entry.command} is lost"
        for entry in by_then.entries[-IDS_CHECKED:]
        if answered.version((room.players[entry.side].player["id"], entry.command["id"])) is None
    ]
    game = room_from(stored.data).game
    names = [] if game is None else cell_names(game.history.variant.shape)
    moves = [] if game is None else [names[cell] for cell in game.history.moves]
    if moves != list(CELLS[: len(moves)]) or not 0 <= len(moves) - len(by_then.moves) <= 1:
        violations.append(f"{room.id}: {len(by_then.moves)} moves were acknowledged, these are stored: {moves}")
    return violations + lines_violations(by_then, [line.text for line in stored.lines])


@pytest.mark.parametrize(("commands", "images"), [(400, 60), pytest.param(4_000, 600, marks=pytest.mark.long)])
async def test_a_power_cut_loses_nothing_acknowledged(tmp_path: Path, commands: int, images: int) -> None:
    """Of the writes that were not flushed nothing, all, or some sectors are on the disk; also in checkpoints."""
    server, trace = RunningServer(tmp_path / "data", QUICK), tmp_path / "trace.txt"
    try:
        ledger = await a_traced_run(server, trace, commands)
    finally:
        server.kill()
    file, log = store_files(server)
    happened = events(trace, (file, log))
    before = {path.name: (tmp_path / "before" / path.name).read_bytes() for path in (file, log)}
    image, random, violations = tmp_path / "image" / file.name, Random(17), list[str]()
    image.parent.mkdir()
    built = checkpoints = 0
    for cut in cuts(happened, before, chosen(happened, images // len(FATES))):
        checkpoints += is_of_checkpoint(happened[cut.number])
        for fate in FATES:
            for path in image.parent.iterdir():
                path.unlink()
            for name, content in cut.images.items():
                image.with_name(name).write_bytes(content(fate, random))
            violations += [f"{fate} at {cut.number}: {each}" for each in await violations_in(image, ledger, cut.sent)]
            built += 1
    assert not violations
    print(f"{built} images, of {checkpoints} power cuts in checkpoints and others: {ledger.figures()}")
