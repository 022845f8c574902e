"""Quick play: two strangers who want the same game meet."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from noughts.app.lobby.matchmaking import MEETING_MS
from noughts.app.rooms.on_node import RoomOnNode
from noughts.errors import Rejection
from noughts.room.clock import ClockSetting, MoveClock
from noughts.room.commands import Close, Sit, Stand
from noughts.room.room import mark_of, players_of
from noughts.room.seat import Person
from noughts.rules.variant import VARIANTS
from noughts.store.contract import StoreUnavailableError
from noughts.store.machine_store import ListedRow, Listing
from tests.support.node import ANN, BEN, EVE, Cluster, Node
from tests.support.replies import code_of
from tests.support.screen import ADDRESS


class Charge:
    """Counts the rooms that players are charged for; may say no."""

    def __init__(self) -> None:
        self.count = 0
        self.rejection: Rejection | None = None

    async def __call__(self) -> None:
        self.count += 1
        if self.rejection is not None:
            raise self.rejection


@pytest.fixture
def charge() -> Charge:
    return Charge()


async def quick_play(
    node: Node, player: Person, charge: Charge, clock: ClockSetting | None = None, variant: str = "classic"
) -> tuple[RoomOnNode, bool]:
    return await node.matchmaking.quick_play(player, VARIANTS[variant], clock, ADDRESS, charge)


async def waited_in(node: Node, owner: Person = ANN, clock: ClockSetting | None = None) -> RoomOnNode:
    """Make an open room with its owner in it."""
    actor = await node.room(clock, opponent="anyone", owner=owner)
    node.join(actor, owner)
    return actor


async def test_strangers_at_the_same_moment_meet(pair: tuple[Node, Node], charge: Charge) -> None:
    """In pairs, on whichever nodes they are, and nobody sits twice."""
    nodes = pair
    people = [Person(f"p_{n}", f"Player {n}") for n in range(20)]
    seated = await asyncio.gather(*[quick_play(nodes[n % 2], person, charge) for n, person in enumerate(people)])
    for each in nodes:
        await each.hear()
    rooms = {actor.id: actor.room for actor, _ in seated}
    assert len(rooms) == charge.count == 10
    assert sorted(player for room in rooms.values() for player in players_of(room)) == sorted(p.player for p in people)


async def test_nobody_is_seated_against_themselves(node: Node, charge: Charge) -> None:
    """Not even where the owner has left the seat."""
    own = await node.room(opponent="anyone")
    node.join(own, ANN)
    await own.request(ANN, Stand("a"))
    actor, new = await quick_play(node, ANN, charge)
    assert (new, actor is own) == (True, False)


async def test_nobody_is_seated_with_an_owner_who_is_not_there(cluster: Cluster, node: Node, charge: Charge) -> None:
    waiting, _ = await quick_play(node, ANN, charge)
    cluster.clock.ms += MEETING_MS
    other, new = await quick_play(node, BEN, charge)
    assert (new, other is waiting) == (True, False)
    screen = node.join(waiting, ANN)
    node.leave(waiting, screen)
    cluster.clock.ms += MEETING_MS
    assert (await quick_play(node, EVE, charge))[1]
    node.join(other, BEN)
    met, new = await quick_play(node, Person("p_zoe", "Zoe"), charge)
    assert (met is other, new) == (True, False)


async def test_the_longest_waiting_comes_first(node: Node, charge: Charge) -> None:
    first = await waited_in(node)
    await waited_in(node, BEN)
    assert await quick_play(node, EVE, charge) == (first, False)


async def test_only_the_same_game_is_joined(node: Node, charge: Charge) -> None:
    await waited_in(node)
    await waited_in(node, ANN, MoveClock(50_000))
    for clock, variant in ((MoveClock(60_000), "classic"), (None, "4x4")):
        assert (await quick_play(node, BEN, charge, clock, variant))[1]
    timed, new = await quick_play(node, EVE, charge, MoveClock(50_000))
    assert (new, timed.room.clock) == (False, MoveClock(50_000))


async def test_many_who_wait_for_another_game_hide_nobody(node: Node, charge: Charge) -> None:
    waiting, _ = await quick_play(node, ANN, charge)
    for n in range(60):
        await waited_in(node, Person(f"p_{n}", "n"), MoveClock(50_000))
    assert await quick_play(node, ANN, charge) == (waiting, False)
    assert await quick_play(node, BEN, charge) == (waiting, False)


async def test_a_seat_that_was_just_taken_is_passed_over(
    cluster: Cluster, node: Node, charge: Charge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a room that closes, after the open rooms were read. The player waits in a new one then."""
    owner = Person("p_x", "X")
    first, second = await waited_in(node), await waited_in(node, owner)
    listed = cluster.store.listed

    async def listed_before(listing: Listing, variant: str | None, limit: int) -> Sequence[ListedRow]:
        rooms = await listed(listing, variant, limit)
        await first.request(EVE, Sit("sit", "O"))
        await second.request(owner, Close("close"))
        return rooms

    monkeypatch.setattr(cluster.store, "listed", listed_before)
    actor, new = await quick_play(node, BEN, charge)
    assert (new, actor in (first, second)) == (True, False)
    assert mark_of(actor.room, BEN.player) is not None


async def test_a_player_who_made_too_many_rooms_can_still_be_seated(node: Node, charge: Charge) -> None:
    charge.rejection = Rejection("too_many_rooms", "Wait.", retry_ms=1_000)
    assert await code_of(quick_play(node, BEN, charge)) == "too_many_rooms"
    assert len(node.registry) == 0
    await waited_in(node)
    assert (await quick_play(node, BEN, charge))[1] is False


@pytest.mark.parametrize("method", ["listed", "submit"])
async def test_without_the_store_nobody_is_seated(cluster: Cluster, node: Node, charge: Charge, method: str) -> None:
    """A seat whose taking is not known is not looked for elsewhere."""
    await waited_in(node)
    cluster.store.failing.add(method)
    rooms = len(node.registry)
    with pytest.raises(StoreUnavailableError if method == "listed" else Rejection):
        await quick_play(node, BEN, charge)
    assert (len(node.registry), charge.count) == (rooms, 0)
