"""Rooms to play in. Players come and go, the test sets the time, and a rejected command is seen to change nothing."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import pytest

from noughts.engine.levels import level_names
from noughts.errors import Rejection
from noughts.room.clock import DaysClock, FischerClock, MoveClock
from noughts.room.commands import (
    Answer,
    AnyCommand,
    Claim,
    EngineDrawAnswer,
    EngineMoved,
    Move,
    Offer,
    OfferKind,
    Request,
    Resign,
    RoomCommand,
    SeatEngine,
    Sit,
    Stand,
    Wake,
)
from noughts.room.downtime import Downtime
from noughts.room.events import Event
from noughts.room.game_flow import start_game
from noughts.room.match_play import match_room
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room, RoomGame, RoomMatch, players_of
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat
from noughts.room.step import step
from noughts.room.storage import room_bytes
from noughts.room.timers import advance_at_ms, engine_at_ms, notice_at_ms
from noughts.room.transition import Moment
from noughts.rules.by_mark import ByMark
from noughts.rules.notation import cell_names
from noughts.rules.outcome import Mark
from noughts.rules.variant import VARIANTS

T0: Final = 1_700_000_000_000
LEVELS: Final = MappingProxyType({key: level_names(variant) for key, variant in VARIANTS.items()})
POLICY: Final = Policy(levels=LEVELS)
INVITE: Final = "the-invite"
ADA, BOB, CAT = Person("p_ada", "Ada"), Person("p_bob", "Bob"), Person("p_cat", "Cat")
NAMES: Final = MappingProxyType({person.player: person.name for person in (ADA, BOB, CAT)})
MOVE_5S: Final = MoveClock(5_000)
FISCHER_60_2: Final = FischerClock(60_000, 2_000)


def seat_of(person: Person) -> HumanSeat:
    """Return the seat that a person holds."""
    return HumanSeat(person.player)


def room_of(x: Seat | None, o: Seat | None, **fields: Any) -> Room:
    """Return Ada's room with these seats and no game."""
    defaults: dict[str, Any] = {
        "id": "r",
        "version": 1,
        "variant": "classic",
        "visibility": "unlisted",
        "owner": ADA.nameless,
        "created_ms": T0,
        "used_ms": T0,
        "invite": INVITE,
        "join": "invite",
        "seats": ByMark(x, o),
    }
    return Room(**{**defaults, **fields})


def new_room(**fields: Any) -> Room:
    """Return Ada's room, made for a friend: she holds X, O is empty."""
    return room_of(seat_of(ADA), None, **fields)


def open_room(**fields: Any) -> Room:
    """Return Ada's public room, open to anyone: she holds X, O is empty."""
    return new_room(visibility="public", join="open", invite=None, **fields)


