"""Audiences: what each is and can do. ``can`` holds exactly what a step accepts."""

from __future__ import annotations

import json
import random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.protocol.audience import Audience, audience_of, you
from noughts.protocol.codec import encode
from noughts.room.clock import DaysClock
from noughts.room.commands import Answer, BeginGame, GiveTime, Move, Offer, Request, Resign, RoomCommand, Swap
from noughts.room.room import Room
from noughts.room.seat import Person, holder
from noughts.room.step import step
from noughts.room.transition import Moment
from noughts.rules.outcome import MARKS
from noughts.rules.variant import VARIANTS
from tests.support.evening import Evening, commands_for
from tests.support.room_play import (
    ADA,
    BOB,
    INVITE,
    POLICY,
    RoomPlay,
    alone,
    engines,
    finished,
    match_play,
    pair,
    stand,
    stood_in,
)

AUDIENCES: Final[tuple[Audience, ...]] = ("X", "O", "owner", "everyone")
ZED: Final = Person("p_zed", "Zed")
ENTRIES: Final = (
    "move",
    "resign",
    "swap",
    "give_time",
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
SPEECH: Final = {"chat", "react"}


def can(play: RoomPlay, audience: Audience) -> set[str]:
    """Return what an audience can do, each entry once."""
    entries = you(play.room, play.presence, play.policy, audience).can
    assert len(set(entries)) == len(entries)
    return set(entries)


def you_json(play: RoomPlay, audience: Audience) -> dict[str, Any]:
    """Return YOU as it goes over the wire."""
    fields: dict[str, Any] = json.loads(encode(you(play.room, play.presence, play.policy, audience)))
    return fields


# --- can is what a step accepts: the page draws its buttons from ``can`` and from nothing else ---


def member_of(room: Room, audience: Audience) -> Person | None:
    """Return somebody who belongs to an audience; None if nobody does."""
    if audience == "everyone":
        return ZED
    if audience == "owner":
        return Person(room.owner.player, "owner") if audience_of(room, room.owner.player) == "owner" else None
    player = holder(room.seat(audience))
    return None if player is None else Person(player, "somebody")


def code_of(room: Room, person: Person, command: RoomCommand, moment: Moment) -> str | None:
    """Return the code that rejects a command; None if a step accepts it."""
    try:
        step(room, Request(person, command), moment)
    except Rejection as rejection:
        return rejection.code
    return None


def commands_of(room: Room, entry: str) -> list[RoomCommand]:
    """Return commands that an entry stands for, also where no game is on."""
    if entry == "move" and not room.playing:
        ply = 0 if room.game is None else room.game.history.ply
        return [Move("c", ply, cell) for cell in ("a1", "b2")]
    return commands_for(room, entry)


def check_can(room: Room, moment: Moment) -> None:
    """Check each entry, listed or not, against what a step does with its commands."""
    for audience in AUDIENCES:
        person = member_of(room, audience)
        if person is None:
            continue
        assert audience_of(room, person.player) == audience
        listed = you(room, moment.presence, moment.policy, audience).can
        assert set(listed) <= set(ENTRIES)
        for entry in ENTRIES:
            for command in commands_of(room, entry):
                code = code_of(room, person, command, moment)
                if entry not in listed:
                    assert code is not None, f"{audience} cannot {entry}, and yet {command} was accepted"
                elif entry.startswith("offer:"):
                    assert code in (None, "rate_limited"), f"{audience} can {entry}, but {command}: {code}"
                elif isinstance(command, Answer) and command.accept:
                    own = any(open_.by == audience and open_.what == command.what for open_ in room.offers)
                    assert code == ("forbidden" if own else None), f"{audience} can {entry}, but {command}: {code}"
                else:
                    assert code is None, f"{audience} can {entry}, but {command}: {code}"


def check_evening(evening: Evening, acts: int) -> None:
    """Check an evening after each act. A view is of a room in which nothing is due."""
    for _ in evening.acts(acts):
        if evening.overdue:
            evening.wake()
        check_can(evening.room, evening.moment)


def test_a_swap_and_a_gift_are_listed_while_they_are_possible() -> None:
    """A swap for O after the first move, once, and a gift of time while it may be made."""
    play = pair(swap=True, clock=DaysClock(13))
    for cell in ("b2", "a1"):
        check_can(play.room, play.moment)
        play.moves(cell)
    check_can(play.room, play.moment)
    play = pair(swap=True, clock=DaysClock(13))
    play.moves("b2")
    assert {"swap", "give_time"} <= can(play, "O")
    assert "swap" not in can(play, "X")
    play.ask(BOB, Swap("s", 1))
    check_can(play.room, play.moment)
    assert "swap" not in can(play, "O") | can(play, "X")
    play.ask(ADA, GiveTime("g"))
    check_can(play.room, play.moment)
    assert "give_time" not in can(play, "O")


@pytest.mark.parametrize("variant", list(VARIANTS))
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(choose=st.randoms(use_true_random=False))
def test_can_lists_the_accepted_commands(variant: str, choose: random.Random) -> None:
    """In every variant, ``can`` lists exactly what a step accepts."""
    check_evening(Evening(choose, variant), 40)


@pytest.mark.parametrize("chat", [False, True])
def test_can_in_the_room_of_a_match(chat: bool) -> None:
    """With fixed seats, ``can`` lists exactly what a step accepts, in the course of both games."""
    play = match_play(chat=chat)
    for _ in range(2):
        check_can(play.room, play.moment)
        for cell in ("a1", "b2", "c3"):
            play.moves(cell)
            check_can(play.room, play.moment)
        play.ask(ADA, Offer("1", "draw"))
        check_can(play.room, play.moment)
        play.ask(ADA, Resign("2"))
        check_can(play.room, play.moment)
        if play.room.games == 1:
            play.step(BeginGame(2))


@pytest.mark.parametrize("play", [pair(), match_play(chat=True)], ids=["pair", "match"])
def test_chat_that_is_switched_off(play: RoomPlay) -> None:
    """Without chat in the policy nobody is offered any."""
    play.policy = replace(POLICY, chat=False)
    for audience in AUDIENCES:
        assert not can(play, audience) & SPEECH


# --- who is who ---


def test_the_audience_of_a_player() -> None:
    """A player's audience is their seat's, the owner's, or everyone's; a nameless spectator is everyone."""
    room = stood_in().room
    players = ("p_ada", "p_bob", "p_cat", None)
    assert [audience_of(room, player) for player in players] == ["X", "O", "everyone", "everyone"]
    assert audience_of(engines().room, "p_ada") == "owner"


@pytest.mark.parametrize("play", [pair(), stood_in(), finished()], ids=["pair", "stood_in", "finished"])
def test_you_of_a_player(play: RoomPlay) -> None:
    """A seat holder sees mark, ownership, entries and the invite."""
    for mark in MARKS:
        assert you_json(play, mark) == {
            "mark": mark,
            "owner": mark == "X",
            "can": list(you(play.room, play.presence, play.policy, mark).can),
            "invite": INVITE,
        }


def test_players_and_the_owner_see_the_invite() -> None:
    """Seat holders and the owner see the invite; a spectator does not, and there is none in an open room."""
    assert set(you_json(pair(), "everyone")) == {"mark", "owner", "can"}
    play = alone()
    play.ask(ADA, stand())
    owner = you_json(play, "owner")
    assert (owner["mark"], owner["owner"], owner["invite"]) == (None, True, INVITE)
    assert set(you_json(engines(), "owner")) == {"mark", "owner", "can"}
