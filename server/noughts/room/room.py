"""The room as one frozen value, and what can be read off it. Only :mod:`noughts.room.step` and what it calls make new
ones.

The durable part is stored with every change. ``presence`` is not: it is what this process knows from its sockets (with
many nodes: from leases), so that a dropped socket costs no write and a restart gives everybody the whole grace again.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from noughts.room.clock import (
    FIRST_MOVE_MS,
    GIVE_BACK_MAX_MS,
    OFF_CLOCK_PLIES,
    ClockSetting,
    MoveClock,
    full_ms,
)
from noughts.room.commands import SpectatorChat, Visibility, What
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat, holder
from noughts.rules.game import Game
from noughts.rules.outcome import MARKS, Mark, Outcome, other

Phase: TypeAlias = Literal["waiting", "playing", "finished", "closed"]
Join: TypeAlias = Literal["invite", "open"]

SOMEONE: Final = "someone"
NEXT_ENGINES_GAME_MS: Final = 10_000
DECLINED_MS: Final = 10_000
OWNER_AWAY_MS: Final = 600_000


class House(msgspec.Struct, frozen=True, gc=False):
    """The operator's rules of time, the same for every room of a server."""

    grace_ms: int = 30_000
    engine_pace_ms: int = 500
    engines_pace_ms: int = 1_000
    waiting_ms: int = 86_400_000
    finished_ms: int = 86_400_000
    playing_ms: int = 7 * 86_400_000
    open_left_ms: int = 45_000
    chat: bool = True


class Place(msgspec.Struct, frozen=True, gc=False):
    """The presence of one seat's holder: away since when (None: here), and the network's measured share of a move."""

    away_since_ms: int | None = 0
    give_back_ms: int = 0


class Presence(msgspec.Struct, frozen=True, gc=False):
    """Who is connected, as far as this process knows."""

    x: Place = Place()
    o: Place = Place()
    owner_away_since_ms: int | None = 0
    watchers: int = 0
    left_ms: int = 0
    """When the last connection of any kind closed."""

    def of(self, mark: Mark) -> Place:
        return self.x if mark == "X" else self.o

    @property
    def anybody(self) -> bool:
        return self.watchers > 0 or self.x.away_since_ms is None or self.o.away_since_ms is None


NOBODY: Final = Presence()


class OpenOffer(msgspec.Struct, frozen=True, gc=False):
    what: What
    by: Mark


class Refused(msgspec.Struct, frozen=True, gc=False):
    """An offer that was declined: the same may not be made again for a while."""

    what: What
    by: Mark
    until_ms: int


class Score(msgspec.Struct, frozen=True, gc=False):
    """Games won by a player's id or ``engine:LEVEL``."""

    player: str
    wins: int


class CurrentGame(msgspec.Struct, frozen=True, gc=False):
    """The game that is on, or the last one.

    ``by`` and ``at_ms`` say of every move whose it was and when. ``turn_since_ms`` is when the side to move began to
    think; ``x_ms`` and ``o_ms`` are what was left then. ``outcome`` may be the rules' own or one by agreement, clock,
    claim or resignation. In a game with a ``stand_in`` the engine held a person's seat: it does not count in the score.
    """

    number: int
    play: Game
    x: Seat
    o: Seat
    started_ms: int
    turn_since_ms: int
    x_ms: int = 0
    o_ms: int = 0
    by: tuple[str, ...] = ()
    at_ms: tuple[int, ...] = ()
    outcome: Outcome | None = None
    ended_ms: int = 0
    stand_in: bool = False

    @property
    def turn(self) -> Mark | None:
        return None if self.outcome else self.play.position.turn

    def left_ms(self, mark: Mark) -> int:
        return self.x_ms if mark == "X" else self.o_ms


