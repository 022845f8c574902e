"""The room as one frozen value, and the facts that follow from it. Only :mod:`noughts.room.step` changes a room."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta
from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.clock import ClockSetting, is_off_clock
from noughts.room.commands import OfferKind, SpectatorChat, Visibility
from noughts.room.seat import EngineSeat, Player, Seat, holder
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game
from noughts.rules.outcome import Mark, Outcome
from noughts.values import Value

Phase: TypeAlias = Literal["waiting", "playing", "finished", "closed"]
Join: TypeAlias = Literal["invite", "open"]

NO_SEATS: Final[ByMark[Seat | None]] = ByMark(None, None)
NO_GIFTS: Final = ByMark(0, 0)


class OpenOffer(Value):
    """An offer that waits for an answer, and the side that made it."""

    what: Annotated[OfferKind, Meta(description="the offer")]
    by: Annotated[Mark, Meta(description="the side that did it")]


class DeclinedOffer(Value):
    """An offer that was declined: the same side may not repeat it before ``until_ms``."""

    what: OfferKind
    by: Mark
    until_ms: int


class Score(Value):
    """Games won by a player's id or ``engine:LEVEL``."""

    player: Annotated[str, Meta(description="the player's id, or `engine:LEVEL`")]
    wins: Annotated[int, Meta(description="won games")]


class RoomGame(Value, array_like=True):
    """The game that is on in a room, or the last one.

    ``history`` has the moves and the position. ``by`` and ``at_ms`` hold the maker and the time of each move.
    ``turn_since_ms`` is when the present turn began; ``left_ms`` is the time that each side had left then. ``outcome`` comes
    from the rules, or from agreement, clock, claim or resignation. ``stand_in`` is true if the engine held a player's seat
    at any time: such a game does not count in the score. ``lag_quota_ms`` is how much lag each side can still get back; None
    if both have their full quota. ``from_ply`` is how many moves the game began after: those moves have no maker and no
    time, nobody can take them back, and the game does not count in the score. ``swapped`` is true once O has taken X's side:
    ``players`` stay those of the start. ``gifts`` counts how often each side has given the other time.
    """

    number: int
    history: Game
    players: ByMark[Seat]
    started_ms: int
    turn_since_ms: int
    left_ms: ByMark[int]
    by: tuple[str, ...] = ()
    at_ms: tuple[int, ...] = ()
    outcome: Outcome | None = None
    ended_ms: int = 0
    stand_in: bool = False
    lag_quota_ms: ByMark[int] | None = None
    from_ply: int = 0
    swapped: bool = False
    gifts: ByMark[int] = NO_GIFTS

    @property
    def first_ply(self) -> int:
        """The ply below which no takeback goes: the moves that the game began after, and the move of a swap, stay."""
        return max(self.from_ply, self.swapped)

    @property
    def sides(self) -> ByMark[Seat]:
        """The players of each mark, after the swap if there was one."""
        return self.players.swapped if self.swapped else self.players

    @property
    def turn(self) -> Mark | None:
        """The mark to move; None after the end."""
        return None if self.outcome else self.history.position.turn


class Notice(Value, array_like=True):
    """The newest turn in a clock of days whose notice is settled: sent, or not wanted by any device of the player.

    ``takebacks`` counts those of the game and its swap, because a ply is another turn after them. ``ply`` is -1 if
    no turn since then is settled. ``remind_at_ms`` is when the reminder of the turn is due, None without one.
    """

    game: int
    ply: int
    takebacks: int = 0
    remind_at_ms: int | None = None


class RoomMatch(Value, array_like=True):
    """The match of a tournament that a room belongs to: its number, and how many games it has.

    The seats and settings of such a room are fixed. The tournament begins its games.
    """

    tournament: str
    match: int
    games: int
    chat: bool = False


