"""Time in which nobody could play is charged to nobody, whoever notices the outage first and whatever fails next."""

from __future__ import annotations

from contextlib import suppress

import pytest
from noughts.app.outages import Outages

from noughts.errors import Rejection
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import Chat, Move, Sit
from tests.app.houses import ANN, BEN, CLASSIC, EVE, Clock, hosts_on, open_store, settled, timed_game


def test_what_is_lost_is_what_outages_share_with_the_time_since():
    outages = Outages()
    outages.add(100, 200)
    outages.add(300, 350)
    assert outages.lost_ms(0) == 150
    assert outages.lost_ms(150) == 100
    assert outages.lost_ms(250) == 50
    assert outages.lost_ms(400) == 0


def test_an_outage_begins_and_ends_once():
    outages = Outages()
    assert (outages.begin(100), outages.begin(150), outages.on) == (True, False, True)
    assert outages.lost_ms(0) == 0  # not over
    assert (outages.end(180), outages.end(190), outages.on) == (True, False, False)
    assert outages.lost_ms(0) == 80


@pytest.mark.parametrize("failing", [None, "load", "commit", "names"])
async def test_an_hour_of_downtime_flags_nobody_even_if_the_store_fails_just_then(tmp_path, failing):
    clock = Clock()
    async with open_store(tmp_path) as store:
        async with hosts_on(store, clock) as hosts:
            room = (await timed_game(hosts, MoveClock(60_000))).id
            await store.alive(clock.ms)
        clock.ms += 3_600_000
        async with hosts_on(store, clock) as hosts:
            if failing is not None:
                store.failing = {failing}
                if failing != "names":  # asked only for those who chatted
                    with pytest.raises(Rejection, match="cannot store"):
                        await hosts.find(room)
                store.failing = set()
            clock.ms += 1_000
            host = await hosts.find(room)
            await host.wake()
            assert host.room.phase == "playing"
            clock.ms += 57_000
            await host.wake()
            assert host.room.phase == "playing"
            clock.ms += 5_000
            await host.wake()
            assert host.room.game.outcome.reason == "timeout"  # the clock does run


@pytest.mark.parametrize("noticed_by", ["a new room", "an unknown room"])
async def test_an_outage_that_no_game_noticed_is_over_when_the_store_answers(tmp_path, noticed_by):
    clock = Clock()
    async with open_store(tmp_path) as store, hosts_on(store, clock) as hosts:
        host = await timed_game(hosts, FischerClock(600_000, 0))

        async def ask():
            if noticed_by == "a new room":
                await hosts.create(EVE, CLASSIC, "friend", "X", (), None, None)
            else:
                await hosts.find("unknown")

        store.down = True
        with pytest.raises(Rejection, match="cannot store"):
            await ask()
        store.down = False
        clock.ms += 1_000
        with suppress(Rejection):
            await ask()
        clock.ms += 300_000
        await host.request(BEN, Chat("hi", "hi"))
        await settled(hosts)
        await host.request(ANN, Move("three", 2, "c3"))
        assert host.room.game.x_ms == 300_000  # a second of 301 was an outage


@pytest.mark.parametrize("first", ["flag", "move"])
async def test_the_first_thing_after_an_outage_is_not_charged_for_it(tmp_path, first):
    clock = Clock()
    async with open_store(tmp_path) as store, hosts_on(store, clock) as hosts:
        timed = await timed_game(hosts, MoveClock(10_000))
        other = await hosts.create(EVE, CLASSIC, "friend", "X", (), None, None)
        clock.ms += 5_000
        store.down = True
        with pytest.raises(Rejection, match="cannot store"):
            await other.request(EVE, Chat("hi", "hi"))
        clock.ms += 5_100  # the flag would have fallen
        store.down = False
        if first == "flag":
            await timed.wake()
        else:
            await timed.request(ANN, Move("three", 2, "c3"))
        assert timed.room.phase == "playing"


async def test_no_flag_falls_while_the_store_is_known_to_be_away(tmp_path):
    clock = Clock()
    async with open_store(tmp_path) as store, hosts_on(store, clock) as hosts:
        host = await timed_game(hosts, MoveClock(10_000))
        clock.ms += 5_000
        store.down = True
        with pytest.raises(Rejection, match="cannot store"):
            await host.request(ANN, Chat("hi", "hi"))
        for _ in range(3):
            clock.ms += 10_000
            with pytest.raises(Rejection, match="cannot store"):
                await host.wake()
        store.down = False
        await host.wake()
        assert host.room.phase == "playing"
        clock.ms += 4_900
        await host.wake()
        assert host.room.phase == "playing"
        clock.ms += 200
        await host.wake()
        assert host.room.game.outcome.reason == "timeout"


async def test_two_engines_on_a_clock_cost_nothing_while_nobody_watches(tmp_path):
    clock = Clock()
    async with open_store(tmp_path) as store, hosts_on(store, clock) as hosts:
        host = await hosts.create(ANN, CLASSIC, "engines", None, ("novice", "novice"), MoveClock(60_000), "public")
        assert host.room.playing
        assert hosts._alive is None, "seconds are noted for a clock on which nobody can lose"
        assert host.idle


async def test_a_seat_taken_under_an_old_name_shows_the_new_one(tmp_path):
    clock = Clock()
    async with open_store(tmp_path) as store, hosts_on(store, clock) as hosts:
        host = await hosts.create(ANN, CLASSIC, "friend", "X", (), None, None)
        sit = Sit("sit", "O", host.room.invite)
        forgotten = type(BEN)(BEN.player, "someone")
        await hosts.renamed(forgotten)  # while the command under the old name is still on its way
        await host.request(BEN, sit)
        assert host.room.o.name == "someone"
