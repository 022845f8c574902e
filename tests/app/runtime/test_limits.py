"""Limits: how much is allowed at once, and what a player reads who must wait."""

from __future__ import annotations

import re
from contextlib import suppress
from ipaddress import IPv6Address

import pytest

from noughts.app.runtime import limits as table
from noughts.app.runtime.limits import (
    EXCESS_OF_ADDRESS,
    MAX_HOLDERS,
    MESSAGES,
    PIN_TRIES,
    PINS,
    REQUESTS,
    RESUME,
    ROOMS,
    ROOMS_ADDRESS,
    Bite,
    Bites,
    Limit,
    Limits,
    SharedLimit,
)
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS
from noughts.store.coordination import Bucket, LocalCoordination, Rate
from tests.project.reading import text_of

OWN = Limit("own", Rate(3, 2), "Slow down.")
SHARED = SharedLimit("shared", Rate(2, 1), "Wait {wait}.", "too_many_rooms")
ALL = [value for value in vars(table).values() if isinstance(value, Limit)]


def test_a_holder_starts_with_full_credit_and_gets_it_again() -> None:
    limits = Limits(LocalCoordination(), off=False)
    for now_s in (100.0, 100.0, 100.0, 100.5):
        limits.take(OWN, "one", now_s)
    for now_s, retry_ms in ((100.5, 500), (100.75, 250)):
        with pytest.raises(Rejection) as error:
            limits.take(OWN, "one", now_s)
        assert (error.value.code, error.value.message, error.value.retry_ms) == ("rate_limited", "Slow down.", retry_ms)
    for _ in range(3):
        limits.take(OWN, "one", 10_000.0)  # never more than there was
    with pytest.raises(Rejection):
        limits.take(OWN, "one", 10_000.0)


def test_each_holder_has_credit_of_its_own() -> None:
    limits = Limits(LocalCoordination(), off=False)
    for holder in ("one", "other"):
        for _ in range(3):
            limits.take(OWN, holder, 0.0)
    for holder in ("one", "other"):
        with pytest.raises(Rejection):
            limits.take(OWN, holder, 0.0)


async def test_shared_credit_is_counted_for_all_nodes_together() -> None:
    coordination = LocalCoordination(lambda: 0.0)
    nodes = [Limits(coordination, off=False) for _ in range(2)]
    for node in nodes:
        await node.take_shared(SHARED, "one")
    with pytest.raises(Rejection) as error:
        await nodes[0].take_shared(SHARED, "one")
    assert (error.value.code, error.value.message) == ("too_many_rooms", "Wait 1 s.")


async def test_no_minute_has_more_than_ten_wrong_pins() -> None:
    tries_s: list[int] = []
    now_s = 0
    limits = Limits(LocalCoordination(lambda: now_s), off=False)
    for now_s in range(200):
        with suppress(Rejection):
            await limits.take_try(PINS, "192.0.2.1", PIN_TRIES)
            tries_s.append(now_s)
    assert all(later - first >= 60 for first, later in zip(tries_s, tries_s[PIN_TRIES:], strict=False))
    assert len(tries_s) == 4 * PIN_TRIES


async def test_a_right_pin_gets_its_try_back() -> None:
    limits = Limits(LocalCoordination(lambda: 0.0), off=False)
    for _ in range(2 * PIN_TRIES):
        await limits.give_back(await limits.take_try(PINS, "192.0.2.1", PIN_TRIES))
    for _ in range(PIN_TRIES):
        await limits.take_try(PINS, "192.0.2.1", PIN_TRIES)
    with pytest.raises(Rejection) as error:
        await limits.take_try(PINS, "192.0.2.1", PIN_TRIES)
    assert (error.value.message, error.value.retry_ms) == (PINS.message.replace("{wait}", "60 s"), 60_000)


def test_own_credit_is_counted_by_each_node() -> None:
    coordination = LocalCoordination()
    for _ in range(2):
        limits = Limits(coordination, off=False)
        for _ in range(3):
            limits.take(OWN, "one", 0.0)


async def test_off_lifts_every_limit_but_the_tries_of_resume_codes() -> None:
    """A load test needs no codes, and without this limit somebody could guess them."""
    limits = Limits(LocalCoordination(), off=True)
    for _ in range(2 * int(REQUESTS.rate.burst)):
        limits.take(REQUESTS, "one", 0.0)
    for _ in range(2 * int(ROOMS.rate.burst)):
        await limits.take_shared(ROOMS, "one")
    for _ in range(int(RESUME.rate.burst)):
        await limits.take_shared(RESUME, "one")
    with pytest.raises(Rejection):
        await limits.take_shared(RESUME, "one")


