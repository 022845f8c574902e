"""Tournaments to play in. The test sets the time and ends the games; rooms are imitated by reports."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import pytest
from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.clock import FischerClock
from noughts.room.downtime import Downtime
from noughts.room.seat import Person
from noughts.rules.outcome import Mark, Reason
from noughts.tournament.commands import (
    AnyCommand,
    Ending,
    Join,
    Report,
    Reported,
    Request,
    Start,
    Stop,
    TournamentCommand,
    Wake,
)
from noughts.tournament.orders import orders
from noughts.tournament.standings import rebuilt, standings
from noughts.tournament.step import step
from noughts.tournament.storage import match_bytes, match_from, tournament_bytes, tournament_from
from noughts.tournament.timers import wake_at_ms
from noughts.tournament.tournament import Entrant, Match, Tournament, playing
from noughts.tournament.transition import Event, Moment, Policy

T0: Final = 1_700_000_000_000
HOST: Final = Person("p_host", "Hanna")
CLOCK: Final = FischerClock(60_000, 2_000)
POLICY: Final = Policy()


def new_tournament(mode: str = "arena", **fields: Any) -> Tournament:
    """Return a tournament that nobody has joined."""
    values: dict[str, Any] = {"minutes": 10 if mode == "arena" else None, **fields}
    host = HOST.nameless
    return Tournament("tournament-id", 1, "Cup", mode, "classic", CLOCK, host, b"s" * 16, "123456", T0, T0, **values)  # type: ignore[arg-type]


def person(number: int, *, bot: bool = False) -> Person:
    """Return the player who is the entrant of this number, if all join in turn."""
    return Person(f"p_{number}", f"Player {number}", bot)


def full_tournament(**fields: Any) -> Tournament:
    """Return an arena with as many entrants as it may have, half of whom play."""
    entrants = tuple(
        Entrant(number, f"p_{number:018}", f"Player {number:04}", points=number * 7 % 100, since_ms=T0)
        for number in range(1, 513)
    )
    matches = tuple(Match(number, 0, number * 2 - 1, number * 2, T0, "on") for number in range(1, 129))
    running = {"state": "running", "started_ms": T0, "bell_ms": 1 << 42, "match_count": 128}
    return replace(new_tournament(), entrants=entrants, matches=matches, **{**running, **fields})


class Play:
    """A tournament that goes on. ``records`` are its finished matches as they would be stored."""

    def __init__(self, mode: str = "arena", entrants: int = 0, *, seed: int = 0, **fields: Any) -> None:
        self.value = new_tournament(mode, **fields)
        self.now_ms = T0
        self.records: dict[int, Match] = {}
        self.games: list[tuple[int, int]] = []
        self.events: list[Event] = []
        self.downtimes: tuple[Downtime, ...] = ()
        self.full = False
        self.rng = random.Random(seed)
        for number in range(1, entrants + 1):
            self.join(number)

    def tell(self, command: AnyCommand) -> None:
        """Carry out a command, and check what holds after every step."""
        before = self.value
        at = Moment(self.now_ms, POLICY, self.rng.getrandbits(64), self.downtimes, self.full)
        transition = step(before, command, at)
        self.value = after = transition.tournament
        assert after is before or after.version == before.version + 1
        self.events += transition.events
        self.games += [(match, game) for match, game, _ in transition.games]
        for match in transition.finished:
            assert match_from(match_bytes(match)) == match
            assert match.state != "playing"
            self.records[match.number] = match
        assert len(set(self.games)) == len(self.games)
        self.check()

    def check(self) -> None:
        """Check that totals follow from matches, that nobody plays twice, and that bytes are read as written."""
        value = self.value
        sides = [side for match in value.matches for side in match.sides]
        assert len(sides) == len(set(sides)) == len(playing(value))
        if len(self.records) < 20 or value.state == "over" or value.version % 50 == 0:
            assert rebuilt(value, self.records.values()) == value
        assert tournament_from(tournament_bytes(value)) == value
        assert len(self.records) + len(value.matches) == value.match_count

    def join(self, number: int, name: str | None = None, *, bot: bool = False) -> Entrant:
        player = person(number, bot=bot)
        self.tell(Join(player, name))
        return next(each for each in self.value.entrants if each.player == player.player)

    def host(self, command: TournamentCommand, record: Match | None = None) -> None:
        self.tell(Request(HOST, command, record))

    def entrant(self, number: int, command: TournamentCommand) -> None:
        self.tell(Request(person(number), command))

    def start(self) -> None:
        """Start, and make the rooms of the first matches."""
        self.host(Start("start"))
        self.make_rooms()

    def rejects(self, code: str, act: Callable[[], object]) -> str:
        """Check that an act is rejected and changes nothing. Return the message."""
        before = self.value
        with pytest.raises(Rejection) as rejected:
            act()
        assert rejected.value.code == code, rejected.value.message
        assert self.value is before
        return rejected.value.message

    def state(self) -> str:
        """Return the state of the tournament now."""
        return self.value.state

    def round(self) -> int:
        """Return the round now."""
        return self.value.round

    def on(self) -> int:
        """Return the number of matches that are on."""
        return len(self.value.matches)

    def stages(self) -> set[str]:
        """Return what the matches that are on need now."""
        return {match.stage for match in self.value.matches}

    # --- time ---------------------------------------------------------------------------------------------------

    def wait(self, ms: int) -> None:
        """Let time pass, with every deadline in it, and make the rooms that are wanted."""
        end_ms = self.now_ms + ms
        while (at_ms := wake_at_ms(self.value, POLICY)) is not None and at_ms <= end_ms and not self.value.closed:
            self.now_ms = max(self.now_ms, at_ms)
            self.tell(Wake())
            self.make_rooms()
        self.now_ms = end_ms

    def make_rooms(self) -> None:
        """Carry out the orders that begin games or close rooms."""
        reports = [
            Report(order.match.number, order.match.game, gone=order.what == "close")
            for order in orders(self.value)
            if order.what != "end"
        ]
        if reports:
            self.tell(Reported(tuple(reports)))

    # --- games --------------------------------------------------------------------------------------------------

    def end(
        self,
        match: Match,
        winner: int | None,
        reason: Reason = "line",
        *,
        ply: int = 5,
        thought_ms: tuple[int, int] = (1_000, 1_000),
    ) -> None:
        """End the game of a match that is on. ``thought_ms`` are the times of X and O."""
        match = self.value.match(match.number) or match
        mark: Mark | None = None if winner is None else "X" if winner == match.x else "O"
        ending = Ending(mark, reason, ply, thought_ms, b"game")
        self.tell(Reported((Report(match.number, match.game, ending),)))
        self.make_rooms()

    def play(self, match: Match, *winners: int | None) -> None:
        """Play the games of a match to their ends."""
        for winner in winners:
            self.end(match, winner)

    def play_all(self, choose: Callable[[Match], int | None] | None = None) -> None:
        """Play until the tournament is over, each game won by the chosen side, or by lot."""
        for _ in range(20_000):
            if self.value.state == "over":
                return
            if self.value.matches:
                match = self.rng.choice(self.value.matches)
                winner = self.rng.choice((*match.sides, None)) if choose is None else choose(match)
                self.end(match, winner)
                if self.value.mode == "arena":
                    self.wait(self.rng.choice((0, 100, 400)))
            else:
                self.wait(1_000)
        raise AssertionError("the tournament does not end")

    def ranks(self) -> list[tuple[int, int]]:
        """Return the ranks with the numbers of their entrants."""
        return [(row.rank, row.entrant.number) for row in standings(self.value)]


def opened() -> Play:
    """Return an arena of three that has not started."""
    return Play("arena", 3)


def begun() -> Play:
    """Return an arena of three that is on."""
    play = opened()
    play.start()
    return play


def ended() -> Play:
    """Return an arena of two that the host has stopped before it started."""
    play = Play("arena", 2)
    play.host(Stop("stop"))
    return play
