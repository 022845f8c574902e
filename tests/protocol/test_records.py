"""The record of a game: any ply can be drawn from it without rules."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from noughts.protocol.codec import encode
from noughts.protocol.messages import EngineSeatView, HumanSeatView
from noughts.protocol.records import game_record, record_of_moves
from noughts.protocol.views import game_view
from noughts.room.room import RoomGame
from noughts.room.seat import Person
from noughts.rules.by_mark import ByMark
from noughts.rules.game import replay_names
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS
from tests.support.room_play import ADA, T0, engines, offer, pair, resign, stood_in


def game_json(game: RoomGame) -> dict[str, Any]:
    """Return the view of a game as it goes over the wire."""
    fields: dict[str, Any] = json.loads(encode(game_view(game, game.outcome is None)))
    return fields


def marks_at(record: dict[str, Any], ply: int) -> dict[str, str]:
    """Return the marks after ``ply`` moves, drawn from the record alone."""
    marks: dict[str, str] = {}
    for move in record["moves"][:ply]:
        marks.pop(move["removed"], None)
        marks[move["cell"]] = move["mark"]
    return marks


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("seed", range(4))
def test_any_ply_can_be_drawn(variant: str, seed: int) -> None:
    """Marks and decided boards of every ply come from the record alone, and are those of the view."""
    rng = random.Random(seed)
    play = pair(variant=variant)
    names = cell_names(VARIANTS[variant].shape)
    views = [game_json(play.game)]
    while play.game.outcome is None:
        play.now_ms += 1_000
        play.moves(names[rng.choice(play.game.history.legal())])
        views.append(game_json(play.game))
    record = json.loads(encode(game_record(play.game, {"p_ada": "Ada", "p_bob": "Bob"})))
    assert set(record) == {"variant", "number", "players", "moves", "outcome", "swapped"}
    assert (record["variant"], record["number"]) == (variant, 1)
    assert record["outcome"] == views[-1]["outcome"]
    boards: list[str | None] = [None] * 9
    for ply, seen in enumerate(views):
        assert marks_at(record, ply) == seen["marks"]
        if ply:
            move = record["moves"][ply - 1]
            assert set(move) == {"cell", "mark", "by", "at_ms", "removed", "decided"}
            assert move["at_ms"] == T0 + 1_000 * ply
            assert move["by"] == ("p_ada" if move["mark"] == "X" else "p_bob")
            if move["decided"] is not None:
                boards[move["decided"]["board"]] = move["decided"]["by"]
        if variant == "ultimate":
            assert boards == seen["boards"]


def test_present_names() -> None:
    """Players are named as they are called now. A player who no longer exists is ``someone``, also behind a stand-in."""
    play = stood_in("skilled")
    play.moves("b2", "a1")
    stood_in_for = game_record(play.game, {})
    assert [move.by for move in stood_in_for.moves] == ["p_ada", "engine:skilled"]
    assert stood_in_for.players == ByMark(HumanSeatView("p_ada", "someone"), HumanSeatView("p_bob", "someone"))
    play.ask(ADA, resign())
    play.ask(ADA, offer("rematch"))
    assert game_record(engines().game, {}).players == ByMark(EngineSeatView("novice"), EngineSeatView("perfect"))
    record = game_record(play.game, {"p_ada": "Ada L"})
    assert record.players == ByMark(
        EngineSeatView("skilled", Person("p_bob", "someone")), HumanSeatView("p_ada", "Ada L")
    )


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_moves_without_a_room(variant: str) -> None:
    """The record of the moves of a room's game is that game's own, without players, times and number."""
    rng = random.Random(variant)
    play = pair(variant=variant)
    names = cell_names(VARIANTS[variant].shape)
    while play.game.outcome is None:
        play.moves(names[rng.choice(play.game.history.legal())])
    of_room = json.loads(encode(game_record(play.game, {})))
    of_moves = json.loads(encode(record_of_moves(replay_names(VARIANTS[variant], play.game.history.move_names))))
    assert record_of_moves(replay_names(VARIANTS[variant], play.game.history.move_names[:2])).outcome is None
    for move in of_room["moves"]:
        move |= {"by": None, "at_ms": None}
    assert of_moves == of_room | {"number": None, "players": None, "legal": []}
    begun = replay_names(VARIANTS[variant], play.game.history.move_names[:2])
    assert record_of_moves(begun).legal == begun.legal_names()
