"""A tournament as bytes: small, and with numbers of rows for its matches."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from noughts.room.storage import game_bytes
from noughts.tournament.storage import (
    game_row,
    match_bytes,
    match_row,
    row_from,
    tournament_bytes,
    tournament_from,
    used_ms_in,
)
from noughts.tournament.tournament import Entrant, Match
from tests.support.room_play import match_play
from tests.support.tournament_play import new_tournament


def test_rows_of_matches_do_not_meet() -> None:
    rows = [row for match in range(1, 100) for row in (match_row(match), game_row(match, 1), game_row(match, 2))]
    assert len(set(rows)) == len(rows)


def test_a_full_tournament_takes_bounded_bytes() -> None:
    entrants = tuple(
        Entrant(number, "p_" + "x" * 18, "n" * 24, points=30_000, wins=15_000, games=20_000, since_ms=1 << 40)
        for number in range(1, 513)
    )
    matches = tuple(Match(50_000 + number, 0, 2 * number + 1, 2 * number + 2, 1 << 40) for number in range(256))
    value = replace(new_tournament(), entrants=entrants, matches=matches)
    data = tournament_bytes(value)
    assert tournament_from(data) == value
    assert len(data) < 80_000


def test_other_bytes_are_no_tournament() -> None:
    with pytest.raises(msgspec.DecodeError):
        tournament_from(b"\xc1")


def test_a_row_is_a_match_or_a_game() -> None:
    match = Match(1, 0, 1, 2, 0)
    assert row_from(match_bytes(match)) == match
    play = match_play()
    play.moves("a1")
    assert row_from(game_bytes(play.game)) == play.game


def test_the_time_of_the_last_change_is_read() -> None:
    value = new_tournament()
    assert used_ms_in(tournament_bytes(value)) == value.used_ms
    assert used_ms_in(b"\xc1") == 0