class RoomPlay:
    """One room, the time, and the players who are connected. Everybody else has been away from the beginning."""

    def __init__(self, room: Room, *, policy: Policy = POLICY, here: tuple[Person, ...] = (ADA, BOB, CAT)) -> None:
        self.room = room
        self.now_ms = T0
        self.policy = policy
        self.away_since: dict[str, int | None] = {person.player: None for person in here}
        self.lag_ms: dict[str, int] = {}
        self.downtimes: tuple[Downtime, ...] = ()
        self.events: tuple[Event, ...] = ()
        self.finished: RoomGame | None = None

    # --- commands ---

    @property
    def moment(self) -> Moment:
        """The circumstances of a step made now."""
        return Moment(self.now_ms, self.policy, self.presence, self.downtimes)

    def step(self, command: AnyCommand) -> tuple[Event, ...]:
        """Make a step that must be accepted; return its events."""
        before, stored = self.room, room_bytes(self.room)
        transition = step(before, command, self.moment)
        self.room, self.events, self.finished = transition.room, transition.events, transition.finished
        assert room_bytes(before) == stored, "a room is never changed in place"
        assert self.room is before or self.room.version == before.version + 1
        return self.events

    def ask(self, person: Person, command: RoomCommand) -> tuple[Event, ...]:
        """Ask for a command that must be accepted; return its events."""
        return self.step(Request(person, command))

    def rejection(self, command: AnyCommand) -> Rejection:
        """Make a step that must be rejected and change nothing; return the rejection."""
        stored = room_bytes(self.room)
        with pytest.raises(Rejection) as rejection:
            step(self.room, command, self.moment)
        assert room_bytes(self.room) == stored
        return rejection.value

    def code(self, person: Person, command: RoomCommand) -> str:
        """Return the code that rejects a person's command."""
        return self.rejection(Request(person, command)).code

    def moves(self, *cells: str) -> None:
        """Fill these cells, each for the side to move."""
        for cell in cells:
            history = self.game.history
            seat = self.room.seat(history.position.turn)
            if isinstance(seat, HumanSeat):
                self.ask(Person(seat.player, NAMES[seat.player]), Move("m", history.ply, cell))
            else:
                self.step(self.engine_move(cell))

    def engine_move(self, cell: str) -> EngineMoved:
        """Return the engine's move in the present position."""
        game = self.game
        return EngineMoved(game.number, game.history.moves, game.history.variant.index_of[cell])

    def engine_answer(self, accept: bool) -> EngineDrawAnswer:
        """Return the engine's answer to a draw offer in the present position."""
        return EngineDrawAnswer(self.game.number, self.game.history.moves, accept)

    # --- time and connections ---

    def wait(self, ms: int) -> None:
        """Let time pass, and wake the room at every deadline on the way."""
        until_ms = self.now_ms + ms
        while (at_ms := self.advance_at_ms) is not None and at_ms <= until_ms:
            self.now_ms = max(self.now_ms, at_ms)
            version = self.room.version
            self.step(Wake())
            assert self.room.version > version, "the room was woken with nothing due"
        self.now_ms = until_ms

    def disconnect(self, *people: Person) -> None:
        """Close the connections of these people."""
        for person in people:
            self.away_since[person.player] = self.now_ms
            self.wait(0)

    def connect(self, person: Person) -> None:
        """Open a connection."""
        self.away_since[person.player] = None
        self.wait(0)

    @property
    def presence(self) -> Presence:
        """The presence that a step is given: only those players of the room who are away have an entry."""
        since = {player: self.away_since.get(player, 0) for player in players_of(self.room)}
        left = [left_ms for left_ms in self.away_since.values() if left_ms is not None]
        return Presence(
            away={player: left_ms for player, left_ms in since.items() if left_ms is not None},
            lag_ms=self.lag_ms,
            connections=len(self.away_since) - len(left),
            last_left_ms=max(left, default=0),
        )

    # --- what can be seen ---

    @property
    def advance_at_ms(self) -> int | None:
        """When something is due, the engine's part aside."""
        return advance_at_ms(self.room, self.presence, self.policy)

    @property
    def wake_at_ms(self) -> int | None:
        """When the room next needs attention."""
        times_ms = [self.advance_at_ms, self.engine_at_ms]
        if isinstance(self.room.clock, DaysClock):
            times_ms.append(notice_at_ms(self.room, self.presence, self.policy))
        return min([at_ms for at_ms in times_ms if at_ms is not None], default=None)

    @property
    def engine_at_ms(self) -> int | None:
        """When the engine should move or answer."""
        return engine_at_ms(self.room, self.presence, self.policy)

    @property
    def game(self) -> RoomGame:
        """The game that is on, or the last one."""
        assert self.room.game is not None
        return self.room.game

    @property
    def names(self) -> tuple[str, ...]:
        """The moves of the game, by name."""
        names = cell_names(self.game.history.variant.shape)
        return tuple(names[cell] for cell in self.game.history.moves)

    @property
    def left_ms(self) -> tuple[int, int]:
        """What X and O had left when the turn began."""
        return self.game.left_ms.X, self.game.left_ms.O

    @property
    def wins(self) -> dict[str, int]:
        """The room's score."""
        return {entry.player: entry.wins for entry in self.room.score}

    # Methods, not properties: a type checker would take the value of a property for unchanged after the next step.

    def outcome(self) -> tuple[Mark | None, str] | None:
        """Return winner and reason of the game's outcome; None while it continues."""
        outcome = self.game.outcome
        return None if outcome is None else (outcome.winner, outcome.reason)

    def claimable(self) -> tuple[Mark, ...]:
        """Return the marks of the absent players whose opponents may claim."""
        return self.room.claimable

    def closed(self) -> bool:
        """Return whether the room is closed."""
        return self.room.closed

    @property
    def event_types(self) -> list[str]:
        """The types of the events of the last step, as on the wire."""
        return [str(type(event).__struct_config__.tag) for event in self.events]


