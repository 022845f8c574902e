"""What happens between two awaits: rooms that close while somebody waits for them, searches already answered."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from noughts.app.connection import Connection

from noughts.app.runtime.limits import MAX_ROOMS_OF_PLAYER
from noughts.errors import Rejection
from noughts.room.clock import MoveClock
from noughts.room.commands import Close, Sit
from noughts.room.room import House
from noughts.room.seat import Person
from noughts.store.contract import StoreUnavailableError
from tests.app.houses import ANN, BEN, CLASSIC, EVE, Clock, Searches, hosts_on, open_store, until


def free_of_charge():
    pass


class Screen(Connection):
    """A spectator's connection that keeps what it is sent."""

    def __init__(self):
        super().__init__(SimpleNamespace(), SimpleNamespace(), "127.0.0.1", 0.0)
        self.frames = []

    def push(self, frame, kind):
        self.frames.append(frame)


async def test_quick_play_survives_a_room_that_closes_while_it_waits_for_another(tmp_path):
    clock = Clock()
    async with open_store(tmp_path) as store, hosts_on(store, clock) as hosts:
        first, _ = await hosts.quick_play(ANN, CLASSIC, None, free_of_charge)
        second = await hosts.create(Person("p_x", "X"), CLASSIC, "anyone", "X", (), None, "public")
        hosts._fresh[second.id] = clock.ms
        async with first._lock:  # a command there is being stored
            taken = asyncio.create_task(first.request(EVE, Sit("sit", "O" if first.room.o is None else "X")))
            await asyncio.sleep(0)
            asked = asyncio.create_task(hosts.quick_play(BEN, CLASSIC, None, free_of_charge))
            await until(lambda: len(first._lock._waiters) == 2)
            await second.request(Person("p_x", "X"), Close("close"))
        await taken
        host, new = await asked
        assert new
        assert host not in (first, second)


async def test_strangers_meet_however_many_wait_for_something_else(tmp_path):
    clock = Clock()
    async with open_store(tmp_path) as store, hosts_on(store, clock) as hosts:
        waiting, _ = await hosts.quick_play(ANN, CLASSIC, None, free_of_charge)
        for n in range(60):
            await hosts.create(Person(f"p_{n}", "n"), CLASSIC, "anyone", "X", (), MoveClock(50_000), "public")
        assert await hosts.quick_play(ANN, CLASSIC, None, free_of_charge) == (waiting, False)
        assert await hosts.quick_play(BEN, CLASSIC, None, free_of_charge) == (waiting, False)


async def test_a_move_on_its_way_to_the_disk_is_not_searched_again(tmp_path):
    clock, pool = Clock(), Searches()
    house = House(engine_pace_ms=0)
    async with open_store(tmp_path) as store, hosts_on(store, clock, pool, house) as hosts:
        host = await hosts.create(ANN, CLASSIC, "engine", "O", ("perfect",), None, None)
        await until(lambda: pool.asked)
        store.held["commit"] = asyncio.Event()
        pool.answer.set_result(SimpleNamespace(cell=4))
        await until(host._lock.locked)
        host._schedule()  # as when somebody comes or goes
        assert pool.asked == [()]
        assert host.thinking is None
        store.held["commit"].set()
        await until(lambda: host.room.game.play.moves and host.thinking_about is None)


async def test_a_search_that_failed_is_tried_again_but_no_flag_waits_for_it(tmp_path):
    clock, pool = Clock(), Searches()
    async with open_store(tmp_path) as store, hosts_on(store, clock, pool, House(engine_pace_ms=0)) as hosts:
        host = await hosts.create(ANN, CLASSIC, "engine", "O", ("perfect",), MoveClock(60_000), None)
        clock.ms += 29_800  # of the 30 s that a first move may take
        await host.wake()
        await until(lambda: pool.asked)
        pool.answer.set_exception(OSError("no process"))
        await until(lambda: host.thinking_about is None)
        assert hosts.deadlines._at[host.id] == clock.ms + 200


async def test_a_change_whose_commit_seemed_to_fail_is_shown_when_it_is_found_stored(tmp_path):
    clock = Clock()
    async with open_store(tmp_path) as store, hosts_on(store, clock) as hosts:
        host = await hosts.create(ANN, CLASSIC, "friend", "X", (), None, None)
        screen = Screen()
        host.join(screen)
        commit = store.real.commit

        async def stored_but_not_answered(change):
            await commit(change)
            raise StoreUnavailableError("cut off")

        store.real.commit = stored_but_not_answered
        with pytest.raises(Rejection, match="same again"):
            await host.request(BEN, Sit("sit", "O", host.room.invite))
        assert not any(b'"started"' in frame or b'"Ben"' in frame for frame in screen.frames)
        await host.wake()
        assert any(b'"Ben"' in frame for frame in screen.frames)
        assert await host.request(BEN, Sit("sit", "O", "no matter")) == host.room.version  # the id is known


async def test_who_has_forty_rooms_is_told_what_to_do_about_it(tmp_path):
    async with open_store(tmp_path) as store, hosts_on(store, Clock(), unlimited=False) as hosts:
        for _ in range(MAX_ROOMS_OF_PLAYER):
            host = await hosts.create(ANN, CLASSIC, "friend", "X", (), None, None)
        with pytest.raises(Rejection, match="close one") as refused:
            await hosts.create(ANN, CLASSIC, "friend", "X", (), None, None)
        assert (refused.value.code, refused.value.retry_ms is not None) == ("too_many_rooms", True)
        await hosts.create(BEN, CLASSIC, "friend", "X", (), None, None)
        await host.request(ANN, Close("close"))
        await hosts.create(ANN, CLASSIC, "friend", "X", (), None, None)


async def test_a_full_server_makes_no_more_rooms(tmp_path, monkeypatch):
    monkeypatch.setattr("noughts.app.hosts.MAX_ROOMS", 1)
    async with open_store(tmp_path) as store, hosts_on(store, Clock(), unlimited=False) as hosts:
        host = await hosts.create(ANN, CLASSIC, "friend", "X", (), None, None)
        with pytest.raises(Rejection, match="full"):
            await hosts.create(BEN, CLASSIC, "friend", "X", (), None, None)
        await host.request(ANN, Close("close"))
        await hosts.create(BEN, CLASSIC, "friend", "X", (), None, None)
