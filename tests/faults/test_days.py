"""Games of days and their notices on a real server that is killed, stopped and started again."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from noughts.store.kinds import ROOM
from noughts.store.sqlite.store import SqliteStore
from tests.support.push_service import PushService
from tests.support.server import QUICK, RunningServer
from tests.support.waiting_rooms import DAY_MS, plies_sent, shorten, until_flag, waiting_room

ANSWERS = {"201": 1, "404": 1, "410": 1, "307": 1, "429": 3, "500": 2, "0": 1}
"""How many posts a status brings within the first seconds. The third after 500 may come too."""


async def test_each_answer_of_a_push_service_ends_in_a_few_posts(tmp_path: Path) -> None:
    """Also no answer at all. A device that is gone is forgotten, and a redirect is not followed."""
    async with PushService(tmp_path) as service:
        server = RunningServer(tmp_path, {**QUICK, **service.settings()})
        await asyncio.to_thread(server.start)
        try:
            rooms = {}
            for status in ANSWERS:
                headers = {"Retry-After": "1", "Location": service.url("elsewhere")}
                service.answers_of[f"/{status}"] = (int(status), headers)
                rooms[status] = await waiting_room(server, service, status)
            for room in rooms.values():
                await room.move(server, "b2")
            counts: Counter[str] = Counter()
            while not counts >= Counter(ANSWERS):
                await service.wait(counts.total() + 1)
                counts = Counter(post.path.removeprefix("/") for post in service.posts)
            assert counts - Counter({"500": 1}) <= Counter(ANSWERS)
        finally:
            server.kill()
        store = SqliteStore(tmp_path / "noughts.db")
        await store.open()
        kept = {status for status, room in rooms.items() if await store.subscriptions(room.ben.player["id"])}
        await store.close()
        assert kept == ANSWERS.keys() - {"404", "410"}


async def test_notices_and_the_flag_survive_kills_and_restarts(tmp_path: Path) -> None:
    """Kill between commit and post, and between post and answer: each ply is told, a second time with the same topic.

    Then let less time be left: one reminder comes at a quarter, and the flag within two seconds of its time.
    """
    async with PushService(tmp_path) as service:
        server = RunningServer(tmp_path, {**QUICK, **service.settings()})
        await asyncio.to_thread(server.start)
        try:
            before, after = await waiting_room(server, service, "before"), await waiting_room(server, service, "after")
            service.silent = True
            await after.move(server, "b2")
            await service.wait(1)
            await before.move(server, "b2")
            server.kill()
            service.silent = False
            await asyncio.to_thread(server.start)
            await service.wait(3)
            assert plies_sent(service, "before", before.browser) == {(1, False): 1}
            assert plies_sent(service, "after", after.browser) == {(1, False): 2}
            assert len({(post.path, post.headers["Topic"]) for post in service.posts}) == 2
            await restarted(server, after.id, DAY_MS // 4)
            await service.wait(4)
            assert plies_sent(service, "after", after.browser) == {(1, False): 2, (1, True): 1}
            await restarted(server, after.id, 4_000)
            late_s = await until_flag(server, after.id)
            print(f"the flag fell {late_s:.2f} s after its time, after a restart")
            assert len(service.posts) == 4
        finally:
            server.kill()


async def restarted(server: RunningServer, room: str, left_ms: int) -> None:
    """Stop a server, let this time be left in a game, and start it again."""
    await asyncio.to_thread(server.stop_well)
    store = SqliteStore(server.data / "noughts.db")
    await store.open()
    await shorten(store.machines(ROOM), room, left_ms)
    await store.close()
    await asyncio.to_thread(server.start)