# --- the table ----------------------------------------------------------------------------------------------------


def test_every_limit_has_a_name_and_a_sentence_of_its_own() -> None:
    assert len(ALL) >= 10
    assert len({limit.name for limit in ALL}) == len({limit.message for limit in ALL}) == len(ALL)
    for limit in ALL:
        assert re.fullmatch(r"[A-Z][^{]*(\{wait\})?[^{]*\.", limit.message), limit.message


def test_limits_on_what_is_stored_or_guessed_are_shared() -> None:
    own = {limit.name.partition(" of")[0] for limit in ALL if not isinstance(limit, SharedLimit)}
    assert own == {"messages", "pings", "requests", "analyses", "files", "new previews"}


async def test_forty_pupils_behind_one_address_may_try_every_variant() -> None:
    limits = Limits(LocalCoordination(), off=False)
    for pupil in range(40):
        for _ in VARIANTS:
            await limits.take_shared(ROOMS_ADDRESS, "school")
            await limits.take_shared(ROOMS, f"pupil {pupil}")


@pytest.mark.parametrize("limit", [ROOMS, ROOMS_ADDRESS], ids=lambda limit: limit.name)
async def test_too_many_rooms_say_how_long_to_wait(limit: SharedLimit) -> None:
    time_s = [0.0]
    limits = Limits(LocalCoordination(lambda: time_s[0]), off=False)
    for _ in range(int(limit.rate.burst)):
        await limits.take_shared(limit, "one")
    for time_s[0] in (0.0, 0.5, 1 / limit.rate.per_s - 0.001):
        with pytest.raises(Rejection) as error:
            await limits.take_shared(limit, "one")
        assert error.value.code == "too_many_rooms"
        assert error.value.retry_ms is not None
        assert error.value.message.endswith(f" wait {-(-error.value.retry_ms // 1000)} s.")
    time_s[0] = 1 / limit.rate.per_s
    await limits.take_shared(limit, "one")


def test_a_socket_may_send_ten_messages_a_second() -> None:
    bucket = Bucket(MESSAGES.rate, 0.0)
    assert not any(bucket.take(n / 10) for n in range(600))


@pytest.mark.parametrize(("bits", "multiple"), [(64, 4), (56, 16)])
@pytest.mark.parametrize("limit", [REQUESTS, EXCESS_OF_ADDRESS], ids=lambda limit: limit.name)
def test_a_wide_network_has_a_multiple_of_a_limit_of_one_node(limit: Limit, bits: int, multiple: int) -> None:
    """The networks of a /56, and those of a /48, share their credit, as requests and as sockets."""
    limits, accepted = Limits(LocalCoordination(), off=False), 0
    for n in range(2 * multiple):
        address = str(IPv6Address(int(IPv6Address("2001:db8::1")) + (n << 128 - bits)))
        buckets = limits.buckets_of_networks(limit, address, 0.0)
        for turn in range(int(limit.rate.burst)):
            if turn % 2:
                accepted += not any(bucket.take(0.0) for bucket in buckets)
                continue
            with suppress(Rejection):
                limits.take_for_networks(limit, address, 0.0)
                accepted += 1
    assert accepted == multiple * limit.rate.burst


def test_rejections_are_counted_and_not_logged_one_by_one() -> None:
    bites = Bites()
    for holder in ("10.0.0.1", "10.0.0.2", "10.0.0.2"):
        bites.note("messages", holder)
    bites.note("rooms", "p_ann")
    assert bites.end_minute() == [Bite("messages", 3, "10.0.0.2"), Bite("rooms", 1, "p_ann")]
    assert bites.end_minute() == []
    for _ in range(2):
        bites.note("rooms", "p_ben")
    assert sorted(bites.of_last_hour()) == [Bite("messages", 3, "10.0.0.2"), Bite("rooms", 3, "p_ben")]
    for _ in range(61):
        bites.end_minute()
    assert bites.of_last_hour() == []


def test_the_holders_that_are_counted_are_bounded() -> None:
    bites = Bites()
    for number in range(2 * MAX_HOLDERS):
        bites.note("messages", str(number))
    assert bites.end_minute() == [Bite("messages", 2 * MAX_HOLDERS, "others")]


def test_the_reference_lists_every_rate() -> None:
    rows = []
    for limit in vars(table).values():
        if isinstance(limit, Limit):
            rate = limit.rate
            each = f"{rate.per_s:g} a second" if rate.per_s >= 1 else f"one every {round(1 / rate.per_s):,} s"
            rows.append(f"| {limit.name} | {rate.burst:,g} | {each} |")
    assert [row for row in rows if row not in text_of("docs/reference/limits.md")] == []
    assert len(rows) > 20
