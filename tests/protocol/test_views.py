"""The view of a room, field by field, and the parts of it that other messages share."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from noughts.protocol.codec import encode
from noughts.protocol.messages import LiveRoom, OpenRoom, SeatPresence, VerdictView
from noughts.protocol.views import live_room, open_room, seats_presence, seats_view, variant_view, view
from noughts.room.commands import Close, Resign, Set
from noughts.room.room import Room
from noughts.rules.by_mark import ByMark
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS, Variant
from tests.support import room_play
from tests.support.room_play import (
    ADA,
    BOB,
    FISCHER_60_2,
    MOVE_5S,
    NAMES,
    POLICY,
    T0,
    RoomPlay,
    against_engine,
    alone,
    answer,
    engines,
    new_room,
    offer,
    pair,
    resign,
    room_of,
    seat_of,
    stood_in,
)


def shown(room: Room) -> dict[str, Any]:
    """Return the view as it goes over the wire."""
    fields: dict[str, Any] = json.loads(encode(view(room, POLICY, NAMES)))
    return fields


def presence_of(play: RoomPlay) -> dict[str, Any]:
    """Return the presence of both seats as it goes over the wire."""
    fields: dict[str, Any] = json.loads(encode(seats_presence(play.room, play.presence, play.now_ms, play.policy)))
    return fields


# --- the room ---


def test_a_room_that_waits() -> None:
    """Every field of a room without a game."""
    assert shown(new_room()) == {
        "id": "r",
        "version": 1,
        "variant": "classic",
        "visibility": "unlisted",
        "join": "invite",
        "owner": "p_ada",
        "phase": "waiting",
        "seats": {"X": {"kind": "human", "player": "p_ada", "name": "Ada"}, "O": None},
        "game": None,
        "clock": None,
        "offers": [],
        "score": [],
        "draws": 0,
        "spectator_chat": "always",
        "created_ms": T0,
        "expires_ms": T0 + 86_400_000,
        "series": None,
        "swap": False,
    }


def test_a_series_before_its_first_game_within_it_and_at_its_end() -> None:
    """Its games and its winner, and null without the setting."""
    play = pair(first_to=1)
    assert shown(play.room)["series"] == {"first_to": 1, "games": 0, "winner": None, "over": False}
    play.ask(BOB, Resign("r"))
    assert shown(play.room)["series"] == {"first_to": 1, "games": 1, "winner": "p_ada", "over": True}
    play.ask(ADA, Set("s", first_to=5, swap=True))
    assert shown(play.room)["series"] == {"first_to": 5, "games": 0, "winner": None, "over": False}
    assert shown(play.room)["swap"] is True


def test_seats_of_people_and_engines() -> None:
    """A seat shows its player, or the engine's level and for whom it holds the seat."""
    assert shown(stood_in("skilled").room)["seats"] == {
        "X": {"kind": "human", "player": "p_ada", "name": "Ada"},
        "O": {"kind": "engine", "level": "skilled", "holding_for": {"player": "p_bob", "name": "Bob"}},
    }
    assert shown(against_engine("novice").room)["seats"]["O"] == {
        "kind": "engine",
        "level": "novice",
        "holding_for": None,
    }


def test_offers_score_and_draws() -> None:
    """Open offers are shown with their side, the score by player, and the number of draws."""
    play = pair()
    play.ask(ADA, offer("draw"))
    assert shown(play.room)["offers"] == [{"what": "draw", "by": "X"}]
    play.ask(BOB, answer("draw", True))
    seen = shown(play.room)
    assert (seen["offers"], seen["draws"]) == ([], 1)
    assert seen["score"] == [{"player": "p_ada", "wins": 0}, {"player": "p_bob", "wins": 0}]


def test_a_closed_room() -> None:
    """In a closed room no side is to move, and nobody can join."""
    play = pair(variant="ultimate")
    play.moves("a1")
    play.ask(ADA, Close("c"))
    seen = shown(play.room)
    assert (seen["phase"], seen["join"], seen["game"]["turn"], seen["game"]["legal"]) == ("closed", None, None, [])
    assert seen["game"]["forced"] is None


# --- the game ---


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_a_game_from_first_to_last_move(variant: str) -> None:
    """A game has exactly its fields at every ply, and they agree with the rules."""
    rng = random.Random(variant)
    play = pair(variant=variant)
    names = cell_names(VARIANTS[variant].shape)
    while True:
        seen = shown(play.room)
        game = seen["game"]
        assert ("fading" in game) == (variant == "vanishing")
        assert ("boards" in game) == ("forced" in game) == (variant == "ultimate")
        history = play.game.history
        assert game["moves"] == list(play.names)
        assert len(game["marks"]) == (history.position.x | history.position.o).bit_count()
        if VARIANTS[variant].marks_kept is None:
            assert game["marks"] == {name: "XO"[ply % 2] for ply, name in enumerate(game["moves"])}
        assert game["turn"] == play.game.turn
        assert game["legal"] == [names[cell] for cell in history.legal()]
        if play.game.outcome is not None:
            break
        play.moves(names[rng.choice(history.legal())])
    assert seen["phase"] == "finished"
    assert game["turn"] is None
    assert game["legal"] == []
    assert game.get("fading") is None
    assert game.get("forced") is None


def test_the_fading_mark() -> None:
    """In vanishing, ``fading`` is the mark that leaves with the next move, once there is one."""
    play = pair(variant="vanishing")
    assert shown(play.room)["game"]["fading"] is None
    play.moves("a1", "b1", "a2", "b2", "c3")
    assert shown(play.room)["game"]["fading"] is None
    play.moves("c1")
    seen = shown(play.room)["game"]
    assert seen["fading"] == "a1"
    assert "a1" not in seen["legal"]
    play.moves("b3")
    seen = shown(play.room)["game"]
    assert seen["fading"] == "b1"
    assert "a1" not in seen["marks"]
    play.ask(ADA, resign())
    assert shown(play.room)["game"]["fading"] is None


