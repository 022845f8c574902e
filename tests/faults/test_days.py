"""Games of days and their notices on a real server that is killed, stopped and started again."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from noughts.store.kinds import ROOM
from noughts.store.sqlite.store import SqliteStore
from tests.support.player import Api
from tests.support.push_service import PushService
from tests.support.server import QUICK, RunningServer
from tests.support.waiting_rooms import DAY_MS, make_older, plies_sent, waiting_room

ANSWERS = {"201": 1, "404": 1, "410": 1, "307": 1, "429": 3, "500": 2, "0": 1}
"""How many posts a status brings at least, within the first seconds."""


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
            await service.wait(sum(ANSWERS.values()))
            counts = {status: plies_sent(service, status, room.browser)[1, False] for status, room in rooms.items()}
            assert counts == ANSWERS
        finally:
            server.kill()
        store = SqliteStore(tmp_path / "noughts.db")
        await store.open()
        kept = {status for status, room in rooms.items() if await store.subscriptions(room.ben.player["id"])}
        await store.close()
        assert kept == ANSWERS.keys() - {"404", "410"}


async def test_a_notice_is_sent_though_the_server_is_killed(tmp_path: Path) -> None:
    """Kill between commit and post, and between post and answer: each ply is told, a second time with the same topic."""
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
            await asyncio.to_thread(server.stop_well)
            assert plies_sent(service, "before", before.browser) == {(1, False): 1}
            assert plies_sent(service, "after", after.browser) == {(1, False): 2}
            topics = {(post.path, post.headers["Topic"]) for post in service.posts}
            assert len(topics) == 2
        finally:
            server.kill()


async def test_a_reminder_and_the_flag_come_after_a_restart(tmp_path: Path) -> None:
    """One reminder at a quarter of the time, and the end of the game within two seconds of its time."""
    async with PushService(tmp_path) as service:
        server = RunningServer(tmp_path, {**QUICK, **service.settings()})
        await asyncio.to_thread(server.start)
        try:
            room = await waiting_room(server, service)
            await room.move(server, "b2")
            await service.wait(1)
            await restarted(server, room.id, DAY_MS * 3 // 4)
            await service.wait(2)
            assert plies_sent(service, "p/1", room.browser) == {(1, False): 1, (1, True): 1}
            await restarted(server, room.id, DAY_MS // 4 - 6_000)
            api = Api(server.url)
            view = await api.get(f"/api/rooms/{room.id}")
            flag_s = (view["clock"]["at_ms"] + view["clock"]["O_ms"]) / 1000
            async with asyncio.timeout(30):
                while view["phase"] == "playing":
                    await asyncio.sleep(0.1)
                    view = await api.get(f"/api/rooms/{room.id}")
            late_s = time.time() - flag_s
            print(f"the flag fell {late_s:.2f} s after its time, after a restart")
            assert view["game"]["outcome"]["reason"] == "timeout"
            assert -0.1 <= late_s < 2
            assert len(service.posts) == 2
        finally:
            server.kill()


async def restarted(server: RunningServer, room: str, older_ms: int) -> None:
    """Stop a server, let a room be older, and start it again."""
    await asyncio.to_thread(server.stop_well)
    store = SqliteStore(server.data / "noughts.db")
    await store.open()
    await make_older(store.machines(ROOM), room, older_ms)
    await store.close()
    await asyncio.to_thread(server.start)
