"""What every relay promises, seen from three nodes. Another one is one more line in ``EXCHANGES``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

import pytest

from noughts.store.contract import Change
from noughts.store.relay import LocalExchange, LocalRelay, Notice, Relay
from tests.support.commits import chat, new_room, next_version
from tests.support.player import WAIT_S

END = Notice("unbanned", "the end")


class Exchange(Protocol):
    """Several nodes, and a way to wait until what each holds is known to the others."""

    def relay(self) -> Relay: ...
    async def settle(self) -> None: ...


class _Local:
    def __init__(self) -> None:
        self._exchange = LocalExchange()

    def relay(self) -> Relay:
        return LocalRelay(self._exchange)

    async def settle(self) -> None:
        """Do nothing: relays of one process know each other."""


EXCHANGES: dict[str, Callable[[], Exchange]] = {"local": _Local}


@pytest.fixture(params=sorted(EXCHANGES))
def exchange(request: pytest.FixtureRequest) -> Exchange:
    return EXCHANGES[request.param]()


@pytest.fixture
def relays(exchange: Exchange) -> tuple[Relay, Relay, Relay]:
    return exchange.relay(), exchange.relay(), exchange.relay()


async def heard(sender: Relay, *receivers: Relay) -> list[list[Change | Notice]]:
    """Send a last notice; return what each of the others received before it."""
    sender.announce(END)
    received: list[list[Change | Notice]] = []
    for receiver in receivers:
        messages: list[Change | Notice] = []
        async with asyncio.timeout(WAIT_S):
            while (message := await receiver.received()) != END:
                messages.append(message)
        received.append(messages)
    return received


async def test_a_change_reaches_the_nodes_that_hold_its_room(
    exchange: Exchange, relays: tuple[Relay, Relay, Relay]
) -> None:
    one, two, three = relays
    one.hold("r1")
    two.hold("r1")
    two.hold("r2")
    three.hold("r3")
    await exchange.settle()
    changes = [new_room(room) for room in ("r1", "r2", "r3", "r4")]
    for change in changes:
        one.publish(change)
    assert await heard(one, two, three) == [changes[:2], changes[2:3]]


async def test_changes_and_notices_arrive_in_their_order(
    exchange: Exchange, relays: tuple[Relay, Relay, Relay]
) -> None:
    one, two, _ = relays
    two.hold("r1")
    two.hold("r2")
    await exchange.settle()
    messages: list[Change | Notice] = []
    for n in range(50):
        messages += [next_version(n + 2, "r1"), Notice("renamed", "p_ann", f"Ann {n}"), chat(n + 1, "r2")]
    for message in messages:
        if isinstance(message, Notice):
            one.announce(message)
        else:
            one.publish(message)
    assert await heard(one, two) == [messages]


async def test_a_node_never_receives_what_it_sent(exchange: Exchange, relays: tuple[Relay, Relay, Relay]) -> None:
    one, two, three = relays
    one.hold("r1")
    await exchange.settle()
    one.publish(new_room("r1"))
    one.announce(Notice("renamed", "p_ann", "Anna"))
    assert await heard(two, one) == [[]]
    assert await heard(three, one) == [[]]


async def test_a_notice_reaches_every_other_node(exchange: Exchange, relays: tuple[Relay, Relay, Relay]) -> None:
    """Whatever they hold."""
    one, two, three = relays
    two.hold("r1")
    await exchange.settle()
    notices = [Notice("banned", "192.0.2.1"), Notice("deleted", "p_ann", "someone")]
    for notice in notices:
        one.announce(notice)
    assert await heard(one, two, three) == [notices, notices]


async def test_a_room_that_was_released_is_not_heard(exchange: Exchange, relays: tuple[Relay, Relay, Relay]) -> None:
    one, two, _ = relays
    two.hold("r1")
    two.hold("r1")  # a room is held or not, however often that is said
    two.hold("r2")
    two.release("r1")
    two.release("unknown")
    await exchange.settle()
    one.publish(new_room("r1"))
    one.publish(new_room("r2"))
    assert await heard(one, two) == [[new_room("r2")]]
    two.hold("r1")
    await exchange.settle()
    one.publish(next_version(2, "r1"))
    assert await heard(one, two) == [[next_version(2, "r1")]]


async def test_a_change_arrives_whole(exchange: Exchange, relays: tuple[Relay, Relay, Relay]) -> None:
    one, two, _ = relays
    two.hold("r1")
    await exchange.settle()
    changes = [
        new_room("r1", answered=b"ids", command=("p_ann", "c1"), game=(3, b"a game")),
        chat(1, "r1", command=("p_ann", "c2"), answered=b"more ids"),
        Change("r1", 1, 2, command=("p_ann", "c3"), closes=True),
    ]
    for change in changes:
        one.publish(change)
    assert await heard(one, two) == [changes]


async def test_who_waits_is_woken(exchange: Exchange, relays: tuple[Relay, Relay, Relay]) -> None:
    one, two, _ = relays
    waiting = asyncio.create_task(two.received())
    await exchange.settle()
    await asyncio.sleep(0)
    assert not waiting.done()
    one.announce(END)
    async with asyncio.timeout(WAIT_S):
        assert await waiting == END


async def test_a_node_that_is_alone_talks_to_nobody(exchange: Exchange) -> None:
    alone = exchange.relay()
    alone.hold("r1")
    alone.publish(new_room("r1"))
    alone.announce(END)
    newcomer = exchange.relay()
    await exchange.settle()
    newcomer.announce(Notice("renamed", "p_ann", "Anna"))
    async with asyncio.timeout(WAIT_S):
        assert await alone.received() == Notice("renamed", "p_ann", "Anna")