# --- rooms in a known state ---

MakePlay: TypeAlias = Callable[[], RoomPlay]


def alone() -> RoomPlay:
    """Ada waits for a friend."""
    return RoomPlay(new_room())


def pair(*, policy: Policy = POLICY, **fields: Any) -> RoomPlay:
    """Ada (X, the owner) and Bob (O) in a game that has just begun. Cat watches. All are connected."""
    return RoomPlay(start_game(room_of(seat_of(ADA), seat_of(BOB), **fields), T0).room, policy=policy)


def playing(**fields: Any) -> RoomPlay:
    """Ada and Bob after b2 and a1: Ada is to move, and if there is a clock, hers runs."""
    play = pair(**fields)
    play.moves("b2", "a1")
    return play


def against_engine(level: str = "casual", **fields: Any) -> RoomPlay:
    """Ada (X) against the engine."""
    return RoomPlay(start_game(room_of(seat_of(ADA), EngineSeat(level), **fields), T0).room)


def engines(**fields: Any) -> RoomPlay:
    """Two engines in Ada's public room, which she watches."""
    defaults: dict[str, Any] = {"visibility": "public", "join": "open", "invite": None}
    room = room_of(EngineSeat("novice"), EngineSeat("perfect"), **{**defaults, **fields})
    return RoomPlay(start_game(room, T0).room)


def finished(**fields: Any) -> RoomPlay:
    """Ada and Bob after a game that Ada won by resignation."""
    play = pair(**fields)
    play.ask(BOB, resign())
    return play


def bob_away(ms: int = 30_000) -> RoomPlay:
    """Ada and Bob after b2 and a1. Bob has been away for a time, 30 seconds unless given."""
    play = playing()
    play.disconnect(BOB)
    play.wait(ms)
    return play


def after(make: MakePlay, *requests: tuple[Person, RoomCommand]) -> MakePlay:
    """Return the maker of a room in which these commands were accepted."""

    def asked_room() -> RoomPlay:
        play = make()
        for person, command in requests:
            play.ask(person, command)
        return play

    return asked_room


def stood_in(level: str = "casual", **fields: Any) -> RoomPlay:
    """Bob is away and Ada has let the engine hold his seat, before the first move."""
    play = pair(**fields)
    play.disconnect(BOB)
    play.wait(30_000)
    play.ask(ADA, seat_engine("O", level))
    return play


# --- commands, with an id that no test looks at ---


def move(ply: int, cell: str = "a1", game: int | None = None) -> Move:
    return Move("c", ply, cell, game)


def offer(what: OfferKind, game: int | None = None) -> Offer:
    return Offer("c", what, game)


def answer(what: OfferKind, accept: bool, game: int | None = None) -> Answer:
    return Answer("c", what, accept, game)


def claim(what: Literal["win", "draw"], game: int | None = None) -> Claim:
    return Claim("c", what, game)


def sit(mark: Mark, invite: str | None = None) -> Sit:
    return Sit("c", mark, invite)


def stand() -> Stand:
    return Stand("c")


def resign(game: int | None = None) -> Resign:
    return Resign("c", game)


def seat_engine(mark: Mark, level: str = "casual") -> SeatEngine:
    return SeatEngine("c", mark, level)


def match_play(*, chat: bool = False) -> RoomPlay:
    """Return the room of a match of two games, Ada with X against Bob. Cat is the host."""
    room = match_room(
        room_id="m",
        match=RoomMatch("t", 7, 2, chat),
        host=CAT.nameless,
        players=ByMark(ADA.nameless, BOB.nameless),
        variant=VARIANTS["classic"],
        clock=FISCHER_60_2,
        now_ms=T0,
    )
    return RoomPlay(room)
