"""Link previews: what a chat program shows of a room or a replay."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.app.page.link_previews import missing_head, replay_head, room_head, site_head, tournament_head
from noughts.app.page.replays import replay_in
from noughts.room.room import Room
from noughts.room.seat import EngineSeat
from noughts.tournament.tournament import Entrant
from tests.support.room_play import ADA, BOB, INVITE, NAMES, new_room, pair, resign, room_of, seat_of
from tests.support.tournament_play import new_tournament

BASE = "https://games.example.org"


def test_a_room_that_waits() -> None:
    head = room_head(BASE, new_room(), NAMES)
    assert head.title == "Tic-tac-toe"
    assert head.description.startswith("A game is waiting for you")
    assert head.url == f"{BASE}/r/r"
    assert head.picture == f"{BASE}/r/r/preview.png?v=1"


def test_a_page_about_no_game() -> None:
    site, missing = site_head(BASE, "replay"), missing_head(BASE, "Page not found")
    assert (site.title, site.url, site.picture) == ("", f"{BASE}/replay", f"{BASE}/preview.png")
    assert (missing.title, missing.url) == ("Page not found", f"{BASE}/")


@pytest.mark.parametrize(
    ("room", "sentence"),
    [
        (replace(room_of(seat_of(ADA), seat_of(BOB)), closed=True), "This room is closed."),
        (room_of(seat_of(ADA), seat_of(BOB)), "The game has not begun."),
    ],
)
def test_a_room_without_a_game(room: Room, sentence: str) -> None:
    assert room_head(BASE, room, NAMES).description.startswith(sentence)


def public_room() -> Room:
    """Return a public room of Ada and the engine."""
    return room_of(seat_of(ADA), EngineSeat("skilled"), visibility="public")


def test_names_are_for_public_rooms_only() -> None:
    assert room_head(BASE, public_room(), NAMES).title == "Ada against Otto (skilled): Tic-tac-toe"
    unlisted = room_head(BASE, room_of(seat_of(ADA), seat_of(BOB)), NAMES)
    for text in unlisted:
        assert "Ada" not in text
        assert "Bob" not in text
        assert INVITE not in text


def test_a_game_that_is_on_has_no_verdict() -> None:
    """Ada has a won position after three moves."""
    play = pair(variant="classic")
    play.moves("b2", "b1", "a1")
    assert room_head(BASE, play.room, NAMES).description.startswith("Move 4: O to play.")
    play.ask(BOB, resign())
    assert room_head(BASE, play.room, NAMES).description.startswith("X won by resignation.")


@pytest.mark.parametrize(
    ("query", "description", "path"),
    [
        ({"classic": "b2,a1,c1,a2,a3"}, "X won.", "/classic/b2,a1,c1,a2,a3"),
        ({"classic": "b2,b1,a1"}, "The position after 3 moves.", "/classic/b2,b1,a1"),
        ({"classic": "b2", "over": "resignation,O"}, "O won by resignation.", "/classic/b2?over=resignation,O"),
        ({"misere": "b2", "over": "agreement"}, "The game ended in a draw by agreement.", "/misere/b2?over=agreement"),
        ({"classic": ""}, "The position after 0 moves.", "?classic="),
    ],
)
def test_a_replay(query: dict[str, str], description: str, path: str) -> None:
    replay = replay_in(query)
    assert replay is not None
    head = replay_head(BASE, replay)
    assert head.description == description
    assert head.url == f"{BASE}/replay{path}"
    assert head.picture.startswith(f"{BASE}/preview.png?{replay.spelling[0]}={replay.spelling[1][:2]}")


@pytest.mark.parametrize(
    ("matches", "points", "end"),
    [
        ((1, 1, 1), (2, 1, 0), "P1 won. "),
        ((1, 1, 1), (2, 2, 2), "P1, P2 and P3 share the first place. "),
        ((0, 0, 0), (0, 0, 0), ""),  # cancelled before the start
    ],
)
def test_a_tournament_that_is_over_names_its_winners(
    matches: tuple[int, ...], points: tuple[int, ...], end: str
) -> None:
    entrants = [
        Entrant(number, f"p_{number}", f"P{number}", matches=count, points=points[number - 1])
        for number, count in enumerate(matches, 1)
    ]
    tournament = replace(new_tournament(), entrants=tuple(entrants), state="over")
    assert tournament_head(BASE, tournament).description == f"{end}Arena, Tic-tac-toe, 3 entrants."
