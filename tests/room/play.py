"""A room to play in: people come and go, time is what the test says, and what is refused is seen to change nothing."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from noughts.engine.engine import levels
from noughts.errors import Rejection
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import (
    Answer,
    AnyCommand,
    Claim,
    EngineAnswered,
    EngineMoved,
    Move,
    Offer,
    Request,
    Resign,
    RoomCommand,
    SeatEngine,
    Sit,
    Stand,
    Wake,
)
from noughts.room.due import settle_at_ms
from noughts.room.events import Event
from noughts.room.games import start_game
from noughts.room.record import room_bytes
from noughts.room.room import CurrentGame, House, Place, Presence, Room
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat, holder
from noughts.room.step import step
from noughts.rules.notation import cell_index, cell_names
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.variant import variant_named

T0 = 1_700_000_000_000
HOUSE = House()
INVITE = "the-invite"
ADA, BOB, CAT = Person("p_ada", "Ada"), Person("p_bob", "Bob"), Person("p_cat", "Cat")
MOVE_5S = MoveClock(5_000)
FISCHER_60_2 = FischerClock(60_000, 2_000)


def seat_of(person: Person) -> HumanSeat:
    return HumanSeat(person.player, person.name)


def new_room(**fields: Any) -> Room:
    """Ada's room, made for a friend: she holds X, O is free."""
    room: dict[str, Any] = {
        "id": "r",
        "version": 1,
        "variant": "classic",
        "visibility": "unlisted",
        "owner": ADA,
        "created_ms": T0,
        "used_ms": T0,
        "invite": INVITE,
        "join": "invite",
        "x": seat_of(ADA),
    }
    return Room(**{**room, **fields})


class Play:
    """One room, the time, and who is connected (their ids; the others are away since the time given)."""

    def __init__(self, room: Room, *, house: House = HOUSE, here: tuple[Person, ...] = (ADA, BOB, CAT)) -> None:
        self.now_ms = T0
        self.house = house
        self.away_since: dict[str, int | None] = {person.player: None for person in here}
        self.give_back: dict[str, int] = {}
        self.events: tuple[Event, ...] = ()
        self.room = room
        self._connect()

    # What is asked of the room.

    def tell(self, command: AnyCommand) -> tuple[Event, ...]:
        """One step, which must be accepted."""
        before, kept = self.room, room_bytes(self.room)
        after, self.events = step(before, command, self.now_ms, self.house)
        assert room_bytes(before) == kept, "a room is never changed in place"
        assert after is before or after.version == before.version + 1
        self.room = after
        self._connect()
        return self.events

    def does(self, who: Person, command: RoomCommand) -> tuple[Event, ...]:
        return self.tell(Request(who, command))

    def refused(self, command: AnyCommand) -> Rejection:
        """One step, which must be rejected and change nothing."""
        kept = room_bytes(self.room)
        with pytest.raises(Rejection) as rejection:
            step(self.room, command, self.now_ms, self.house)
        assert room_bytes(self.room) == kept
        return rejection.value

    def refused_by(self, who: Person, command: RoomCommand) -> Rejection:
        return self.refused(Request(who, command))

    def code(self, who: Person, command: RoomCommand) -> str:
        return self.refused(Request(who, command)).code

    def moves(self, *cells: str) -> None:
        """These cells are filled, each by whoever is to move."""
        for cell in cells:
            mark = self.game.play.position.turn
            seat = self.room.seat(mark)
            if isinstance(seat, HumanSeat):
                self.does(Person(seat.player, seat.name), Move("m", self.game.play.ply, cell))
            else:
                self.engine_moves(cell)

    def engine_moves(self, cell: str) -> None:
        game = self.game
        index = cell_index(game.play.variant, cell)
        self.tell(EngineMoved(game.number, game.play.ply, index, game.play.moves))

    def engine_answers(self, accept: bool) -> None:
        self.tell(EngineAnswered(self.game.number, self.game.play.ply, accept))

    # What happens around it.

    def wait(self, ms: int) -> None:
        """Time passes, and every deadline on the way is kept to the millisecond."""
        until = self.now_ms + ms
        while (at := settle_at_ms(self.room, self.house)) is not None and at <= until:
            self.now_ms = max(self.now_ms, at)
            version = self.room.version
            self.tell(Wake())
            assert self.room.version > version, "woken for nothing"
        self.now_ms = until

    def leaves(self, person: Person) -> None:
        self.away_since[person.player] = self.now_ms
        self._connect()
        self.wait(0)

    def returns(self, person: Person) -> None:
        self.away_since[person.player] = None
        self._connect()
        self.wait(0)

    def _connect(self) -> None:
        places = []
        for mark in MARKS:
            player = holder(self.room.seat(mark))
            if player is None:
                places.append(Place())
            else:
                places.append(Place(self.away_since.get(player, 0), self.give_back.get(player, 0)))
        seated = {holder(self.room.x), holder(self.room.o)}
        watchers = sum(since is None for player, since in self.away_since.items() if player not in seated)
        left_ms = max((since for since in self.away_since.values() if since is not None), default=0)
        owner_away = self.away_since.get(self.room.owner.player, 0)
        self.room = replace(self.room, presence=Presence(places[0], places[1], owner_away, watchers, left_ms))

    # What is there to see.

    @property
    def game(self) -> CurrentGame:
        assert self.room.game is not None
        return self.room.game

    @property
    def names(self) -> tuple[str, ...]:
        """The moves of the game, by name."""
        names = cell_names(self.game.play.variant.shape)
        return tuple(names[cell] for cell in self.game.play.moves)

    @property
    def outcome(self) -> tuple[Mark | None, str] | None:
        outcome = self.game.outcome
        return None if outcome is None else (outcome.winner, outcome.reason)

    @property
    def wins(self) -> dict[str, int]:
        return {entry.player: entry.wins for entry in self.room.score}

    @property
    def told(self) -> list[str]:
        """The kinds of events of the last step."""
        return [str(type(event).__struct_config__.tag) for event in self.events]


