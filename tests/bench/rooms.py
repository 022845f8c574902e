"""Ten thousand rooms on one process: what they cost while nothing is due, and how soon a restarted server serves them."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from noughts.room.due import stored_wake_at_ms
from noughts.room.opening import new_room
from noughts.room.record import room_bytes
from noughts.store.sqlite_store import SqliteStore

from noughts.room.room import House
from noughts.room.seat import HumanSeat, Person
from noughts.rules.variant import VARIANTS
from noughts.store.contract import Change, Found
from tests.bench.measure import cpu_ns, report, rss_kib
from tests.support.player import enter
from tests.support.server import QUICK, RunningServer

ROOMS = 10_000
SECONDS = 10.0


async def fill(folder: Path) -> None:
    """Ten thousand games in play, as a server would have left them."""
    store = SqliteStore(folder / "noughts.db")
    await store.open()
    now_ms = time.time_ns() // 1_000_000
    changes = []
    for number in range(ROOMS):
        room = new_room(
            room_id=f"room{number}",
            invite="invite",
            owner=Person(f"p_{number}", "Ann"),
            variant=VARIANTS["classic"],
            opponent="engine",
            mark="X",
            engines=("perfect",),
            clock=None,
            visibility=None,
            now_ms=now_ms,
        )
        assert isinstance(room.x, HumanSeat)
        found = Found(stored_wake_at_ms(room, House()), None, room.variant, (room.owner.player,))
        changes.append(store.commit(Change(room.id, 1, 0, data=room_bytes(room), found=found)))
    assert all(await asyncio.gather(*changes))
    await store.close()


async def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        await fill(folder)
        server = RunningServer(folder, QUICK)
        started = time.perf_counter()
        server.start()
        async with enter(server, "room77") as socket:
            assert socket.room["phase"] == "playing"
        served = time.perf_counter() - started
        try:
            for number in range(0, ROOMS, 20):  # some of them in memory
                async with enter(server, f"room{number}"):
                    pass
            await asyncio.sleep(2.0)
            before = cpu_ns(server.pid)
            await asyncio.sleep(SECONDS)
            used = (cpu_ns(server.pid) - before) / 1e9 / SECONDS
            report(f"restart with {ROOMS} live rooms, until one is served", f"{served:.2f} s", "within 5 s")
            report(f"CPU with {ROOMS} rooms in which nothing is due", f"{used:.2%} of a core", "none")
            report(f"memory with {ROOMS} rooms", f"{rss_kib(server.pid) / 1024:.0f} MiB")
        finally:
            server.stop()


if __name__ == "__main__":
    asyncio.run(main())
