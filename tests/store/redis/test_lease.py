"""What a node sends with its beats and learns from the answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from noughts.room.downtime import Downtime
from noughts.store.contract import NodeStatus
from noughts.store.redis.lease import Lease
from tests.support.redis_stores import status_of


def answer(joined: int = 0, count: bytes = b"0", downtimes: Any = None, *statuses: NodeStatus) -> list[Any]:
    return [b"1000", joined, count, downtimes, [json.dumps(status._asdict()).encode() for status in statuses], 0]


def test_downtimes_are_asked_for_only_when_there_are_new_ones() -> None:
    lease = Lease("one")
    assert lease.words()[4] == ""
    pulse, _ = lease.renewed(answer(1, b"2", [b"10 20", b"30 40"]))
    assert pulse.downtimes == (Downtime(10, 20), Downtime(30, 40))
    assert lease.words()[4] == "2"
    pulse, _ = lease.renewed(answer(0, b"2", None))
    assert pulse.downtimes == (Downtime(10, 20), Downtime(30, 40))


def test_a_node_that_joins_again_had_been_given_up() -> None:
    lease = Lease("one")
    assert lease.renewed(answer(joined=1))[1] is False
    assert lease.renewed(answer(joined=0))[1] is False
    assert lease.renewed(answer(joined=1))[1] is True
    lease.left()
    assert lease.renewed(answer(joined=1))[1] is False


def test_a_status_of_another_release_is_understood() -> None:
    newer = json.dumps({"node": "two", "name": "two", "shoes": 2}).encode()
    pulse, _ = Lease("one").renewed([b"1000", 0, b"0", None, [newer], 0])
    assert pulse.nodes == (NodeStatus("two", "two", "", 0),)


def players(words: list[Any]) -> tuple[bool, set[str], set[str]]:
    """Return what a beat says of the players: whether these are all, who is new, and who has left."""
    _, all_follow, count, *names = words[6:]
    return all_follow == "all", set(names[:count]), set(names[count:])


@pytest.mark.parametrize("event", ["no answer", "joined", "connected again"])
def test_all_players_are_sent_when_redis_may_not_know_them(event: str) -> None:
    """After a beat without an answer, after the node was given up, and after the beat of a new connection."""
    lease = Lease("one")
    one = status_of("one")
    lease.words(one, {"ann"})
    lease.renewed(answer())
    lease.words(one, {"ann"})
    if event == "joined":
        lease.renewed(answer(joined=1))
    elif event == "connected again":
        assert players(lease.words()) == (False, set(), set())
        lease.renewed(answer())
    assert players(lease.words(one, {"ann"})) == (True, {"ann"}, set())
