"""What a node sends with its beats and learns from the answers."""

from __future__ import annotations

import json
from typing import Any

from noughts.room.downtime import Downtime
from noughts.store.contract import NodeStatus
from noughts.store.redis.lease import Lease
from tests.support.redis_stores import status_of


def answer(joined: int = 0, count: bytes = b"0", downtimes: Any = None, *statuses: NodeStatus) -> list[Any]:
    return [b"1000", joined, count, downtimes, [json.dumps(status._asdict()).encode() for status in statuses]]


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


def test_the_newest_status_is_sent_again() -> None:
    lease = Lease("one")
    assert lease.words()[1] == ""
    text = lease.words(status_of("one"))[1]
    assert json.loads(str(text))["node"] == "one"
    assert lease.words()[1] == text


def test_a_status_of_another_release_is_understood() -> None:
    newer = json.dumps({"node": "two", "name": "two", "shoes": 2}).encode()
    pulse, _ = Lease("one").renewed([b"1000", 0, b"0", None, [newer]])
    assert pulse.nodes == (NodeStatus("two", "two", "", 0),)
