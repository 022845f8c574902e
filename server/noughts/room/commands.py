"""What can be asked of a room. Those of people are decoded from the wire straight into these types; the rest are facts
that the application brings: the engine's move, a deadline that came, the end of an outage."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from noughts.room.clock import ClockSetting
from noughts.room.seat import Person
from noughts.rules.outcome import Mark

CommandId: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Cell: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z][0-9]+(\.[0-9]+)?\Z")]
Ply: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
GameNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
Level: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=24)]
What: TypeAlias = Literal["draw", "takeback", "rematch"]
Visibility: TypeAlias = Literal["public", "unlisted"]
SpectatorChat: TypeAlias = Literal["always", "between_games", "off"]


class Command(msgspec.Struct, frozen=True, gc=False, tag_field="type"):
    """Every command of a person carries an id of the client's choice."""

    id: CommandId


class Sit(Command, frozen=True, gc=False, tag="sit"):
    """Take an empty seat, an engine's between games, or one's own back from the engine."""

    mark: Mark
    invite: str | None = None


class Stand(Command, frozen=True, gc=False, tag="stand"):
    """Give the seat up, between games."""


class Move(Command, frozen=True, gc=False, tag="move"):
    """Fill a cell; ``ply`` is the number of moves that the player has seen."""

    ply: Ply
    cell: Cell
    game: GameNumber | None = None


class Resign(Command, frozen=True, gc=False, tag="resign"):
    """Give the game to the opponent."""

    game: GameNumber | None = None


class Offer(Command, frozen=True, gc=False, tag="offer"):
    """Offer a draw, a takeback or a rematch; the same from the other side accepts."""

    what: What
    game: GameNumber | None = None


class Answer(Command, frozen=True, gc=False, tag="answer"):
    """Accept or decline an offer; false on one's own withdraws it."""

    what: What
    accept: bool
    game: GameNumber | None = None


class Claim(Command, frozen=True, gc=False, tag="claim"):
    """End a game whose other player has been away for too long."""

    what: Literal["win", "draw"]
    game: GameNumber | None = None


class SeatEngine(Command, frozen=True, gc=False, tag="seat_engine"):
    """Seat the engine: in an empty seat, or for an opponent who has been away for too long."""

    mark: Mark
    level: Level


class Chat(Command, frozen=True, gc=False, tag="chat"):
    """Say a line."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=280)]


class React(Command, frozen=True, gc=False, tag="react"):
    """Show an emoji, one of :data:`noughts.protocol.messages.REACTIONS`."""

    emoji: Annotated[str, msgspec.Meta(min_length=1, max_length=16)]


class Set(Command, frozen=True, gc=False, tag="set"):
    """The owner's settings, between games; a clock of null means none."""

    variant: str | None = None
    clock: ClockSetting | msgspec.UnsetType | None = msgspec.UNSET
    visibility: Visibility | None = None
    spectator_chat: SpectatorChat | None = None


class Free(Command, frozen=True, gc=False, tag="free"):
    """The owner empties the seat of an engine or of one who is away, between games."""

    mark: Mark


class Mute(Command, frozen=True, gc=False, tag="mute"):
    """The owner mutes a player, or all spectators."""

    player: Annotated[str, msgspec.Meta(pattern=r"^(p_.{1,62}|spectators)\Z")]
    muted: bool


class Close(Command, frozen=True, gc=False, tag="close"):
    """The owner ends the room."""


class Ping(Command, frozen=True, gc=False, tag="ping"):
    """Answered by the connection; never reaches a room."""


RoomCommand: TypeAlias = (
    Sit | Stand | Move | Resign | Offer | Answer | Claim | SeatEngine | Chat | React | Set | Free | Mute | Close
)


class Request(msgspec.Struct, frozen=True, gc=False):
    """A person's command, and who asks."""

    by: Person
    command: RoomCommand


class EngineMoved(msgspec.Struct, frozen=True, gc=False):
    """The engine's answer to a position; rejected as stale when the room has gone on.

    ``moves`` are those that the engine saw: after a takeback and another move the same ply is another position.
    """

    game: int
    ply: int
    cell: int
    moves: tuple[int, ...] | None = None


class EngineAnswered(msgspec.Struct, frozen=True, gc=False):
    """The engine's answer to a draw offer, decided by its verdict on the position after ``moves``."""

    game: int
    ply: int
    accept: bool
    moves: tuple[int, ...] | None = None


class Wake(msgspec.Struct, frozen=True, gc=False):
    """The moment that ``wake_at_ms`` named has come: settle whatever is due."""


class Resumed(msgspec.Struct, frozen=True, gc=False):
    """The server or its store was down since ``down_from_ms``: that time is charged to nobody."""

    down_from_ms: int


class Renamed(msgspec.Struct, frozen=True, gc=False):
    """A player has another name (``someone`` after a delete)."""

    person: Person


AnyCommand: TypeAlias = Request | EngineMoved | EngineAnswered | Wake | Resumed | Renamed
