"""What each audience is shown: the fields of the contract one by one, no secret to a spectator, and no promise in
``can`` that a step would not keep."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noughts.errors import Rejection
from noughts.protocol.codec import encode
from noughts.protocol.messages import RoomMessage
from noughts.protocol.views import (
    Audience,
    audience_of,
    game_record,
    live_room,
    open_room,
    places,
    view,
    you,
)
from noughts.room.commands import Close, Mute, Request, Resign, RoomCommand, Set
from noughts.room.events import Moved
from noughts.room.room import Policy, Room
from noughts.room.seat import EngineSeat, HumanSeat, Person, holder
from noughts.room.step import step
from noughts.room.timers import settle_at_ms
from noughts.rules.notation import cell_names
from noughts.rules.outcome import MARKS
from noughts.rules.variant import VARIANTS
from tests.support.evening import Evening, matching
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    FISCHER_60_2,
    INVITE,
    MOVE_5S,
    POLICY,
    T0,
    RoomPlay,
    against_engine,
    answer,
    engines,
    finished,
    new_room,
    offer,
    pair,
    resign,
    sit,
    stand,
    stood_in,
)

AUDIENCES: tuple[Audience, ...] = ("X", "O", "owner", "everyone")
ZED = Person("p_zed", "Zed")

VIEW_KEYS = {
    "id",
    "version",
    "variant",
    "visibility",
    "join",
    "owner",
    "phase",
    "seats",
    "game",
    "clock",
    "offers",
    "score",
    "draws",
    "spectator_chat",
    "created_ms",
    "expires_ms",
}
GAME_KEYS = {"number", "variant", "moves", "marks", "turn", "legal", "outcome"}
SPECIAL_KEYS = {"vanishing": {"fading"}, "ultimate": {"boards", "forced"}}
ENTRIES = (
    "move",
    "resign",
    "stand",
    *(f"{word}:{what}" for word in ("offer", "answer") for what in ("draw", "takeback", "rematch")),
    "claim:win",
    "claim:draw",
    *(f"{word}:{mark}" for word in ("sit", "seat_engine", "free") for mark in MARKS),
    "chat",
    "react",
    "set",
    "mute",
    "close",
)


def shown(room: Room, policy: Policy = POLICY) -> dict[str, Any]:
    """The view as it goes over the wire."""
    made: dict[str, Any] = json.loads(encode(view(room, policy)))
    return made


def told(room: Room, audience: Audience) -> dict[str, Any]:
    """YOU as it goes over the wire."""
    made: dict[str, Any] = json.loads(encode(you(room, audience, POLICY)))
    return made


def can(play: RoomPlay, audience: Audience) -> set[str]:
    entries = you(play.room, audience, POLICY).can
    assert len(set(entries)) == len(entries)
    return set(entries)


# The property that matters most: the page draws its buttons from ``can`` and from nothing else.


def _member(room: Room, audience: Audience) -> Person | None:
    """Somebody who belongs to this audience, if anybody does."""
    if audience == "everyone":
        return ZED
    if audience == "owner":
        return room.owner if audience_of(room, room.owner.player) == "owner" else None
    player = holder(room.seat(audience))
    return Person(player, "somebody") if player is not None else None


def _refusal(room: Room, who: Person, command: RoomCommand, now_ms: int, policy: Policy) -> str | None:
    try:
        step(room, Request(who, command), now_ms, policy)
    except Rejection as rejection:
        return rejection.code
    return None


def _unlisted(room: Room, entry: str) -> list[RoomCommand]:
    if entry == "move" and (room.game is None or not room.playing):
        game = room.game
        ply = game.history.ply if game is not None else 0
        return [
            msgspec.convert({"type": "move", "id": "c", "ply": ply, "cell": cell}, RoomCommand) for cell in ("a1", "b2")
        ]
    return matching(room, entry)


def can_is_what_step_accepts(room: Room, now_ms: int, policy: Policy) -> None:
    for audience in AUDIENCES:
        who = _member(room, audience)
        if who is None:
            continue
        assert audience_of(room, who.player) == audience
        listed = you(room, audience, policy).can
        assert set(listed) <= set(ENTRIES)
        for entry in ENTRIES:
            for command in _unlisted(room, entry):
                code = _refusal(room, who, command, now_ms, policy)
                if entry not in listed:
                    assert code is not None, f"{audience} cannot {entry}, and yet {command} was accepted"
                elif entry.startswith("offer:"):
                    assert code in (None, "rate_limited"), f"{audience} can {entry}, but {command}: {code}"
                elif entry.startswith("answer:") and command.accept:  # type: ignore[union-attr]
                    own = any(offer.by == audience and f"answer:{offer.what}" == entry for offer in room.offers)
                    assert code == ("forbidden" if own else None), f"{audience} can {entry}, but {command}: {code}"
                else:
                    assert code is None, f"{audience} can {entry}, but {command}: {code}"


@pytest.mark.parametrize("variant", list(VARIANTS))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(choose=st.randoms(use_true_random=False))
def test_can_is_exactly_what_a_step_accepts(variant: str, choose: random.Random) -> None:
    evening = Evening(choose, variant)
    for _ in evening.spend(40):
        due = settle_at_ms(evening.room, evening.policy)
        if due is not None and due <= evening.now_ms:
            evening.wake()
        can_is_what_step_accepts(evening.room, evening.now_ms, evening.policy)


@pytest.mark.parametrize("seed", range(40))
def test_can_is_exactly_what_a_step_accepts_all_evening(seed: int) -> None:
    evening = Evening(random.Random(seed), ("classic", "vanishing")[seed % 2])
    for _ in evening.spend(150):
        due = settle_at_ms(evening.room, evening.policy)
        if due is not None and due <= evening.now_ms:
            evening.wake()
        can_is_what_step_accepts(evening.room, evening.now_ms, evening.policy)


def test_what_the_four_audiences_can_do_through_an_evening() -> None:
    everybody = {"chat", "react"}
    owner = {"mute", "close"}
    play = RoomPlay(new_room())
    assert can(play, "X") == {"stand", "seat_engine:O", "set"} | everybody | owner
    assert can(play, "everyone") == {"sit:O"} | everybody
    play.ask(BOB, sit("O", INVITE))
    assert can(play, "X") == {"move", "resign", "offer:draw"} | everybody | owner
    assert can(play, "O") == {"resign", "offer:draw"} | everybody
    assert can(play, "everyone") == everybody
    play.moves("b2")
    assert can(play, "X") == {"resign", "offer:draw", "offer:takeback"} | everybody | owner
    play.ask(ADA, offer("takeback"))
    assert can(play, "X") == {"resign", "answer:takeback"} | everybody | owner
    assert can(play, "O") == {"move", "resign", "offer:draw", "offer:takeback", "answer:takeback"} | everybody
    play.ask(BOB, answer("takeback", False))
    play.disconnect(BOB)
    play.wait(30_000)
    gone = {"claim:win", "claim:draw", "seat_engine:O"}
    assert can(play, "X") == {"resign", "offer:draw", "offer:takeback"} | gone | everybody | owner
    play.connect(BOB)
    assert not can(play, "X") & gone
    play.ask(BOB, resign())
    assert can(play, "O") == {"stand", "offer:rematch"} | everybody
    assert can(play, "X") == {"stand", "offer:rematch", "set"} | everybody | owner
    play.ask(ADA, offer("rematch"))
    assert can(play, "O") == {"stand", "offer:rematch", "answer:rematch"} | everybody
    play.ask(ADA, Close("c"))
    for audience in AUDIENCES:
        assert can(play, audience) == set()


def test_the_holder_of_a_seat_in_which_the_engine_stands_can_sit_down() -> None:
    play = stood_in()
    assert can(play, "O") == {"resign", "offer:draw", "sit:O", "chat", "react"}
    assert told(play.room, "O")["mark"] == "O"
    play.moves("b2")
    assert "move" not in can(play, "O")


def test_an_owner_without_a_seat_and_everyone_else() -> None:
    play = engines()
    assert can(play, "owner") == {"chat", "react", "mute", "close"}
    assert can(play, "everyone") == {"chat", "react"}
    play.moves("a1", "a2", "b1", "b2", "c1")
    assert can(play, "everyone") == {"sit:X", "sit:O", "chat", "react"}
    assert can(play, "owner") == {"sit:X", "sit:O", "free:X", "free:O", "set", "chat", "react", "mute", "close"}


def test_a_player_who_is_muted_is_offered_no_chat() -> None:
    play = pair()
    play.ask(ADA, Mute("c", BOB.player, True))
    assert not can(play, "O") & {"chat", "react"}
    assert {"chat", "react"} <= can(play, "everyone")
    play.ask(ADA, Mute("c", "spectators", True))
    assert can(play, "everyone") == set()


def test_chat_that_is_switched_off_is_offered_to_nobody() -> None:
    play = pair()
    for audience in AUDIENCES:
        assert not set(you(play.room, audience, Policy(chat=False)).can) & {"chat", "react"}


# Who is who, and the secret.


def test_the_audience_of_a_player() -> None:
    room = stood_in().room
    assert [audience_of(room, player) for player in ("p_ada", "p_bob", "p_cat", None)] == [
        "X",
        "O",
        "everyone",
        "everyone",
    ]
    assert audience_of(engines().room, "p_ada") == "owner"


def test_you_has_exactly_its_fields_and_the_invite_only_for_seats_and_owner() -> None:
    for play in (pair(), stood_in(), finished()):
        for audience in ("X", "O"):
            assert told(play.room, audience) == {  # type: ignore[arg-type]
                "mark": audience,
                "owner": audience == "X",
                "can": list(you(play.room, audience, POLICY).can),  # type: ignore[arg-type]
                "invite": INVITE,
            }
        assert set(told(play.room, "everyone")) == {"mark", "owner", "can"}
    play = RoomPlay(new_room())
    play.ask(ADA, stand())
    owner = told(play.room, "owner")
    assert (owner["mark"], owner["owner"], owner["invite"]) == (None, True, INVITE)
    assert set(told(engines().room, "owner")) == {"mark", "owner", "can"}


@pytest.mark.parametrize("variant", ["classic", "ultimate"])
def test_no_secret_reaches_a_spectator(variant: str) -> None:
    for play in (RoomPlay(new_room(variant=variant)), pair(variant=variant), finished(variant=variant)):
        seen = encode(view(play.room, POLICY)) + encode(you(play.room, "everyone", POLICY))
        assert INVITE.encode() not in seen
        assert b"muted" not in seen


def test_a_room_message_is_whole() -> None:
    play = pair()
    play.moves("b2")
    event = play.events[0]
    assert isinstance(event, Moved)
    raw = msgspec.Raw(encode(view(play.room, POLICY)))
    message = json.loads(encode(RoomMessage(play.room.version, event, you(play.room, "O", POLICY), raw)))
    assert set(message) == {"type", "version", "event", "you", "room"}
    assert message["type"] == "room"
    assert message["event"] == {"type": "moved", "mark": "X", "cell": "b2", "by": "p_ada"}
    assert message["room"] == shown(play.room)
    assert message["version"] == message["room"]["version"] == 2


# VIEW, field by field.


def test_a_room_that_waits() -> None:
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
    }


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_a_game_has_exactly_its_fields_from_first_to_last_move(variant: str) -> None:
    rng = random.Random(variant)
    play = pair(variant=variant)
    names = cell_names(VARIANTS[variant].shape)
    while True:
        seen = shown(play.room)
        assert set(seen) == VIEW_KEYS
        game = seen["game"]
        assert set(game) == GAME_KEYS | SPECIAL_KEYS.get(variant, set())
        inner = play.game.play
        assert game["moves"] == list(play.names)
        assert len(game["marks"]) == (inner.position.x | inner.position.o).bit_count()
        if VARIANTS[variant].marks_kept is None:
            assert game["marks"] == {name: "XO"[ply % 2] for ply, name in enumerate(game["moves"])}
        assert game["turn"] == play.game.turn
        assert game["legal"] == [names[cell] for cell in inner.legal()]
        if play.game.outcome is not None:
            break
        play.moves(names[rng.choice(inner.legal())])
    assert seen["phase"] == "finished"
    assert game["turn"] is None
    assert game["legal"] == []
    assert set(game["outcome"]) == {"winner", "reason", "cells"}
    assert game.get("fading") is None
    assert game.get("forced") is None


def test_fading_is_the_mark_that_leaves_with_the_next_move() -> None:
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


def test_ultimate_shows_its_boards_and_where_one_is_sent() -> None:
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
    play = pair(variant=variant)
    play.moves(*moves)
    assert shown(play.room)["game"]["outcome"] == {"winner": winner, "reason": reason, "cells": cells}


def test_the_outcome_without_a_line_has_no_cells() -> None:
    assert shown(finished().room)["game"]["outcome"] == {"winner": "X", "reason": "resignation", "cells": []}


def test_seats_of_people_of_engines_and_of_a_stand_in() -> None:
    assert shown(stood_in("skilled").room)["seats"] == {
        "X": {"kind": "human", "player": "p_ada", "name": "Ada"},
        "O": {"kind": "engine", "level": "skilled", "holding_for": {"player": "p_bob", "name": "Bob"}},
    }
    assert shown(against_engine("novice").room)["seats"]["O"] == {
        "kind": "engine",
        "level": "novice",
        "holding_for": None,
    }


def test_the_clock_shows_what_is_left_as_of_a_moment() -> None:
    assert shown(pair().room)["clock"] is None
    waiting = shown(new_room(clock=FISCHER_60_2))["clock"]
    assert {key: waiting[key] for key in ("mode", "X_ms", "O_ms", "running", "at_ms")} == {
        "mode": "fischer",
        "X_ms": 60_000,
        "O_ms": 60_000,
        "running": None,
        "at_ms": T0,
    }
    assert waiting["first_move_by_ms"] is None
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


def test_in_move_mode_both_sides_show_the_whole_again_after_each_move() -> None:
    play = pair(clock=MOVE_5S)
    play.moves("b2", "a1")
    play.wait(4_000)
    play.moves("c3")
    clock = shown(play.room)["clock"]
    assert (clock["mode"], clock["X_ms"], clock["O_ms"]) == ("move", 5_000, 5_000)


def test_a_new_clock_shows_its_whole_before_the_next_game() -> None:
    play = finished()
    play.ask(ADA, Set("c", clock=FISCHER_60_2))
    clock = shown(play.room)["clock"]
    assert (clock["mode"], clock["X_ms"], clock["O_ms"], clock["running"]) == ("fischer", 60_000, 60_000, None)


def test_offers_score_and_draws() -> None:
    play = pair()
    play.ask(ADA, offer("draw"))
    assert shown(play.room)["offers"] == [{"what": "draw", "by": "X"}]
    play.ask(BOB, answer("draw", True))
    seen = shown(play.room)
    assert (seen["offers"], seen["draws"]) == ([], 1)
    assert seen["score"] == [{"player": "p_ada", "wins": 0}, {"player": "p_bob", "wins": 0}]


def test_a_closed_room_has_nobody_to_move_and_nothing_to_join() -> None:
    play = pair(variant="ultimate")
    play.moves("a1")
    play.ask(ADA, Close("c"))
    seen = shown(play.room)
    assert (seen["phase"], seen["join"], seen["game"]["turn"], seen["game"]["legal"]) == ("closed", None, None, [])
    assert seen["game"]["forced"] is None


def test_phases() -> None:
    play = RoomPlay(new_room())
    phases = [shown(play.room)["phase"]]
    for who, command in (
        (BOB, sit("O", INVITE)),
        (BOB, Resign("c")),
        (BOB, stand()),
        (CAT, sit("O", INVITE)),
        (ADA, Close("c")),
    ):
        play.ask(who, command)
        phases.append(shown(play.room)["phase"])
    assert phases == ["waiting", "playing", "finished", "waiting", "playing", "closed"]


# Presence, the lobby's items, the record of a game.


def test_presence_is_part_of_what_a_newcomer_is_sent() -> None:
    play = pair()
    here = {"present": True, "away_ms": None, "claimable_in_ms": None}
    assert json.loads(encode(places(play.room, play.now_ms, POLICY))) == {"X": here, "O": here}
    play.disconnect(BOB)
    play.wait(12_000)
    away = {"present": False, "away_ms": 12_000, "claimable_in_ms": 18_000}
    assert json.loads(encode(places(play.room, play.now_ms, POLICY))) == {"X": here, "O": away}
    play.wait(60_000)
    assert json.loads(encode(places(play.room, play.now_ms, POLICY)))["O"]["claimable_in_ms"] == 0
    play.connect(BOB)
    assert json.loads(encode(places(play.room, play.now_ms, POLICY))) == {"X": here, "O": here}


def test_presence_of_an_engine_and_of_an_empty_seat_is_null() -> None:
    assert places(against_engine().room, T0, POLICY).O is None
    assert places(stood_in().room, T0, POLICY).O is None
    assert places(new_room(), T0, POLICY).O is None


def test_between_games_an_absence_leads_to_no_claim() -> None:
    play = finished()
    play.disconnect(BOB)
    play.wait(5_000)
    place = places(play.room, play.now_ms, POLICY).O
    assert place is not None
    assert (place.present, place.away_ms, place.claimable_in_ms) == (False, 5_000, None)


def test_the_items_of_the_lobby() -> None:
    room = new_room(visibility="public", join="open", invite=None, clock=MOVE_5S)
    assert json.loads(encode(open_room(room))) == {
        "id": "r",
        "variant": "classic",
        "clock": {"mode": "move", "move_ms": 5_000},
        "owner": {"player": "p_ada", "name": "Ada"},
        "mark": "O",
        "created_ms": T0,
    }
    assert open_room(new_room(x=None, o=HumanSeat("p_ada", "Ada"))).mark == "X"
    play = pair()
    play.moves("b2")
    assert json.loads(encode(live_room(play.room, 7))) == {
        "id": "r",
        "variant": "classic",
        "clock": None,
        "seats": {
            "X": {"kind": "human", "player": "p_ada", "name": "Ada"},
            "O": {"kind": "human", "player": "p_bob", "name": "Bob"},
        },
        "ply": 1,
        "spectators": 7,
    }


def drawn(record: dict[str, Any], ply: int) -> dict[str, str]:
    """The marks after ``ply`` moves, from the record alone and with no rules."""
    marks: dict[str, str] = {}
    for made in record["moves"][:ply]:
        marks.pop(made["removed"], None)
        marks[made["cell"]] = made["mark"]
    return marks


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("seed", range(4))
def test_any_ply_can_be_drawn_from_the_record_without_rules(variant: str, seed: int) -> None:
    rng = random.Random(seed)
    play = pair(variant=variant)
    names = cell_names(VARIANTS[variant].shape)
    seen = [shown(play.room)["game"]]
    while play.game.outcome is None:
        play.now_ms += 1_000
        play.moves(names[rng.choice(play.game.history.legal())])
        seen.append(shown(play.room)["game"])
    record = json.loads(encode(game_record(play.game, {"p_ada": "Ada", "p_bob": "Bob"})))
    assert set(record) == {"variant", "number", "players", "moves", "outcome"}
    assert record["outcome"] == seen[-1]["outcome"]
    boards: list[str | None] = [None] * 9
    for ply, game in enumerate(seen):
        assert drawn(record, ply) == game["marks"]
        if ply:
            made = record["moves"][ply - 1]
            assert set(made) == {"cell", "mark", "by", "at_ms", "removed", "decided"}
            assert made["at_ms"] == T0 + 1_000 * ply
            assert made["by"] == ("p_ada" if made["mark"] == "X" else "p_bob")
            if made["decided"] is not None:
                boards[made["decided"]["board"]] = made["decided"]["by"]
        if variant == "ultimate":
            assert boards == game["boards"]


def test_a_record_names_players_as_they_are_called_now_and_forgets_the_forgotten() -> None:
    play = stood_in("skilled")
    play.moves("b2", "a1")
    play.ask(ADA, resign())
    play.ask(ADA, offer("rematch"))
    record = game_record(play.game, {"p_ada": "Ada L"})
    assert EngineSeat("skilled", Person("p_bob", "someone")) == record.players.X
    assert HumanSeat("p_ada", "Ada L") == record.players.O


def test_a_record_says_whose_each_move_was() -> None:
    play = stood_in("skilled")
    play.moves("b2", "a1")
    assert [made.by for made in game_record(play.game, {}).moves] == ["p_ada", "engine:skilled"]
    assert HumanSeat("p_bob", "someone") == game_record(play.game, {}).players.O
