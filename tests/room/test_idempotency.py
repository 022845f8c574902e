"""The ids that were answered ok: found again, bounded, and the same after a trip through bytes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
import pytest

from noughts.room.idempotency import CUT_EVERY, IDS_KEPT, LEAST_IDS, MAX_IDS, IdempotencyKeys, command_key


def fill(players: int, each: int, own: Sequence[str]) -> IdempotencyKeys:
    """Return the ids of players who send commands in turn, cut and stored as a server does."""
    ids = IdempotencyKeys()
    for version in range(players * each):
        ids.add((f"p_{version % players}", f"c{version // players:031}"), version)
        if ids.overfull:
            ids.cut(own)
        if version % max(10, players) == 0:
            ids = IdempotencyKeys.decoded(ids.encoded())
    return ids


@pytest.mark.parametrize(
    ("own", "others", "least"),
    [
        (1, 0, IDS_KEPT),
        (2, 0, IDS_KEPT),
        (3, 40, IDS_KEPT),
        (4, 0, IDS_KEPT),
        (5, 0, 51),
        (40, 3, LEAST_IDS),
        (512, 0, LEAST_IDS),
    ],
)
def test_each_own_player_keeps_its_newest_ids(own: int, others: int, least: int) -> None:
    """At least 64 in a room, however much its spectators say, and at least eight in the largest tournament."""
    each = 100 if own < 10 else 30 if own < 100 else 12
    ids = fill(own + others, each, [f"p_{player}" for player in range(own)])
    count = 0
    for player in range(own + others):
        kept = [n for n in range(each) if ids.version((f"p_{player}", f"c{n:031}")) is not None]
        assert kept == list(range(each - len(kept), each))
        count += len(kept)
        assert player >= own or len(kept) >= least
    assert count < max(MAX_IDS, own * least) + own * IDS_KEPT * (others > 0) + CUT_EVERY
    assert own > 3 or len(ids.encoded()) < 32 * 1024


def test_a_visitor_of_long_ago_leaves_nothing() -> None:
    """Others who came later have taken the place of all ids, and of the name."""
    ids = IdempotencyKeys()
    ids.add(("p_first", "c"), 0)
    for version in range(1, MAX_IDS + 1):
        ids.add((f"p_{version % 9}", f"c{version}"), version)
    ids.cut([])
    assert ids.version(("p_first", "c")) is None
    assert b"p_first" not in ids.encoded()
    assert ids.version(("p_1", "c1")) == 1


def test_an_id_added_again_is_the_newest() -> None:
    ids = IdempotencyKeys()
    ids.add(("p_ann", "again"), 1)
    for n in range(40):
        ids.add(("p_ann", f"c{n}"), n)
    ids.add(("p_ann", "again"), 50)
    for n in range(40, 40 + IDS_KEPT - 1):
        ids.add(("p_ann", f"c{n}"), n)
    assert ids.version(("p_ann", "again")) == 50
    newest = [*(f"c{n}" for n in range(40)), "again", *(f"c{n}" for n in range(40, 40 + IDS_KEPT - 1))]
    assert list(msgspec.msgpack.decode(ids.encoded())["p_ann"]) == newest


def test_the_bytes_are_a_map_of_maps_in_msgpack() -> None:
    """Any program can read them, also one that runs inside a store."""
    random = Random(7)
    ids = IdempotencyKeys()
    expected: dict[str, dict[str, int]] = {}
    for n in range(500):
        player = f"p_{random.randrange(20)}"
        id = "🙂" * 64 if n == 3 else f"c{n}" * random.randrange(1, 20)
        version = random.choice([0, 127, 128, 70_000, 2**40])
        ids.add((player, id), version)
        expected.setdefault(player, {})[id] = version
        assert msgspec.msgpack.decode(ids.encoded()) == expected
        if n % 7 == 0:
            ids = IdempotencyKeys.decoded(ids.encoded())


def test_bytes_of_another_form_are_rejected() -> None:
    for data in (b"\xc1", b"\x93\x01\x02\x03", IdempotencyKeys().encoded() + b"\0"):
        with pytest.raises(msgspec.MsgspecError):
            IdempotencyKeys.decoded(data)


def test_a_text_without_a_utf8_form_is_rejected() -> None:
    """And nothing of it stays."""
    ids = IdempotencyKeys()
    ids.add(("p_ann", "c1"), 1)
    before = ids.encoded()
    for player in ("p_ann", "p_ben"):
        with pytest.raises(UnicodeEncodeError):
            ids.add((player, "half \ud800 a pair"), 2)
    assert ids.encoded() == before
    assert ids.version(("p_ann", "half \ud800 a pair")) is None


# --- many players, long ids -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["c1", 31 * "x", 32 * "x", "0" * 64, "\U0001f642" * 64, "\U0001f642"])
def test_an_id_is_kept_in_at_most_32_bytes(id: str) -> None:
    player, kept = command_key("p_ann", id)
    assert player == "p_ann"
    assert len(kept.encode()) <= 32
    assert command_key("p_ann", id) == (player, kept)
    assert command_key("p_ann", id[:-1] + "y")[1] != kept
