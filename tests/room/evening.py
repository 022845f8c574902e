"""An evening in a room, driven by choices: whoever may come, go and ask for anything at any time.

The choices come from a ``random.Random``, which Hypothesis can provide and shrink.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from noughts.engine.engine import levels
from noughts.errors import Rejection
from noughts.protocol.views import audience_of, you
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import (
    Answer,
    AnyCommand,
    Chat,
    Claim,
    Close,
    EngineAnswered,
    EngineMoved,
    Free,
    Move,
    Mute,
    Offer,
    React,
    Renamed,
    Request,
    Resign,
    Resumed,
    RoomCommand,
    SeatEngine,
    Set,
    Sit,
    Stand,
    Wake,
)
from noughts.room.due import settle_at_ms, wake_at_ms
from noughts.room.events import Event
from noughts.room.games import start_game
from noughts.room.room import House, Place, Presence, Room, engine_due_ms, mark_of
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat, holder
from noughts.room.step import step
from noughts.rules.notation import cell_names
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.variant import VARIANTS, variant_named
from tests.room.play import ADA, BOB, CAT, INVITE, MOVE_5S, T0, new_room, seat_of

DEE = Person("p_dee", "Dee")
PEOPLE = (ADA, BOB, CAT, DEE)
CLOCKS = (None, None, MOVE_5S, FischerClock(10_000, 1_000), FischerClock(60_000, 0))
WAITS = (0, 0, 1, 40, 40, 400, 700, 1_100, 1_100, 4_000, 9_000, 20_000, 31_000, 700_000)
LIKELY = {
    "answer": 40,
    "seat_engine": 20,
    "claim": 10,
    "stand": 3,
    "set": 3,
    "resign": 2,
    "chat": 1,
    "react": 1,
    "mute": 1,
    "close": 0.1,
}
"""How eager people are for what they can do."""
WHATS: tuple[Any, ...] = ("draw", "takeback", "rematch")

Watch = Callable[[Room, AnyCommand, Room, tuple[Event, ...]], None]


class Evening:
    """A room, its people (connected or away since when), the time, and what is checked after every step."""

    def __init__(self, choose: random.Random, variant: str, watch: Watch | None = None) -> None:
        self.choose = choose
        self.watch = watch
        self.house = House(grace_ms=choose.choice((0, 5_000, 30_000)))
        self.now_ms = T0
        self.away_since: dict[str, int | None] = {person.player: None for person in PEOPLE}
        self.give_back = {person.player: choose.choice((0, 80, 900)) for person in PEOPLE}
        self.room = self._made(variant)
        self._connect()

    def _made(self, variant: str) -> Room:
        choose = self.choose
        weakest = levels(variant_named(variant))[0]
        clock = choose.choice(CLOCKS)
        kind = choose.choice(("friend", "friend", "anyone", "engine", "engines", "two"))
        friend: dict[str, Any] = {"variant": variant, "clock": clock}
        if kind == "friend":
            return new_room(**friend)
        if kind == "anyone":
            return new_room(**friend, visibility="public", join="open", invite=None)
        seats: dict[str, tuple[Seat, Seat]] = {
            "engine": (seat_of(ADA), EngineSeat(weakest)),
            "engines": (EngineSeat(weakest), EngineSeat(levels(variant_named(variant))[-1])),
            "two": (seat_of(ADA), seat_of(BOB)),
        }
        x, o = seats[kind]
        if choose.random() < 0.5:
            x, o = o, x
        opened = {"join": "open", "invite": None, "visibility": "public"} if kind == "engines" else {}
        return start_game(new_room(**friend, x=x, o=o, **opened), T0, [])

    def spend(self, acts: int) -> Iterator[None]:
        """So many acts, one at a time, or until the room is closed."""
        for _ in range(acts):
            if self.room.closed:
                return
            self.act()
            yield

    def act(self) -> None:
        """One thing happens."""
        kind = self.choose.choices(
            ("ask", "want", "move", "engine", "time", "deadline", "connect", "rare"), (12, 30, 25, 12, 6, 5, 8, 1)
        )[0]
        if kind == "ask":
            self.tell(self.some_request())
        elif kind == "want":
            self._want()
        elif kind == "move":
            self._move()
        elif kind == "engine":
            self._engine()
        elif kind == "time":
            self.now_ms += self.choose.choice(WAITS)
        elif kind == "deadline":
            at = wake_at_ms(self.room, self.house)
            if at is not None:
                self.now_ms = max(self.now_ms, at + self.choose.choice((-1, 0, 0, 3)))
        elif kind == "connect":
            person = self.choose.choice(PEOPLE).player
            leaves = self.away_since[person] is None and self.choose.random() < 0.6
            self.away_since[person] = self.now_ms if leaves else None
            self._connect()
        else:
            self._rare()
        due = settle_at_ms(self.room, self.house)
        if due is not None and due <= self.now_ms and self.choose.random() < 0.8:
            self.wake()

    def wake(self) -> None:
        """What is due is settled, at once and for good."""
        before = self.room
        self.tell(Wake())
        due = settle_at_ms(self.room, self.house)
        assert due is None or due > self.now_ms, f"woken at {self.now_ms} and due again at {due}"
        if self.room is before:
            was_due = settle_at_ms(before, self.house)
            assert was_due is None or was_due > self.now_ms

    def tell(self, command: AnyCommand) -> bool:
        """One step; whether it was accepted."""
        before = self.room
        try:
            after, events = step(before, command, self.now_ms, self.house)
        except Rejection:
            return False
        if self.watch is not None:
            self.watch(before, command, after, events)
        self.room = after
        self._connect()
        return True

    def _connect(self) -> None:
        places = []
        for mark in MARKS:
            player = holder(self.room.seat(mark))
            places.append(
                Place() if player is None else Place(self.away_since.get(player, 0), self.give_back.get(player, 0))
            )
        seated = {holder(self.room.x), holder(self.room.o)}
        watchers = sum(since is None for player, since in self.away_since.items() if player not in seated)
        left_ms = max((since for since in self.away_since.values() if since is not None), default=0)
        presence = Presence(places[0], places[1], self.away_since.get(self.room.owner.player, 0), watchers, left_ms)
        if presence != self.room.presence:
            self.room = replace(self.room, presence=presence)

    def _want(self) -> None:
        """Somebody does what the view says that they can."""
        who = self.choose.choice(PEOPLE)
        can = you(self.room, audience_of(self.room, who.player), self.house).can
        if can:
            entry = self.choose.choices(can, [LIKELY.get(entry.partition(":")[0], 10) for entry in can])[0]
            self.tell(Request(who, self.choose.choice(matching(self.room, entry))))

    def _move(self) -> None:
        game = self.room.game
        if game is None or game.turn is None or not self.room.playing:
            return
        seat = self.room.seat(game.turn)
        if isinstance(seat, HumanSeat):
            names = cell_names(game.play.variant.shape)
            cell = names[self.choose.choice(game.play.legal())]
            self.tell(Request(Person(seat.player, seat.name), Move("c", game.play.ply, cell, game.number)))

    def _engine(self) -> None:
        due, game = engine_due_ms(self.room, self.house), self.room.game
        if due is None or game is None:
            return
        self.now_ms = max(self.now_ms, due)
        if any(
            offer.what == "draw" and isinstance(self.room.seat("O" if offer.by == "X" else "X"), EngineSeat)
            for offer in self.room.offers
        ):
            self.tell(EngineAnswered(game.number, game.play.ply, self.choose.random() < 0.3, game.play.moves))
            return
        cell = self.choose.choice(game.play.legal())
        # Now and then the answer is about a position that is gone.
        ply = game.play.ply - (self.choose.random() < 0.1)
        self.tell(EngineMoved(game.number, ply, cell, game.play.moves[:ply]))

    def _rare(self) -> None:
        person = self.choose.choice(PEOPLE)
        self.tell(
            self.choose.choice(
                (
                    Resumed(self.now_ms - self.choose.choice(WAITS)),
                    Renamed(Person(person.player, self.choose.choice((person.name, "someone")))),
                    Request(self.room.owner, Close("c") if self.choose.random() < 0.3 else Stand("c")),
                    Wake(),
                )
            )
        )

    def some_request(self) -> Request:
        """Anything that anybody might ask, sense or not; more often by those who sit."""
        choose = self.choose
        seated = [person for person in PEOPLE if mark_of(self.room, person.player)]
        who = choose.choice((*PEOPLE, *seated, *seated))
        return Request(who, self._some_command())

    def _some_command(self) -> RoomCommand:
        choose = self.choose
        room = self.room
        game = room.game
        number = choose.choice((None, None, game.number if game else 1, 1, 2))
        ply = game.play.ply if game else 0
        mark: Mark = choose.choice(MARKS)
        level = choose.choice(levels(variant_named(room.variant)))
        commands: tuple[Callable[[], RoomCommand], ...] = (
            lambda: Sit("c", mark, choose.choice((INVITE, INVITE, None, "wrong"))),
            lambda: Sit("c", mark, INVITE),
            lambda: Stand("c"),
            lambda: Move(
                "c",
                ply + choose.choice((0, 0, 0, -1, 1)),
                choose.choice(("a1", "b2", "c3", "d6", "a1.1", "z9")),
                number,
            ),
            lambda: Resign("c", number),
            lambda: Offer("c", choose.choice(WHATS), number),
            lambda: Offer("c", "rematch", None),
            lambda: Offer("c", choose.choice(("draw", "takeback")), None),
            lambda: Answer("c", choose.choice(WHATS), choose.random() < 0.6, number),
            lambda: Answer("c", room.offers[0].what if room.offers else "draw", choose.random() < 0.6, None),
            lambda: Claim("c", choose.choice(("win", "draw")), number),
            lambda: SeatEngine("c", mark, level),
            lambda: SeatEngine("c", choose.choice(room.claimable) if room.claimable else mark, level),
            lambda: Chat("c", "hello"),
            lambda: React("c", "👍"),
            lambda: Set(
                "c",
                variant=choose.choice((None, None, *VARIANTS)),
                clock=choose.choice((None, MoveClock(3_000), FischerClock(10_000, 0))),
                visibility=choose.choice((None, "public", "unlisted")),
                spectator_chat=choose.choice((None, "always", "between_games", "off")),
            ),
            lambda: Free("c", mark),
            lambda: Mute(
                "c", choose.choice((*[person.player for person in PEOPLE], "spectators")), choose.random() < 0.5
            ),
        )
        return choose.choice(commands)()


def matching(room: Room, entry: str) -> list[RoomCommand]:
    """The commands that an entry of ``can`` stands for, with arguments that fit: each must be accepted."""
    word, _, choice = entry.partition(":")
    game = room.game
    number = game.number if game is not None else None
    mark: Any = choice
    what: Any = choice
    if word == "move":
        assert game is not None
        names = cell_names(game.play.variant.shape)
        return [Move("c", game.play.ply, names[cell], number) for cell in game.play.legal()]
    if word == "answer":
        # One's own offer is withdrawn, the other's accepted or declined.
        return [Answer("c", what, accept, number) for accept in (False, True)]
    if word == "seat_engine":
        return [SeatEngine("c", mark, level) for level in levels(variant_named(room.variant))]
    if word == "mute":
        return [Mute("c", player, muted) for player in ("spectators", "p_zoe") for muted in (True, False)]
    if word == "set":
        return [
            Set("c", spectator_chat="always"),
            Set("c", clock=None),
            Set("c", variant=room.variant, clock=room.clock, visibility="public"),
        ]
    one: dict[str, RoomCommand] = {
        "resign": Resign("c", number),
        "offer": Offer("c", what, number),
        "claim": Claim("c", what, number),
        "sit": Sit("c", mark, room.invite),
        "stand": Stand("c"),
        "chat": Chat("c", "hello"),
        "react": React("c", "👍"),
        "free": Free("c", mark),
        "close": Close("c"),
    }
    return [one[word]]
