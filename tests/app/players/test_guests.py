"""Guest accounts on a real store: tokens, names, deletion, resume codes, and what is announced to other nodes."""

from __future__ import annotations

import asyncio
import random

import pytest

from noughts.app.players import guests as module
from noughts.app.players.guests import CACHED_MS, DAY_MS, MAX_TOKEN, SEEN_INTERVAL_MS, Guests
from tests.support.node import Node
from tests.support.replies import code_of


def uses(node: Node, method: str) -> int:
    """Return how often the store was asked by this method."""
    return node.store.methods.count(method)


# --- new guests ---------------------------------------------------------------------------------------------------


async def test_a_new_guest_has_a_name_an_id_and_a_token(node: Node) -> None:
    ann, token = await node.guests.create(" Ann ")
    assert ann.name == "Ann"
    assert ann.player.startswith("p_")
    assert await node.guests.person(token) == ann


async def test_a_guest_without_a_name_is_given_one(node: Node) -> None:
    names = {(await node.guests.create(None))[0].name for _ in range(5)}
    assert len(names) > 1
    assert await code_of(node.guests.create("")) == "bad_message"


async def test_where_names_are_not_free_the_server_chooses_them(node: Node) -> None:
    guests = Guests(node.store, node.relay, node.clock, random.Random(1), free_names=False)
    ann, _ = await guests.create("Ann")
    assert ann.name != "Ann"
    assert await code_of(guests.rename(ann.player, "Ann")) == "forbidden"


# --- tokens -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "unknown", "x" * MAX_TOKEN, "x" * (MAX_TOKEN + 1), "\0", "\ud800"])
async def test_another_token_is_nobodys(node: Node, token: str) -> None:
    await node.guests.create("Ann")
    assert await node.guests.person(token) is None


async def test_a_token_that_is_too_long_is_not_looked_up(node: Node) -> None:
    await node.guests.person("x" * (MAX_TOKEN + 1))
    assert uses(node, "player_by_token") == 0


async def test_a_token_is_looked_up_once_a_minute(node: Node) -> None:
    _, token = await node.guests.create("Ann")
    for _ in range(5):
        await node.guests.person(token)
    assert uses(node, "player_by_token") == 1
    node.clock.ms += CACHED_MS
    await node.guests.person(token)
    assert uses(node, "player_by_token") == 2


async def test_a_deletion_elsewhere_is_seen_within_a_minute(node: Node) -> None:
    """It is announced to all nodes. This bounds what a lost notice can do."""
    ann, token = await node.guests.create("Ann")
    await node.guests.person(token)
    await node.store.delete_player(ann.player)
    node.clock.ms += CACHED_MS
    assert await node.guests.person(token) is None
    assert await node.guests.person(token) is None


async def test_the_least_recent_tokens_are_evicted(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED", 2)
    tokens = [(await node.guests.create(f"Ann {n}"))[1] for n in range(3)]
    for token in tokens:
        await node.guests.person(token)
    lookups = uses(node, "player_by_token")
    await node.guests.person(tokens[2])
    await node.guests.person(tokens[1])
    assert uses(node, "player_by_token") == lookups
    await node.guests.person(tokens[0])
    assert uses(node, "player_by_token") == lookups + 1


async def test_a_guest_is_noted_as_seen_once_a_day(node: Node) -> None:
    _, token = await node.guests.create("Ann")
    await node.guests.person(token)
    assert uses(node, "seen") == 1  # its first use
    for _ in range(3):
        node.clock.ms += SEEN_INTERVAL_MS // 2 + 1
        await node.guests.person(token)
        await node.guests.person(token)
    assert uses(node, "seen") == 2


async def test_a_store_that_fails_to_note_it_rejects_nobody(node: Node) -> None:
    ann, token = await node.guests.create("Ann")
    await node.guests.person(token)
    node.clock.ms += SEEN_INTERVAL_MS + 1
    node.store.failing.add("seen")
    assert await node.guests.person(token) == ann


# --- another name, and none ---------------------------------------------------------------------------------------


async def forget(player: str) -> None:
    """Erase a player nowhere."""


async def forget_the_guests_of_the_node(node: Node) -> None:
    """Delete the guests that the tests' node has from the start: none of them was ever used."""
    node.clock.ms += DAY_MS
    await node.guests.delete_unseen(forget)


async def test_guests_who_have_not_come_back_are_deleted(node: Node) -> None:
    await forget_the_guests_of_the_node(node)
    _, token = await node.guests.create("Ann")
    await node.guests.person(token)
    node.clock.ms += 89 * DAY_MS
    ben, bens = await node.guests.create("Ben")
    await node.guests.person(bens)
    assert len(await node.guests.delete_unseen(forget)) == 0
    node.clock.ms += 2 * DAY_MS
    assert len(await node.guests.delete_unseen(forget)) == 1
    assert await node.guests.person(token) is None
    assert await node.guests.person(bens) == ben
    assert len(await node.guests.delete_unseen(forget)) == 0


async def test_a_guest_that_was_never_used_is_gone_in_a_day(node: Node) -> None:
    await forget_the_guests_of_the_node(node)
    _, unused = await node.guests.create("Ann")
    ben, used = await node.guests.create("Ben")
    await node.guests.person(used)
    node.clock.ms += DAY_MS // 2
    assert len(await node.guests.delete_unseen(forget)) == 0
    node.clock.ms += DAY_MS // 2
    assert len(await node.guests.delete_unseen(forget)) == 1
    assert await node.guests.person(unused) is None
    assert await node.guests.person(used) == ben


async def test_others_use_the_store_between_two_deletions(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many requests they make: the next guests are deleted after a pause."""
    await forget_the_guests_of_the_node(node)
    monkeypatch.setattr(module, "DELETED_AT_ONCE", 3)
    monkeypatch.setattr(module, "DELETION_PAUSE_S", 3_600.0)
    unseen = [(await node.guests.create(None))[0].player for _ in range(10)]
    node.clock.ms += DAY_MS
    deletion = asyncio.create_task(node.guests.delete_unseen(forget))
    for _ in range(20):
        await node.guests.create(None)
    assert len(await node.store.names(unseen)) == 7
    deletion.cancel()


# --- resume codes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["", "-", "AAAAA-AAAAA", "💣", "x" * 10_000])
async def test_another_code_is_nobodys(node: Node, code: str) -> None:
    ann, _ = await node.guests.create("Ann")
    await node.guests.resume_code(ann.player)
    assert await code_of(node.guests.resume(code)) == "unauthorized"
