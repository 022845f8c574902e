"""A first game that begins after moves: it has no score and no takeback of them, and is stored with them."""

from __future__ import annotations

import json

import pytest

from noughts.protocol.audience import you
from noughts.protocol.codec import encode
from noughts.protocol.records import game_record
from noughts.protocol.views import game_view
from noughts.room.creation import new_room
from noughts.room.room import Room
from noughts.room.storage import game_bytes, game_from, room_bytes, room_from
from noughts.rules.game import replay_names
from noughts.rules.outcome import Mark
from noughts.rules.variant import VARIANTS
from tests.support.room_play import ADA, INVITE, T0, RoomPlay, offer, resign


def room_after(*cells: str, mark: Mark = "X") -> Room:
    """Return Ada's new room against the engine, whose first game begins after these moves."""
    variant = VARIANTS["classic"]
    return new_room(
        room_id="r",
        invite=INVITE,
        owner=ADA.nameless,
        variant=variant,
        opponent="engine",
        mark=mark,
        engines=("casual",),
        clock=None,
        visibility=None,
        now_ms=T0,
        opening=replay_names(variant, cells) if cells else None,
    )


def can_take_back(play: RoomPlay, mark: Mark) -> bool:
    """Return whether a side may ask for a takeback, as its view says."""
    return "offer:takeback" in you(play.room, play.presence, play.policy, mark).can


def test_the_game_begins_after_the_moves() -> None:
    """The view says how many moves were given. The record has them without a maker and a time."""
    play = RoomPlay(room_after("b2", "a1"))
    assert (play.game.from_ply, play.game.history.move_names, play.game.turn) == (2, ("b2", "a1"), "X")
    play.now_ms += 1_000
    play.moves("c1")
    fields = json.loads(encode(game_view(play.game, True)))
    assert (fields["from"], fields["moves"]) == (2, ["b2", "a1", "c1"])
    moves = json.loads(encode(game_record(play.game, {})))["moves"]
    assert [(move["cell"], move["by"], move["at_ms"]) for move in moves] == [
        ("b2", None, None),
        ("a1", None, None),
        ("c1", "p_ada", T0 + 1_000),
    ]


def test_a_game_from_the_empty_board_has_no_from() -> None:
    assert "from" not in json.loads(encode(game_view(RoomPlay(room_after()).game, True)))


@pytest.mark.parametrize(
    ("cells", "mark", "played"),
    [
        (("b2", "a1"), "X", ("c1", "a3")),
        (("b2", "a1"), "O", ("c1", "a3")),
        (("b2", "a1", "c1"), "X", ("a3", "a2")),
        (("b2", "a1", "c1"), "O", ("a3", "a2")),
    ],
)
def test_no_takeback_goes_below_the_moves(cells: tuple[str, ...], mark: Mark, played: tuple[str, ...]) -> None:
    """A side may take back its own moves of the game, never those that the game began after."""
    play = RoomPlay(room_after(*cells, mark=mark))
    while True:
        turn = play.game.turn
        assert can_take_back(play, mark) == has_moved(play, mark)
        if not can_take_back(play, mark):
            assert play.code(ADA, offer("takeback")) == "forbidden"
        if play.game.history.ply == len(cells) + len(played):
            break
        assert turn is not None
        play.moves(played[play.game.history.ply - len(cells)])
    play.ask(ADA, offer("takeback"))
    assert len(cells) <= play.game.history.ply < len(cells) + len(played)
    assert play.game.history.move_names[: len(cells)] == cells
    assert len(play.game.by) == len(play.game.at_ms) == play.game.history.ply - len(cells)
    assert play.code(ADA, offer("takeback")) == "forbidden"


def has_moved(play: RoomPlay, mark: Mark) -> bool:
    """Return whether a side has made a move of its own in the game."""
    plies = range(play.game.from_ply, play.game.history.ply)
    return any(("X", "O")[ply % 2] == mark for ply in plies)


def test_the_game_counts_in_no_score() -> None:
    """The next game of the room begins with the empty board and counts."""
    play = RoomPlay(room_after("b2", "b1"))
    play.ask(ADA, resign())
    assert (play.room.score, play.room.draws) == ((), 0)
    play.ask(ADA, offer("rematch"))
    assert (play.game.from_ply, play.game.history.ply) == (0, 0)
    play.ask(ADA, resign())
    assert {score.player: score.wins for score in play.room.score} == {"p_ada": 0, "engine:casual": 1}


def test_the_moves_are_stored() -> None:
    """A room and a record are read as they were written."""
    play = RoomPlay(room_after("b2", "b1"))
    play.moves("a1")
    assert room_from(room_bytes(play.room)) == play.room
    play.ask(ADA, resign())
    assert game_from(game_bytes(play.game)) == play.game
