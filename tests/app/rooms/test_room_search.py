"""What a search is about, and whether its room still waits for it."""

from __future__ import annotations

import asyncio

import pytest

from noughts.app.rooms.room_search import RoomSearch
from noughts.room.commands import Close, Move, Offer, Request, Resign, RoomCommand
from noughts.room.creation import new_room
from noughts.room.policy import Policy
from noughts.room.room import Room
from noughts.room.step import step
from noughts.room.transition import Moment
from tests.support.node import ANN, CLASSIC, LEVELS

AT = Moment(1_000, Policy(levels=LEVELS))


def engine_room() -> Room:
    """Return a game against the engine, Ann to move."""
    return new_room(
        room_id="r1", invite="secret", owner=ANN.nameless, variant=CLASSIC, opponent="engine", mark="X", engines=("novice",),
        clock=None, visibility=None, now_ms=0,
    )  # fmt: skip


def after(room: Room, *commands: RoomCommand) -> Room:
    for command in commands:
        room = step(room, Request(ANN, command), AT).room
    return room


def searching(search: RoomSearch) -> RoomSearch:
    """Give a search a task, as it has until there is an answer."""
    search.task = asyncio.get_running_loop().create_task(asyncio.sleep(0))
    return search


async def test_a_room_waits_for_a_search_of_its_position() -> None:
    search = searching(RoomSearch(1, (4,), False))
    assert search.is_wanted_by(after(engine_room(), Move("a", 0, "b2")))


@pytest.mark.parametrize(
    "commands",
    [(), (Move("a", 0, "a1"),), (Move("a", 0, "b2"), Resign("b")), (Move("a", 0, "b2"), Close("b"))],
    ids=["before", "another move", "over", "closed"],
)
async def test_a_room_that_has_gone_on_does_not(commands: tuple[RoomCommand, ...]) -> None:
    assert not searching(RoomSearch(1, (4,), False)).is_wanted_by(after(engine_room(), *commands))
    assert not searching(RoomSearch(2, (), False)).is_wanted_by(engine_room())


async def test_a_draw_offer_goes_before_a_move() -> None:
    """It is searched for as such. An answer that is on its way into the room is let in first."""
    offered = after(engine_room(), Move("a", 0, "b2"), Offer("b", "draw"))
    assert not searching(RoomSearch(1, (4,), False)).is_wanted_by(offered)
    assert searching(RoomSearch(1, (4,), True)).is_wanted_by(offered)
    assert RoomSearch(1, (4,), False).is_wanted_by(offered)