class Series(Value, array_like=True):
    """The series that the newest game belongs to. ``sides`` are a player's id or ``engine:LEVEL`` each, sorted.

    ``games`` counts those that count. ``winner`` is one of the sides, None before the end and if nobody leads at the end.
    """

    sides: tuple[str, str]
    games: int = 0
    over: bool = False
    winner: str | None = None


class Room(Value, array_like=True):
    """A room. ``version`` rises by one with every change; ``used_ms`` is the time of the last one.

    ``first_to`` is how many games a side must win to win a series, None without series. ``series`` is None before the first
    game with that setting. ``swap`` says whether O may take X's side after the first move.
    """

    id: str
    version: int
    variant: str
    visibility: Visibility
    owner: Player
    created_ms: int
    used_ms: int
    invite: str | None = None
    join: Join | None = None
    seats: ByMark[Seat | None] = NO_SEATS
    game: RoomGame | None = None
    games: int = 0
    clock: ClockSetting | None = None
    offers: tuple[OpenOffer, ...] = ()
    declined: tuple[DeclinedOffer, ...] = ()
    score: tuple[Score, ...] = ()
    draws: int = 0
    claimable: tuple[Mark, ...] = ()
    muted: tuple[str, ...] = ()
    spectator_chat: SpectatorChat = "always"
    closed: bool = False
    match: RoomMatch | None = None
    notice: Notice | None = None
    first_to: int | None = None
    series: Series | None = None
    swap: bool = False

    def seat(self, mark: Mark) -> Seat | None:
        """Return the seat of a mark; None while it is empty."""
        return self.seats.X if mark == "X" else self.seats.O

    @property
    def playing(self) -> bool:
        """Whether a game is on."""
        return self.game is not None and self.game.outcome is None and not self.closed

    @property
    def full(self) -> bool:
        """Whether both seats are held."""
        return self.seats.X is not None and self.seats.O is not None

    @property
    def phase(self) -> Phase:
        """The phase of the room, as views show it."""
        if self.closed:
            return "closed"
        if self.game is not None and self.game.outcome is None:
            return "playing"
        return "finished" if self.full else "waiting"

    @property
    def has_chat(self) -> bool:
        """Whether players may chat as far as the room decides it: everywhere but in matches without chat."""
        return self.match is None or self.match.chat

    @property
    def engines_only(self) -> bool:
        """Whether two engines play each other."""
        return isinstance(self.seats.X, EngineSeat) and isinstance(self.seats.O, EngineSeat)

    @property
    def has_engine(self) -> bool:
        """Whether an engine holds a seat."""
        return isinstance(self.seats.X, EngineSeat) or isinstance(self.seats.O, EngineSeat)

    @property
    def open_to_all(self) -> bool:
        """Whether the lobby lists this room as one that waits for an opponent."""
        return self.visibility == "public" and self.join == "open" and self.phase == "waiting"


def check_not_of_match(room: Room) -> None:
    """Raise ``forbidden`` in a room that belongs to a match of a tournament."""
    if room.match is not None:
        raise Rejection("forbidden", "This is a match of a tournament: its seats and settings are fixed.")


def closed_room(room: Room) -> Room:
    """Return the room after its end: closed, without open offers and claims."""
    return replace(room, closed=True, offers=(), claimable=())


def mark_of(room: Room, player: str) -> Mark | None:
    """Return the mark of this player's seat, also while the engine stands in; None without a seat."""
    if holder(room.seats.X) == player:
        return "X"
    if holder(room.seats.O) == player:
        return "O"
    return None


def players_of(room: Room) -> tuple[str, ...]:
    """Return the players whose presence matters to the room: the holders of its seats and its owner, sorted, each once."""
    players = {holder(room.seats.X), holder(room.seats.O), room.owner.player}
    return tuple(sorted(filter(None, players)))


def clock_running(room: Room) -> Mark | None:
    """Return the side whose clock runs now; None if no clock runs, as before each side has made its first move."""
    game = room.game
    if room.clock is None or game is None or not room.playing or is_off_clock(room.clock, game.history.ply):
        return None
    return game.turn
