"""Which TCP connections are taken: the number of a network, the number in all, and which is dropped for a newcomer."""

from __future__ import annotations

import ipaddress

import pytest

from noughts.app.delivery.admission import Admission
from noughts.app.runtime.limits import MAX_CONNECTIONS_OF_ADDRESS
from noughts.app.runtime.metrics import Metrics

PROXY = (ipaddress.ip_network("192.0.2.1/32"),)


class Line:
    """A connection of an address. ``overdue`` is what a test says."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.overdue = False
        self.aborted = False

    def is_overdue(self, now_s: float) -> bool:
        return self.overdue

    def close_if_idle(self, now_s: float) -> None:
        """This connection is never idle."""

    def abort(self) -> None:
        self.aborted = True


def admitted(admission: Admission, address: str, count: int = 1) -> list[Line]:
    """Return those of some connections that were admitted."""
    lines = [Line(address) for _ in range(count)]
    return [line for line in lines if admission.admit(line)]


def test_an_address_has_a_number_of_connections() -> None:
    metrics = Metrics()
    admission = Admission(10_000, PROXY, metrics)
    lines = admitted(admission, "203.0.113.9", 600)
    assert len(lines) == MAX_CONNECTIONS_OF_ADDRESS
    assert metrics.connections_rejected == 600 - MAX_CONNECTIONS_OF_ADDRESS
    assert len(admitted(admission, "203.0.113.10", 600)) == MAX_CONNECTIONS_OF_ADDRESS
    admission.release(lines[0].address)
    assert len(admitted(admission, "203.0.113.9", 2)) == 1


def test_a_connection_that_ended_is_not_counted() -> None:
    admission = Admission(10, (), Metrics())
    for _ in range(3):
        lines = admitted(admission, "203.0.113.1", 9)
        assert (len(lines), len(admission)) == (5, 5)  # half of the capacity
        for line in lines:
            admission.unwatch(line)
            admission.release(line.address)
        assert len(admission) == 0


@pytest.mark.parametrize(
    ("addresses", "share"),
    [
        ([f"2001:db8::{n:x}" for n in range(9)], 1),
        ([f"2001:db8:0:{n:x}::1" for n in range(9)], 4),
        ([f"2001:db8:0:{n:x}00::1" for n in range(40)], 16),
    ],
    ids=["/64", "/56", "/48"],
)
def test_a_wide_network_has_a_larger_number(addresses: list[str], share: int) -> None:
    admission = Admission(100_000, PROXY, Metrics())
    count = sum(len(admitted(admission, address, MAX_CONNECTIONS_OF_ADDRESS)) for address in addresses)
    assert count == share * MAX_CONNECTIONS_OF_ADDRESS


def test_a_trusted_proxy_has_no_number_of_its_own() -> None:
    assert len(admitted(Admission(10_000, PROXY, Metrics()), "192.0.2.1", 9_000)) == 9_000


def test_without_limits_only_the_capacity_counts() -> None:
    assert len(admitted(Admission(900, (), Metrics(), unlimited=True), "203.0.113.9", 950)) == 900


def test_when_all_is_used_the_heaviest_makes_way() -> None:
    admission = Admission(100, PROXY, Metrics())
    first, second = admitted(admission, "203.0.113.1", 50), admitted(admission, "203.0.113.2", 50)
    left = second.pop()
    admission.unwatch(left)
    admission.release(left.address)
    third = admitted(admission, "203.0.113.3", 10)
    assert len(third) == 10
    assert sum(line.aborted for line in first + second) == 9
    assert not admitted(admission, "203.0.113.1")  # it holds as much as anybody


def test_a_websocket_does_not_make_way() -> None:
    admission = Admission(10, (), Metrics(), unlimited=True)
    for line in admitted(admission, "203.0.113.1", 10):
        admission.unwatch(line)
    assert not admitted(admission, "203.0.113.2")


def test_an_overdue_connection_is_dropped_while_it_is_watched() -> None:
    metrics = Metrics()
    admission = Admission(10, (), metrics)
    late, later, early = admitted(admission, "203.0.113.1", 3)
    late.overdue = later.overdue = True
    admission.unwatch(later)
    admission.drop_overdue(1.0)
    assert (late.aborted, later.aborted, early.aborted) == (True, False, False)
    assert metrics.connections_overdue == 1
