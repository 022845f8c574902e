"""The look-up of hosts for notices: nobody waits for a host that another post is about."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter

import pytest

from noughts.app.push import lookups
from noughts.app.push.lookups import MAX_LOOKUPS, Lookups
from tests.support.player import WAIT_S


class Names:
    """A name server that is silent about some hosts until the end of the test."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.silent = {f"dead{n}.test" for n in range(MAX_LOOKUPS + 1)}
        self.end = threading.Event()

    def look_up(self, host: str, port: int) -> list[str]:
        self.asked[host] += 1
        if host in self.silent:
            self.end.wait(WAIT_S)
        if host == "none.test":
            raise OSError("no such host")
        return ["192.0.2.1"]


@pytest.fixture
def names() -> Names:
    return Names()


async def test_silent_hosts_delay_no_other_host(names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "KNOWN_S", 0.01)
    hosts = Lookups(names.look_up)
    assert await hosts.addresses("good.test", 443) == ["192.0.2.1"]
    dead = [asyncio.create_task(hosts.addresses(f"dead{n}.test", 443)) for n in range(MAX_LOOKUPS - 1)]
    await asyncio.sleep(0)
    assert await hosts.addresses("other.test", 443) == ["192.0.2.1"]
    dead.append(asyncio.create_task(hosts.addresses(f"dead{MAX_LOOKUPS}.test", 443)))
    await asyncio.sleep(0)
    assert await hosts.addresses("good.test", 443) == ["192.0.2.1"]
    with pytest.raises(OSError, match="too many"):
        await hosts.addresses("third.test", 443)
    assert not [task for task in dead if task.done()]
    names.end.set()
    assert await asyncio.gather(*dead) == MAX_LOOKUPS * [["192.0.2.1"]]


async def test_a_host_that_was_found_before_is_not_waited_for(names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "KNOWN_S", 0.01)
    hosts = Lookups(names.look_up)
    await hosts.addresses("good.test", 443)
    names.silent.add("good.test")
    assert await asyncio.gather(*(hosts.addresses("good.test", 443) for _ in range(9))) == 9 * [["192.0.2.1"]]
    assert names.asked["good.test"] == 2
    names.end.set()


async def test_a_host_that_does_not_exist_is_an_error_each_time(names: Names) -> None:
    hosts = Lookups(names.look_up)
    for _ in range(2):
        with pytest.raises(OSError, match="no such host"):
            await hosts.addresses("none.test", 443)
    assert names.asked["none.test"] == 2