def pair(**fields: Any) -> Play:
    """Ada (X, the owner) and Bob (O) in a game that has just begun; Cat watches. All are here."""
    house = fields.pop("house", HOUSE)
    room = new_room(o=seat_of(BOB), **fields)
    return Play(start_game(room, T0, []), house=house)


def against_engine(level: str = "casual", mark: Mark = "X", **fields: Any) -> Play:
    """Ada, at ``mark``, against the engine."""
    x: Seat = seat_of(ADA) if mark == "X" else EngineSeat(level)
    o: Seat = seat_of(ADA) if mark == "O" else EngineSeat(level)
    return Play(start_game(new_room(x=x, o=o, **fields), T0, []))


def engines(**fields: Any) -> Play:
    """Two engines, made by Ada, who watches."""
    seats: dict[str, Any] = {"x": EngineSeat("novice"), "o": EngineSeat("perfect"), "join": "open", "invite": None}
    return Play(start_game(new_room(**{"visibility": "public", **seats, **fields}), T0, []))


def finished(**fields: Any) -> Play:
    """Ada and Bob after a game that Ada won by resignation."""
    play = pair(**fields)
    play.does(BOB, Resign("r"))
    return play


def stood_in(level: str = "casual", **fields: Any) -> Play:
    """Bob has gone away and Ada has let the engine hold his seat."""
    play = pair(**fields)
    play.leaves(BOB)
    play.wait(30_000)
    play.does(ADA, SeatEngine("e", "O", level))
    return play


def top(variant: str) -> str:
    """The strongest level of a variant."""
    return levels(variant_named(variant))[-1]


# Commands with an id that nobody looks at.


def move(ply: int, cell: str = "a1", game: int | None = None) -> Move:
    return Move("c", ply, cell, game)


def offer(what: Any, game: int | None = None) -> Offer:
    return Offer("c", what, game)


def answer(what: Any, accept: bool, game: int | None = None) -> Answer:
    return Answer("c", what, accept, game)


def claim(what: Any, game: int | None = None) -> Claim:
    return Claim("c", what, game)


def sit(mark: Mark, invite: str | None = None) -> Sit:
    return Sit("c", mark, invite)


def stand() -> Stand:
    return Stand("c")


def resign(game: int | None = None) -> Resign:
    return Resign("c", game)


def seat_engine(mark: Mark, level: str = "casual") -> SeatEngine:
    return SeatEngine("c", mark, level)
