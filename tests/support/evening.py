"""An evening in a room, driven by choices: anybody may come, go and ask for anything at any time.

The choices come from a ``random.Random``, which Hypothesis can provide and shrink.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from noughts.errors import Rejection
from noughts.protocol.audience import audience_of, you
from noughts.room.clock import ClockSetting, FischerClock, MoveClock
from noughts.room.commands import (
    Answer,
    AnyCommand,
    Chat,
    Claim,
    Close,
    EngineDrawAnswer,
    EngineMoved,
    Free,
    GiveTime,
    Move,
    Mute,
    Offer,
    OfferKind,
    React,
    Request,
    Resign,
    RoomCommand,
    SeatEngine,
    Set,
    Sit,
    Stand,
    Swap,
    Wake,
)
from noughts.room.downtime import Downtime
from noughts.room.game_flow import start_game
from noughts.room.policy import Policy
from noughts.room.room import Room, mark_of
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat
from noughts.room.step import step
from noughts.room.timers import draw_offered_to_engine
from noughts.room.transition import Moment, Transition
from noughts.rules.notation import cell_names
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.variant import VARIANTS
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    INVITE,
    LEVELS,
    MOVE_5S,
    T0,
    RoomPlay,
    new_room,
    open_room,
    room_of,
    seat_of,
)

DEE: Final = Person("p_dee", "Dee")
PEOPLE: Final = (ADA, BOB, CAT, DEE)
CLOCKS: Final[tuple[ClockSetting | None, ...]] = (
    None,
    None,
    MOVE_5S,
    FischerClock(10_000, 1_000),
    FischerClock(60_000, 0),
)
WAITS_MS: Final = (0, 0, 1, 40, 40, 400, 700, 1_100, 1_100, 4_000, 9_000, 20_000, 31_000, 700_000)
WEIGHTS: Final = {
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
"""How often people do what they can do; 10 for what is not listed."""
OFFER_KINDS: Final[tuple[OfferKind, ...]] = ("draw", "takeback", "rematch")

Watch = Callable[[Room, AnyCommand, Moment, Transition], None]
"""Called with every accepted step: the room before, the command, the moment and the transition."""


class Evening(RoomPlay):
    """A room whose people do anything at any time, and a check of every step."""

    def __init__(self, choose: random.Random, variant: str, watch: Watch | None = None) -> None:
        self.choose = choose
        self.watch = watch
        policy = Policy(levels=LEVELS, grace_ms=choose.choice((0, 5_000, 30_000)))
        super().__init__(self._some_room(variant), policy=policy, here=PEOPLE)
        self.lag_ms = {person.player: choose.choice((0, 80, 900)) for person in PEOPLE}

    def _some_room(self, variant: str) -> Room:
        choose = self.choose
        weakest, strongest = LEVELS[variant][0], LEVELS[variant][-1]
        fields: dict[str, Any] = {"variant": variant, "clock": choose.choice(CLOCKS)}
        kind = choose.choice(("friend", "friend", "anyone", "engine", "engines", "two"))
        if kind == "friend":
            return new_room(**fields)
        if kind == "anyone":
            return open_room(**fields)
        seats: dict[str, tuple[Seat, Seat]] = {
            "engine": (seat_of(ADA), EngineSeat(weakest)),
            "engines": (EngineSeat(weakest), EngineSeat(strongest)),
            "two": (seat_of(ADA), seat_of(BOB)),
        }
        x, o = seats[kind]
        if choose.random() < 0.5:
            x, o = o, x
        if kind == "engines":
            fields |= {"join": "open", "invite": None, "visibility": "public"}
        return start_game(room_of(x, o, **fields), T0).room

    @property
    def overdue(self) -> bool:
        """Whether the room should have been woken by now."""
        at_ms = self.advance_at_ms
        return at_ms is not None and at_ms <= self.now_ms

    def acts(self, count: int) -> Iterator[None]:
        """Let this many things happen, one at a time, or until the room is closed."""
        for _ in range(count):
            if self.room.closed:
                return
            self._act()
            yield

    def _act(self) -> None:
        kinds: tuple[Callable[[], None], ...] = (
            self._ask_for_anything,
            self._ask_for_something_possible,
            self._move,
            self._let_the_engine_play,
            self._pass_time,
            self._reach_a_deadline,
            self._connect_or_disconnect,
            self._do_something_rare,
        )
        self.choose.choices(kinds, (12, 30, 25, 12, 6, 5, 8, 1))[0]()
        if self.overdue and self.choose.random() < 0.8:
            self.wake()

    def wake(self) -> None:
        """Wake the room: what is due is done, all of it, in one step."""
        before, overdue = self.room, self.overdue
        self.attempt(Wake())
        assert not self.overdue, f"woken at {self.now_ms}, and due again at once"
        assert not overdue or self.room is not before

    def attempt(self, command: AnyCommand) -> None:
        """Make a step, which may be rejected."""
        before, moment = self.room, self.moment
        try:
            transition = step(before, command, moment)
        except Rejection:
            return
        if self.watch is not None:
            self.watch(before, command, moment, transition)
        self.room = transition.room

    def _ask_for_anything(self) -> None:
        self.attempt(self.some_request())

    def _ask_for_something_possible(self) -> None:
        person = self.choose.choice(PEOPLE)
        can = you(self.room, self.presence, self.policy, audience_of(self.room, person.player)).can
        if can:
            entry = self.choose.choices(can, [WEIGHTS.get(entry.partition(":")[0], 10) for entry in can])[0]
            self.attempt(Request(person, self.choose.choice(commands_for(self.room, entry))))

    def _move(self) -> None:
        game = self.room.game
        if game is None or game.turn is None or not self.room.playing:
            return
        seat = self.room.seat(game.turn)
        if isinstance(seat, HumanSeat):
            names = cell_names(game.history.variant.shape)
            cell = names[self.choose.choice(game.history.legal())]
            self.attempt(Request(Person(seat.player, "N"), Move("c", game.history.ply, cell, game.number)))

    def _let_the_engine_play(self) -> None:
        engine_at, game = self.engine_at_ms, self.room.game
        if engine_at is None or game is None:
            return
        self.now_ms = max(self.now_ms, engine_at)
        moves = game.history.moves
        if draw_offered_to_engine(self.room):
            self.attempt(EngineDrawAnswer(game.number, moves, self.choose.random() < 0.3))
            return
        # Now and then the answer is about an earlier position.
        searched = moves[: len(moves) - (self.choose.random() < 0.1)]
        self.attempt(EngineMoved(game.number, searched, self.choose.choice(game.history.legal())))

    def _pass_time(self) -> None:
        self.now_ms += self.choose.choice(WAITS_MS)

    def _reach_a_deadline(self) -> None:
        at_ms = self.wake_at_ms
        if at_ms is not None:
            self.now_ms = max(self.now_ms, at_ms + self.choose.choice((-1, 0, 0, 3)))

    def _connect_or_disconnect(self) -> None:
        player = self.choose.choice(PEOPLE).player
        leaves = self.away_since[player] is None and self.choose.random() < 0.6
        self.away_since[player] = self.now_ms if leaves else None

    def _do_something_rare(self) -> None:
        kind = self.choose.choice(("downtime", "owner", "wake"))
        if kind == "downtime":
            from_ms = self.now_ms
            self.now_ms += self.choose.choice(WAITS_MS)
            self.downtimes = (*self.downtimes, Downtime(from_ms, self.now_ms))
        elif kind == "owner":
            owner = Person(self.room.owner.player, "N")
            self.attempt(Request(owner, Close("c") if self.choose.random() < 0.3 else Stand("c")))
        else:
            self.attempt(Wake())

    def some_request(self) -> Request:
        """Return anything that anybody might ask for, possible or not. Players who sit ask more often."""
        seated = [person for person in PEOPLE if mark_of(self.room, person.player)]
        person = self.choose.choice((*PEOPLE, *seated, *seated))
        return Request(person, self._some_command())

    def _some_command(self) -> RoomCommand:
        choose = self.choose
        room = self.room
        game = room.game
        number = choose.choice((None, None, game.number if game else 1, 1, 2))
        ply = game.history.ply if game else 0
        mark: Mark = choose.choice(MARKS)
        level = choose.choice(LEVELS[room.variant])
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
            lambda: Offer("c", choose.choice(OFFER_KINDS), number),
            lambda: Offer("c", "rematch", None),
            lambda: Offer("c", choose.choice(("draw", "takeback")), None),
            lambda: Answer("c", choose.choice(OFFER_KINDS), choose.random() < 0.6, number),
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


def commands_for(room: Room, entry: str) -> list[RoomCommand]:
    """Return commands that an entry of ``can`` stands for, with arguments that fit: each must be accepted."""
    word, _, choice = entry.partition(":")
    game = room.game
    number = game.number if game is not None else None
    mark: Any = choice
    what: Any = choice
    if word == "move":
        assert game is not None
        names = cell_names(game.history.variant.shape)
        return [Move("c", game.history.ply, names[cell], number) for cell in game.history.legal()]
    if word == "answer":
        # False withdraws your own offer and declines the other side's.
        return [Answer("c", what, accept, number) for accept in (False, True)]
    if word == "seat_engine":
        return [SeatEngine("c", mark, level) for level in LEVELS[room.variant]]
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
        "swap": Swap("c", 0 if game is None else game.history.ply, number),
        "give_time": GiveTime("c", number),
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
