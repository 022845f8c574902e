"""The hello, the answers and the views as types. Their fields have the names on the wire.

Commands are in :mod:`noughts.room.commands`. The machine-readable contract is generated from these types.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from noughts.engine.verdict import Proof
from noughts.engine.verdict import Value as VerdictValue
from noughts.errors import Code
from noughts.room.clock import ClockMode, ClockSetting
from noughts.room.commands import SpectatorChat, Visibility
from noughts.room.events import ViewEvent
from noughts.room.room import Join, OpenOffer, Phase, Score
from noughts.room.seat import Person, Seat
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import Mark, Reason
from noughts.values import Tagged, Value

PROTOCOL: Final = 1
REACTIONS: Final = ("👍", "👏", "😄", "😮", "🤔", "❤️")


class Hello(Tagged):
    """The first message of every connection: a room, a tournament, or the lobby."""

    protocol: int
    room: str | None = None
    token: str | None = None
    lobby: bool = False
    tournament: str | None = None

    def target(self, kinds: Iterable[str]) -> tuple[str, str] | None:
        """Return which of some kinds the hello names, and its id. Return None if it names several or none."""
        named = [(kind, name) for kind in kinds if (name := getattr(self, kind)) not in (None, False)]
        if len(named) != 1:
            return None
        kind, name = named[0]
        return kind, name if isinstance(name, str) else ""


class PlayerView(Value, omit_defaults=True):
    """A player as everybody may see it. ``bot`` is true for a player run by a program."""

    id: str
    name: str
    bot: bool = False


class Welcome(Tagged):
    """The hello is accepted. ``player`` is null for a nameless spectator; ``now_ms`` is the server's time."""

    protocol: int
    player: PlayerView | None
    now_ms: int
    reactions: tuple[str, ...]


class Ok(Tagged):
    """A command is accepted and stored; ``version`` is the room's after it."""

    id: str
    version: int


class Rejected(Tagged, omit_defaults=True):
    """A command is rejected and nothing changed. Only with the code ``unavailable`` it is unknown whether anything did."""

    id: str | None
    code: Code
    message: str
    retry_ms: int | None = None


class Pong(Tagged):
    """The answer to a ping, with the server's time."""

    id: str
    now_ms: int


class OutcomeView(Value):
    """How a game ended; ``cells`` are those of the lines that the last move completed."""

    winner: Mark | None
    reason: Reason
    cells: tuple[str, ...]


class GameView(Value, omit_defaults=True):
    """A game as everybody sees it. Its ``variant`` can differ from the room's, which may change between games.

    ``fading`` is present in vanishing only, ``boards`` and ``forced`` in ultimate only. ``from`` is present in a game that
    began after moves: how many they are.
    """

    number: int
    variant: str
    moves: tuple[str, ...]
    marks: dict[str, Mark]
    turn: Mark | None
    legal: tuple[str, ...]
    outcome: OutcomeView | None
    swapped: bool
    fading: str | msgspec.UnsetType | None = msgspec.UNSET
    boards: tuple[Mark | Literal["draw"] | None, ...] | msgspec.UnsetType = msgspec.UNSET
    forced: int | msgspec.UnsetType | None = msgspec.UNSET
    from_ply: int = msgspec.field(default=0, name="from")


class ClockView(Value):
    """The time that each side has left as of ``at_ms``.

    The first move of each side is off the clock. Before such a move, ``first_move_by_ms`` is when the game is aborted. A
    clock of days runs from the start of the game, and ``first_move_by_ms`` is null.
    """

    mode: ClockMode
    X_ms: int
    O_ms: int
    running: Mark | None
    at_ms: int
    setting: ClockSetting
    first_move_by_ms: int | None


class RoomMatchView(Value):
    """The match of a tournament that a room belongs to: its number, and how many games it has."""

    id: str
    match: int
    games: int


class SeriesView(Value):
    """The series that is on, or the last one. Its games are those that count. ``winner`` is null while nobody has won it."""

    first_to: int
    games: int
    winner: str | None
    over: bool