class Room(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A room. ``version`` rises by one with every change; ``used_ms`` is when the last one happened."""

    id: str
    version: int
    variant: str
    visibility: Visibility
    owner: Person
    created_ms: int
    used_ms: int
    invite: str | None = None
    join: Join | None = None
    x: Seat | None = None
    o: Seat | None = None
    game: CurrentGame | None = None
    games: int = 0
    clock: ClockSetting | None = None
    offers: tuple[OpenOffer, ...] = ()
    refused: tuple[Refused, ...] = ()
    score: tuple[Score, ...] = ()
    draws: int = 0
    claimable: tuple[Mark, ...] = ()
    muted: tuple[str, ...] = ()
    spectator_chat: SpectatorChat = "always"
    closed: bool = False
    presence: Presence = NOBODY

    def seat(self, mark: Mark) -> Seat | None:
        return self.x if mark == "X" else self.o

    @property
    def playing(self) -> bool:
        return self.game is not None and self.game.outcome is None and not self.closed

    @property
    def phase(self) -> Phase:
        if self.closed:
            return "closed"
        if self.playing:
            return "playing"
        return "finished" if self.x is not None and self.o is not None else "waiting"

    @property
    def engines_only(self) -> bool:
        return isinstance(self.x, EngineSeat) and isinstance(self.o, EngineSeat)

    @property
    def open_to_all(self) -> bool:
        """Whether this room is listed as one that waits for a stranger."""
        return self.visibility == "public" and self.join == "open" and self.phase == "waiting"


def mark_of(room: Room, player: str) -> Mark | None:
    """The mark of the seat that is this player's, also while the engine stands in."""
    if holder(room.x) == player:
        return "X"
    if holder(room.o) == player:
        return "O"
    return None


def clock_running(room: Room) -> Mark | None:
    """Whose clock runs now: nobody's before each side has made its first move."""
    game = room.game
    if room.clock is None or game is None or not room.playing or game.play.ply < OFF_CLOCK_PLIES:
        return None
    return game.turn


def grace_ms(room: Room, house: House) -> int:
    """How long a player may be away before the opponent has a choice; on a clock at most a third, or 5 s if longer."""
    if room.clock is None:
        return house.grace_ms
    return min(house.grace_ms, max(5_000, full_ms(room.clock) // 3))


def claimable_at_ms(room: Room, mark: Mark, house: House) -> int | None:
    """When the absence of ``mark`` gives its opponent a choice; None while it does not."""
    game = room.game
    if game is None or not room.playing or not isinstance(room.seat(mark), HumanSeat):
        return None
    away_since = room.presence.of(mark).away_since_ms
    if away_since is None or not isinstance(room.seat(other(mark)), HumanSeat):
        return None
    return max(away_since, game.started_ms) + grace_ms(room, house)


def may_claim(room: Room, away: Mark, house: House) -> bool:
    """Whether the opponent of ``away`` has the choice that ``room.claimable`` says it has.

    It lapses when the absence that gave it is over, though nothing has been settled yet: the player is back, or is away
    anew, or the server was restarted. A choice given is never older than the last change.
    """
    at = claimable_at_ms(room, away, house)
    return away in room.claimable and at is not None and at <= room.used_ms


def flag_at_ms(room: Room) -> int | None:
    """When the time of the side to move is over (or, before its first move, when the game is aborted).

    Two engines have no flag: they play only while somebody watches, and lose nothing by waiting.
    """
    game = room.game
    if room.clock is None or game is None or not room.playing or room.engines_only:
        return None
    turn = game.turn
    if turn is None:
        return None
    give_back = min(room.presence.of(turn).give_back_ms, GIVE_BACK_MAX_MS)
    if game.play.ply < OFF_CLOCK_PLIES:
        return game.turn_since_ms + FIRST_MOVE_MS + give_back
    left = room.clock.move_ms if isinstance(room.clock, MoveClock) else game.left_ms(turn)
    return game.turn_since_ms + left + give_back


def flag_fallen(room: Room, now_ms: int) -> bool:
    """Whether the time is over, though the wake-up that says so is still on its way."""
    flag_at = flag_at_ms(room)
    return flag_at is not None and flag_at <= now_ms


def expires_ms(room: Room, house: House) -> int:
    """When a room that nobody uses is gone."""
    phase = room.phase
    kept = house.playing_ms if phase == "playing" else house.finished_ms
    if phase == "waiting" and room.game is None:
        kept = house.waiting_ms
    return max(room.used_ms, room.presence.left_ms) + kept


def engine_due_ms(room: Room, house: House) -> int | None:
    """When the engine should answer a draw offer or make its move; None while it has nothing to do."""
    game = room.game
    if game is None or not room.playing:
        return None
    for offer in room.offers:
        if offer.what == "draw" and isinstance(room.seat(other(offer.by)), EngineSeat):
            return game.turn_since_ms
    turn = game.turn
    if turn is None or not isinstance(room.seat(turn), EngineSeat):
        return None
    if room.engines_only:
        return game.turn_since_ms + house.engines_pace_ms if room.presence.anybody else None
    return game.turn_since_ms + house.engine_pace_ms


def next_engines_game_ms(room: Room) -> int | None:
    """When two engines begin their next game: only while somebody watches."""
    game = room.game
    if room.closed or game is None or game.outcome is None or not room.engines_only or not room.presence.anybody:
        return None
    return game.ended_ms + NEXT_ENGINES_GAME_MS


def heir(room: Room) -> Mark | None:
    """The seat whose holder becomes the owner when the owner is gone: a present person other than the owner."""
    for mark in MARKS:
        seat = room.seat(mark)
        if (
            isinstance(seat, HumanSeat)
            and seat.player != room.owner.player
            and room.presence.of(mark).away_since_ms is None
        ):
            return mark
    return None
