"""The ids that were answered ok: found again, bounded for each player, and the same after a trip through bytes."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from noughts.room.idempotency import IDS_BEFORE_CUT, IDS_KEPT, MAX_BYTES, IdempotencyKeys, command_key


@pytest.mark.parametrize("count", [1, 15, 16, 17, IDS_KEPT, IDS_BEFORE_CUT, IDS_BEFORE_CUT + 1, 1_000])
def test_at_least_the_newest_64_of_each_player_are_kept(count: int) -> None:
    """However many ids other players add meanwhile; and never more than 96."""
    ids = IdempotencyKeys()
    ids.add(("p_cat", "old"), 1)
    for n in range(count):
        ids.add(("p_ann", f"a{n}"), n)
        ids.add(("p_ben", f"b{n}"), n)
        if n % 10 == 0:
            ids = IdempotencyKeys.decoded(ids.encoded())
    for player in ("p_ann", "p_ben"):
        kept = [n for n in range(count) if ids.version((player, f"{player[2]}{n}")) == n]
        assert kept == list(range(count - len(kept), count))
        assert min(count, IDS_KEPT) <= len(kept) <= IDS_BEFORE_CUT
    assert ids.version(("p_cat", "old")) == 1


def test_no_number_of_players_drops_an_id() -> None:
    ids = IdempotencyKeys()
    for player in range(300):
        for n in range(3):
            ids.add((f"p_{player}", f"c{n}"), player)
    ids = IdempotencyKeys.decoded(ids.encoded())
    assert all(ids.version((f"p_{player}", f"c{n}")) == player for player in range(300) for n in range(3))


def test_an_id_added_again_is_the_newest() -> None:
    ids = IdempotencyKeys()
    ids.add(("p_ann", "again"), 1)
    for n in range(40):
        ids.add(("p_ann", f"c{n}"), n)
    ids.add(("p_ann", "again"), 50)
    for n in range(40, 40 + IDS_KEPT - 1):
        ids.add(("p_ann", f"c{n}"), n)
    assert ids.version(("p_ann", "again")) == 50
    assert IdempotencyKeys.decoded(ids.encoded()).version(("p_ann", "again")) == 50


def test_the_bytes_are_a_map_of_maps_in_msgpack() -> None:
    """Any program can read them, also one that runs inside a store. What is appended equals what is written whole."""
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


def test_a_room_with_many_players_keeps_some_of_their_ids() -> None:
    """The players who sent the last commands keep theirs, and so do the players with a seat."""
    ids = IdempotencyKeys()
    for player in range(100):
        for n in range(IDS_KEPT):
            ids.add((f"p_{player}", f"{n:031}"), player)
    assert len(ids.encoded()) > MAX_BYTES
    before = ids.versions()
    ids.cut(before)
    assert ids.versions() == before  # no id of a kept player is dropped
    ids.cut(("p_0", "p_1"))
    assert MAX_BYTES / 4 < len(ids.encoded()) <= MAX_BYTES / 2
    left = [player for player in range(100) if ids.version((f"p_{player}", f"{0:031}")) is not None]
    assert left[:2] == [0, 1]
    assert left[2:] == list(range(100 - len(left[2:]), 100))
    assert IdempotencyKeys.decoded(ids.encoded()).versions() == ids.versions()
    ids.add(("p_0", "after"), 100)
    assert IdempotencyKeys.decoded(ids.encoded()).version(("p_0", "after")) == 100


def test_the_ids_of_each_player_are_shortened() -> None:
    ids = IdempotencyKeys()
    for number in range(20):
        ids.add(("p_ann", f"a{number}"), number)
    ids.add(("p_bob", "b"), 20)
    ids.shorten(8)
    assert ids.versions() == {"p_ann": {f"a{number}": number for number in range(12, 20)}, "p_bob": {"b": 20}}
    assert IdempotencyKeys.decoded(ids.encoded()).versions() == ids.versions()
