"""The pace of a bot's commands, in virtual time."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from noughts.app.runtime.limits import MESSAGES_OF_PLAYER
from noughts.bots.pace import BURST, PER_S, Pace
from tests.support.virtual_time import in_virtual_time


async def times_of(pace: Pace, rooms: int, commands: int) -> list[tuple[float, int]]:
    """Return when each command of each room was sent, and the room."""
    sent: list[tuple[float, int]] = []

    async def room(number: int) -> None:
        for _ in range(commands):
            await pace.turn()
            sent.append((asyncio.get_running_loop().time(), number))

    await asyncio.gather(*[room(number) for number in range(rooms)])
    return sent


def test_rooms_take_turns() -> None:
    """Each of fifty rooms that always want to move waits for as long as all others need."""
    sent = in_virtual_time(times_of(Pace(), 50, 12))
    for number in range(50):
        times = [at_s for at_s, room in sent if room == number]
        assert max(later - earlier for earlier, later in pairwise(times)) <= 50 / PER_S + 1e-6
    assert sent[-1][0] == pytest.approx((600 - BURST) / PER_S)


def test_a_pause_allows_a_burst_again() -> None:
    """After a pause, as many commands are sent at once as at the beginning, and no more."""

    async def run() -> list[float]:
        pace = Pace(10.0, 5)
        await times_of(pace, 1, 20)
        await asyncio.sleep(100.0)
        begun_s = asyncio.get_running_loop().time()
        return [at_s - begun_s for at_s, _ in await times_of(pace, 1, 7)]

    assert in_virtual_time(run()) == pytest.approx([0.0] * 5 + [0.1, 0.2])


def test_the_pace_is_below_the_limit_of_a_server() -> None:
    assert MESSAGES_OF_PLAYER.rate.per_s > PER_S
    assert MESSAGES_OF_PLAYER.rate.burst > BURST
