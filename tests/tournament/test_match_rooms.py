"""The ids of rooms of matches."""

from __future__ import annotations

import pytest

from noughts.tournament.match_rooms import MatchKey, match_of_room, match_room

TOURNAMENT = "abcDEF123_-abcDEF1"


def test_a_room_names_its_match_and_keeps_the_secret() -> None:
    key = MatchKey(TOURNAMENT, 40_000)
    room = match_room(b"s" * 16, key)
    assert room == match_room(b"s" * 16, key)
    assert match_of_room(room) == key
    others = {match_room(b"t" * 16, key)[:19], match_room(b"s" * 16, MatchKey(TOURNAMENT, 40_001))[:19]}
    assert room[:19] not in others
    assert not room.startswith("-")


@pytest.mark.parametrize("room", ["", "m", "abcDEF123_-abcDEF1", "m23456789012345678", "x" * 42, "m" + "é" * 41])
def test_other_ids_name_no_match(room: str) -> None:
    assert match_of_room(room) is None