def test_the_boards_of_ultimate() -> None:
    """Ultimate shows its small boards and the one to play in."""
    play = pair(variant="ultimate")
    seen = shown(play.room)["game"]
    assert (seen["boards"], seen["forced"]) == ([None] * 9, None)
    play.moves("a1")
    assert shown(play.room)["game"]["forced"] == 0
    play.moves("b1", "d1", "a2", "a4", "a3")
    assert shown(play.room)["game"]["forced"] == 6
    play.ask(BOB, resign())
    assert shown(play.room)["game"]["forced"] is None


@pytest.mark.parametrize(
    ("moves", "winner", "reason", "cells", "variant"),
    [
        (("a1", "a2", "b1", "b2", "c1"), "X", "line", ["a1", "b1", "c1"], "classic"),
        (("b2", "a1", "a2", "b1", "c1", "a3", "b3", "c3", "c2"), "X", "line", ["a2", "b2", "c2"], "classic"),
        (("a1", "b2", "b1", "c2", "c1"), "O", "line", ["a1", "b1", "c1"], "misere"),
        (("b2", "a1", "a2", "c2", "b1", "b3", "a3", "c1", "c3"), None, "full_board", [], "classic"),
    ],
)
def test_the_outcome_names_its_cells(
    moves: tuple[str, ...], winner: str, reason: str, cells: list[str], variant: str
) -> None:
    """An outcome has winner, reason and the cells of its lines."""
    play = pair(variant=variant)
    play.moves(*moves)
    assert shown(play.room)["game"]["outcome"] == {"winner": winner, "reason": reason, "cells": cells}


# --- the clock ---


def test_the_clock_of_a_game() -> None:
    """The clock shows what is left as of a moment, whose clock runs, and when a first move is due."""
    assert shown(pair().room)["clock"] is None
    assert shown(engines(clock=MOVE_5S).room)["clock"]["first_move_by_ms"] is None  # no game of engines is aborted
    clock = shown(new_room(clock=FISCHER_60_2))["clock"]
    assert clock["setting"] == {"mode": "fischer", "initial_ms": 60_000, "increment_ms": 2_000}
    assert (clock["X_ms"], clock["O_ms"], clock["running"], clock["first_move_by_ms"]) == (60_000, 60_000, None, None)
    play = pair(clock=FISCHER_60_2)
    first = shown(play.room)["clock"]
    assert (first["running"], first["first_move_by_ms"]) == (None, first["at_ms"] + 30_000)
    play.moves("b2")
    assert shown(play.room)["clock"]["first_move_by_ms"] == play.now_ms + 30_000
    play.moves("a1")
    play.wait(10_000)
    assert shown(play.room)["clock"]["running"] == "X"
    assert shown(play.room)["clock"]["first_move_by_ms"] is None
    play.moves("c3")
    clock = shown(play.room)["clock"]
    assert (clock["X_ms"], clock["O_ms"], clock["running"], clock["at_ms"]) == (52_000, 60_000, "O", play.now_ms)
    play.ask(ADA, resign())
    assert shown(play.room)["clock"]["running"] is None


# --- presence ---


def test_the_presence_of_players() -> None:
    """An absent player is shown with the time away and the time until a claim."""
    play = pair()
    here = {"present": True, "away_ms": None, "claimable_in_ms": None}
    assert presence_of(play) == {"X": here, "O": here}
    play.disconnect(BOB)
    play.wait(12_000)
    assert presence_of(play) == {"X": here, "O": {"present": False, "away_ms": 12_000, "claimable_in_ms": 18_000}}
    play.wait(60_000)
    assert presence_of(play)["O"] == {"present": False, "away_ms": 72_000, "claimable_in_ms": 0}
    play.ask(ADA, resign())
    assert presence_of(play)["O"] == {"present": False, "away_ms": 72_000, "claimable_in_ms": None}
    play.connect(BOB)
    assert presence_of(play) == {"X": here, "O": here}


def test_seats_without_presence() -> None:
    """An engine, a stand-in and an empty seat have no presence."""
    for play in (against_engine(), stood_in(), alone()):
        presence = seats_presence(play.room, play.presence, play.now_ms, play.policy)
        assert presence == ByMark(SeatPresence(True, None, None), None)


# --- the lobby ---


def test_the_lobbys_items() -> None:
    """A room that waits is listed with its owner, clock and free mark; one with a game with seats, ply and spectators."""
    room = room_play.open_room(clock=MOVE_5S)
    assert open_room(room, NAMES) == OpenRoom("r", "classic", MOVE_5S, ADA, "O", T0)
    assert open_room(room_of(None, seat_of(ADA)), NAMES).mark == "X"
    play = pair()
    play.moves("b2")
    assert live_room(play.room, 7, NAMES) == LiveRoom("r", "classic", None, seats_view(play.room.seats, NAMES), 1, 7)
    assert live_room(new_room(), 0, NAMES).ply == 0


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_a_variant_is_described(variant: Variant) -> None:
    value = VerdictView("draw", None, "exact")
    described = variant_view(variant, value, ("novice",))
    assert (described.key, described.shape, described.line) == (variant.key, variant.shape, variant.line)
    assert (described.marks_kept, described.nested) == (variant.marks_kept, variant.nested)
    assert (described.value, described.levels) == (value, ("novice",))
