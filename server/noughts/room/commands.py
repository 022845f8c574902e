"""Commands to a room.

A player's commands are decoded from the wire straight into these types. The others come from the application: the
engine's move or answer, a deadline, the next game of a match.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, final

import msgspec
from msgspec import Meta

from noughts.room.clock import ClockSetting
from noughts.room.seat import Person
from noughts.rules.outcome import Mark, Reason
from noughts.values import Tagged, Value

CommandId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Cell: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z][0-9]+(\.[0-9]+)?\Z")]
Ply: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
GameNumber: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000_000)]
CurrentGame: TypeAlias = Annotated[
    GameNumber | None,
    Meta(description="the number of the game that you mean; another one than the current is rejected as `stale`"),
]
Level: TypeAlias = Annotated[str, Meta(min_length=1, max_length=24)]
OfferKind: TypeAlias = Literal["draw", "takeback", "rematch"]
FirstTo: TypeAlias = Annotated[int, Meta(ge=1, le=20)]
Visibility: TypeAlias = Literal["public", "unlisted"]
SpectatorChat: TypeAlias = Literal["always", "between_games", "off"]


class Command(Tagged):
    """A player's command. Its id is the client's choice."""

    id: Annotated[CommandId, Meta(description="your choice, another one for each command; the answer has it too")]


class Sit(Command):
    """Take an empty seat, an engine's between games, or your own back from the engine."""

    mark: Annotated[Mark, Meta(description="the mark")]
    invite: Annotated[
        str | None, Meta(description="the secret that lets another player sit down; absent if there is none for you")
    ] = None


class Stand(Command):
    """Give the seat up, between games."""


class Move(Command):
    """Fill a cell. ``ply`` is the number of moves that the player has seen."""

    ply: Annotated[
        Ply, Meta(description="how many moves you have seen; another number than the current is rejected as `stale`")
    ]
    cell: Annotated[Cell, Meta(description="the cell, such as `b2`")]
    game: CurrentGame = None


class Resign(Command):
    """Give the game to the opponent."""

    game: CurrentGame = None


class Swap(Command):
    """Take X's side after the first move, as the player of O. ``ply`` is the number of moves that the player has seen."""

    ply: Annotated[Ply, Meta(description="how many moves were made")]
    game: CurrentGame = None


class GiveTime(Command):
    """Give the opponent more time."""

    game: CurrentGame = None


class Offer(Command):
    """Offer a draw, a takeback or a rematch. The same offer from the other side accepts."""

    what: Annotated[OfferKind, Meta(description="the offer")]
    game: CurrentGame = None


class Answer(Command):
    """Accept or decline an offer. ``accept: false`` on your own offer withdraws it."""

    what: Annotated[OfferKind, Meta(description="the offer")]
    accept: Annotated[bool, Meta(description="whether you accept; false declines, or withdraws your own offer")]
    game: CurrentGame = None


class Claim(Command):
    """End a game whose other player has been away for longer than the grace."""

    what: Annotated[Literal["win", "draw"], Meta(description="how the game ends: your `win`, or a `draw`")]
    game: CurrentGame = None


class SeatEngine(Command):
    """Seat the engine: in an empty seat, or for an opponent who has been away for longer than the grace."""

    mark: Annotated[Mark, Meta(description="the mark")]
    level: Annotated[Level, Meta(description="the engine's level")]


class Chat(Command):
    """Send a chat line."""

    text: Annotated[str, Meta(min_length=1, max_length=280, description="the text")]


class React(Command):
    """Send a reaction, one of :data:`noughts.protocol.messages.REACTIONS`."""

    emoji: Annotated[str, Meta(min_length=1, max_length=16, description="the reaction")]


class Set(Command):
    """Change the room's settings, as its owner and between games. A clock or ``first_to`` of null removes it."""

    variant: Annotated[str | None, Meta(description="the key of the new variant; absent keeps it")] = None
    clock: Annotated[
        ClockSetting | msgspec.UnsetType | None,
        Meta(description="the new clock; null removes the clock, absent keeps it"),
    ] = msgspec.UNSET
    visibility: Annotated[Visibility | None, Meta(description="whether the lobby lists the room; absent keeps it")] = (
        None
    )
    spectator_chat: Annotated[SpectatorChat | None, Meta(description="when spectators may chat; absent keeps it")] = (
        None
    )
    first_to: Annotated[
        FirstTo | msgspec.UnsetType | None,
        Meta(description="the games to win a series, which begins with the next game; null for none, absent keeps it"),
    ] = msgspec.UNSET
    swap: Annotated[
        bool | None, Meta(description="whether O may take X's side after the first move; absent keeps it")
    ] = None


class Free(Command):
    """Empty the seat of an engine or of a player who is away, as the owner and between games."""

    mark: Annotated[Mark, Meta(description="the mark")]


class Mute(Command):
    """Mute a player or all spectators, as the owner."""

    player: Annotated[str, Meta(pattern=r"^(p_.{1,62}|spectators)\Z", description="the player's id, or `spectators`")]
    muted: Annotated[bool, Meta(description="true to mute, false to let them chat again")]


class Close(Command):
    """End the room, as its owner."""


@final
class Ping(Command):
    """Ask for a pong. The connection answers; a ping never reaches a room."""


@final
class Visible(Command):
    """Say whether the player sees the page. It belongs to the connection, and no room stores it."""

    visible: Annotated[bool, Meta(description="whether the player sees the page")]


RoomCommand: TypeAlias = (
    Sit
    | Stand
    | Move
    | Resign
    | Swap
    | GiveTime
    | Offer
    | Answer
    | Claim
    | SeatEngine
    | Chat
    | React
    | Set
    | Free
    | Mute
    | Close
)


class Request(Value):
    """A player's command, with the player who sent it."""

    by: Person
    command: RoomCommand


class EngineMoved(Value):
    """The engine's move in game ``game`` after ``moves``. It is stale once the room has gone on.

    The moves themselves are compared: after a takeback and another move the same ply is another position.
    """

    game: int
    moves: tuple[int, ...]
    cell: int


class EngineSwapped(Value):
    """The engine, which holds O, takes X's side in game ``game`` after ``moves``."""

    game: int
    moves: tuple[int, ...]


class EngineDrawAnswer(Value):
    """The engine's answer to a draw offer, from its verdict on the position after ``moves``."""

    game: int
    moves: tuple[int, ...]
    accept: bool


class Wake(Value):
    """Carry out what is due: the time of ``wake_at_ms`` has come."""


class Noticed(Value):
    """The notice of a turn is settled. ``remind_at_ms`` is when its reminder is due, None without one.

    It is stale once the turn has passed.
    """

    game: int
    ply: int
    takebacks: int
    remind_at_ms: int | None = None


class BeginGame(Value):
    """Begin a game of a match with the marks swapped. It is stale unless the game of the number before has ended."""

    game: int


class EndGame(Value):
    """End a game of a match: by the bell, or because a player has left the tournament. It is stale once the game has ended.

    By the bell, a game without a move is aborted.
    """

    game: int
    winner: Mark | None
    reason: Reason


class Discard(Value):
    """Close the room, also that of a match: for the operator, or because the host has annulled the match."""


AnyCommand: TypeAlias = (
    Request | EngineMoved | EngineSwapped | EngineDrawAnswer | Wake | Noticed | BeginGame | EndGame | Discard
)