class View(Value):
    """A room as everybody may see it. ``tournament`` is present in the room of a match only."""

    id: str
    version: int
    variant: str
    visibility: Visibility
    join: Join | None
    owner: str
    phase: Phase
    seats: ByMark[Seat | None]
    game: GameView | None
    clock: ClockView | None
    offers: tuple[OpenOffer, ...]
    score: tuple[Score, ...]
    draws: int
    spectator_chat: SpectatorChat
    created_ms: int
    expires_ms: int
    series: SeriesView | None
    swap: bool
    tournament: RoomMatchView | msgspec.UnsetType = msgspec.UNSET


class You(Value, omit_defaults=True):
    """What one audience is and can do. ``can`` lists commands, some with their choice after a colon."""

    mark: Mark | None
    owner: bool
    can: tuple[str, ...]
    invite: str | None = None


class RoomMessage(Tagged, tag="room"):
    """A room, whole, as one audience sees it. Only ``you`` differs between the audiences."""

    version: int
    event: ViewEvent | None
    room: View
    you: You


class SeatPresence(Value):
    """The presence of a seat's holder; the times are null while the player is here."""

    present: bool
    away_ms: int | None
    claimable_in_ms: int | None


class Crowd(Tagged):
    """The presence of both seats, and the spectators. Names are listed only up to twenty spectators."""

    seats: ByMark[SeatPresence | None]
    spectators: int
    names: tuple[str, ...]


class Speaker(Value):
    """The player who sent a chat line or a reaction; ``mark`` is null for a spectator."""

    player: str
    name: str
    mark: Mark | None


class ChatLine(Value):
    """A chat line. ``n`` rises by one with each line of the room; ``ply`` is the ply of the game at that time."""

    n: int
    at_ms: int
    from_: Speaker = msgspec.field(name="from")
    text: str
    ply: int


class ChatMessage(Tagged, tag="chat"):
    """Chat lines: the newest hundred when a client connects, then each new one."""

    lines: tuple[ChatLine, ...]


class Reaction(Tagged):
    """A player sent an emoji. It is not stored."""

    from_: Speaker = msgspec.field(name="from")
    emoji: str


class OpenRoom(Value):
    """A public room that waits for an opponent; ``mark`` is the free one."""

    id: str
    variant: str
    clock: ClockSetting | None
    owner: Person
    mark: Mark
    created_ms: int


class LiveRoom(Value):
    """A public room in which a game is on."""

    id: str
    variant: str
    clock: ClockSetting | None
    seats: ByMark[Seat | None]
    ply: int
    spectators: int


class Lobby(Tagged):
    """The newest fifty public rooms that wait for an opponent, and the newest fifty with a game on, newest first.

    ``players`` counts the players who are connected to rooms, without nameless spectators. ``rooms`` counts all rooms of the
    server.
    """

    open: tuple[OpenRoom, ...]
    live: tuple[LiveRoom, ...]
    players: int
    rooms: int


class VerdictView(Value):
    """The verdict on a position for the side to move; ``plies`` is the number of moves until a win or a loss."""

    value: VerdictValue
    plies: int | None
    proof: Proof


class MoveRecord(Value):
    """One move of a game's record. From these a client can draw any position of the game without knowing the rules.

    ``by`` and ``at_ms`` are null where the moves belong to no room, and for the moves that a game began after.
    """

    cell: str
    mark: Mark
    by: str | None
    at_ms: int | None
    removed: str | None
    decided: Decided | None


class Decided(Value):
    """The small board that a move of ultimate decided."""

    board: int
    by: Mark | Literal["draw"]


class GameRecord(Value):
    """A game move by move, with the players as they sat at its start.

    ``number`` and ``players`` are null where the moves belong to no room. Such a record has ``legal``: the legal moves after
    the last one.
    """

    variant: str
    number: int | None
    players: ByMark[Seat] | None
    moves: tuple[MoveRecord, ...]
    outcome: OutcomeView | None
    swapped: bool
    legal: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


ServerMessage: TypeAlias = Welcome | RoomMessage | Ok | Rejected | Pong | Crowd | ChatMessage | Reaction | Lobby
