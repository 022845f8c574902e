"""Crowds and the lobby at their time, and what other nodes announce."""

from __future__ import annotations

import pytest

from noughts.app.players.identity import hash_secret
from noughts.app.rooms.on_node import CROWD_INTERVAL_MS, RoomOnNode
from noughts.protocol.close_codes import POLICY, UNAUTHORIZED
from noughts.room.commands import Chat, Move
from noughts.room.seat import Person
from noughts.store.presence import PresenceReport
from noughts.store.relay import Notice
from tests.support.node import ANN, BEN, EVE, Cluster, Node

# --- what is sent at its time ---------------------------------------------------------------------------------------


async def test_the_crowd_of_a_room_that_was_let_go_is_not_sent(cluster: Cluster, node: Node) -> None:
    node.crowds.set("nowhere", cluster.clock.ms)
    await node.send_notices()
    assert len(node.crowds) == 0


async def test_a_crowd_that_fails_keeps_back_no_other(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = await node.game(), await node.game()
    screen = node.join(sound)
    node.join(broken)
    send_crowd = RoomOnNode.send_crowd

    def failing(actor: RoomOnNode) -> None:
        if actor is broken:
            raise RuntimeError("a fault of ours")
        send_crowd(actor)

    monkeypatch.setattr(RoomOnNode, "send_crowd", failing)
    cluster.clock.ms += CROWD_INTERVAL_MS
    node.crowds.set(broken.id, cluster.clock.ms - 1)
    node.crowds.set(sound.id, cluster.clock.ms)
    await node.send_notices()
    assert len(screen.of("crowd")) == 2


# --- what other nodes send ------------------------------------------------------------------------------------------


async def test_a_player_renamed_elsewhere_has_the_new_name_here(pair: tuple[Node, Node]) -> None:
    """In the answers of its token as well, though they were cached."""
    node, two = pair
    person, token = await node.guests.create("Ann")
    assert await node.guests.person(token) == person
    actor = await node.game()
    screen = node.join(actor, person)
    renamed = await two.guests.rename(person.player, "Anna")
    await node.hear()
    assert renamed == Person(person.player, "Anna")
    assert await node.guests.person(token) == renamed
    assert screen.connection.person == renamed
    assert screen.code is None


async def test_a_player_deleted_elsewhere_is_sent_away_here(pair: tuple[Node, Node]) -> None:
    node, two = pair
    person, token = await node.guests.create("Ann")
    assert await node.guests.person(token) == person
    actor = await node.game()
    gone, stays = node.join(actor, person), node.join(actor, EVE)
    await actor.request(person, Chat("a", "hello"))
    await two.guests.delete(person.player)
    await node.hear()
    assert (gone.code, stays.code) == (UNAUTHORIZED, None)
    assert await node.guests.person(token) is None
    newcomer = node.join(actor)
    await node.settle()
    assert newcomer.of("chat")[0]["lines"][0]["from"]["name"] == "someone"


async def test_a_token_deleted_elsewhere_is_refused_here(pair: tuple[Node, Node]) -> None:
    """Its connections are closed, and those of the player's other tokens stay. So it is after notices were lost."""
    node, two = pair
    person, first = await node.guests.create("Ann")
    tokens = [first]
    for _ in range(2):
        code, _ = await node.guests.resume_code(person.player)
        tokens.append((await node.guests.resume(code))[1])
    screens = [node.screen(person) for _ in tokens]
    for screen, token in zip(screens, tokens, strict=True):
        screen.connection.token_hash = hash_secret(token)
        assert await node.guests.person(token) == person
    await two.guests.delete_token(person.player, hash_secret(first))
    await node.hear()
    assert [screen.code for screen in screens] == [UNAUTHORIZED, None, None]
    assert [await node.guests.person(token) for token in tokens] == [None, person, person]
    assert await node.guests.void_tokens(list(map(hash_secret, tokens))) == {hash_secret(first)}


async def test_an_address_banned_elsewhere_is_banned_here(pair: tuple[Node, Node]) -> None:
    """Its connections are closed; once the ban is lifted, it may come back."""
    node, two = pair
    banned, stays = node.screen(ANN, address="192.0.2.66"), node.screen(BEN)
    await two.bans.ban("192.0.2.66")
    await node.hear()
    held = [node.bans.holds("192.0.2.66")]
    assert (banned.code, stays.code) == (POLICY, None)
    await two.bans.lift("192.0.2.66")
    await node.hear()
    held.append(node.bans.holds("192.0.2.66"))
    assert held == [True, False]


async def test_a_message_that_raises_keeps_back_no_other(
    pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    node, two = pair

    def failing(report: PresenceReport) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(node.mirror, "received", failing)
    actor = await node.game()
    screen = node.join(actor, ANN)
    two.join(await two.registry.open(actor.id), BEN)
    two.relay.announce(Notice("renamed", ANN.player, "Anna"))
    await node.hear()
    assert screen.connection.person == Person(ANN.player, "Anna")


async def test_after_a_reconnect_nothing_that_was_missed_is_missing(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """A room, a deleted guest and a ban whose messages were lost. A store that is away again is asked later."""
    node, two = pair
    (person, token), (other, _) = await node.guests.create("Ann"), await node.guests.create("Eve")
    assert await node.guests.person(token) == person
    actor = await node.game()
    gone, stays = node.join(actor, person), node.join(actor, other)
    banned = node.screen(address="192.0.2.66")
    await (await two.registry.open(actor.id)).request(ANN, Move("a", 0, "b2"))
    await two.guests.delete(person.player)
    await two.bans.ban("192.0.2.66")
    codes = []
    for failing in ({"banned"}, set[str]()):
        cluster.store.failing = failing
        node.link.reconnect()
        await node.hear()
        codes.append((gone.code, banned.code, stays.code))
    assert codes == [(None, None, None), (UNAUTHORIZED, POLICY, None)]
    assert stays.room["game"]["moves"] == ["b2"]
    assert await node.guests.person(token) is None
