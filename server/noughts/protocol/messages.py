"""The hello, the answers and the views as types. Their fields have the names on the wire.

Commands are in :mod:`noughts.room.commands`. The machine-readable contract is generated from these types.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from noughts.engine.verdict import Proof
from noughts.engine.verdict import Value as VerdictValue
from noughts.errors import Code
from noughts.room.clock import ClockMode, ClockSetting
from noughts.room.commands import SpectatorChat, Visibility
from noughts.room.events import ViewEvent
from noughts.room.room import Join, OpenOffer, Phase, Score
from noughts.room.seat import Person
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import Mark, Reason
from noughts.values import Tagged, Value

PROTOCOL: Final = 1
REACTIONS: Final = ("👍", "👏", "😄", "😮", "🤔", "❤️")

VariantKey: TypeAlias = Annotated[str, Meta(description="the key of the variant")]
BoardMarks: TypeAlias = Annotated[dict[str, Mark], Meta(description="the marks on the board, by cell")]
SmallBoards: TypeAlias = Annotated[
    tuple[Mark | Literal["draw"] | None, ...] | msgspec.UnsetType,
    Meta(
        description="the nine small boards, row by row: the winner, `draw`, or null while a board is open; in ultimate"
        " only"
    ),
]
ForcedBoard: TypeAlias = Annotated[
    int | msgspec.UnsetType | None,
    Meta(description="the small board that the next move must be in, null for any; in ultimate only"),
]
FadingCell: TypeAlias = Annotated[
    str | msgspec.UnsetType | None,
    Meta(description="the cell whose mark leaves with the next move, null for none; in vanishing only"),
]


class Hello(Tagged):
    """The first message of every connection: a room, a tournament, or the lobby."""

    protocol: Annotated[int, Meta(description="the version of the protocol: 1")]
    room: Annotated[str | None, Meta(description="the room to enter")] = None
    token: Annotated[str | None, Meta(description="your player's secret; without one you watch")] = None
    lobby: Annotated[bool, Meta(description="true to enter the lobby")] = False
    tournament: Annotated[str | None, Meta(description="the tournament to enter")] = None

    def target(self, kinds: Iterable[str]) -> tuple[str, str] | None:
        """Return which of some kinds the hello names, and its id. Return None if it names several or none."""
        named = [(kind, name) for kind in kinds if (name := getattr(self, kind)) not in (None, False)]
        if len(named) != 1:
            return None
        kind, name = named[0]
        return kind, name if isinstance(name, str) else ""


class PlayerView(Value, omit_defaults=True):
    """A player as everybody may see it. ``bot`` is true for a player run by a program."""

    id: Annotated[str, Meta(description="the id")]
    name: Annotated[str, Meta(description="the name shown to others")]
    bot: Annotated[bool, Meta(description="whether a program runs the player; absent for no")] = False


class Welcome(Tagged):
    """The hello is accepted. ``player`` is null for a nameless spectator; ``now_ms`` is the server's time."""

    protocol: Annotated[int, Meta(description="the version of the protocol: 1")]
    player: Annotated[PlayerView | None, Meta(description="the player of the token; null for a nameless spectator")]
    now_ms: Annotated[int, Meta(description="the server's time")]
    reactions: Annotated[tuple[str, ...], Meta(description="the emoji that a reaction may have")]
    page: Annotated[str, Meta(description="the hash of the page's files as served now")] = ""


class Ok(Tagged):
    """A command is accepted and stored; ``version`` is the room's after it."""

    id: Annotated[str, Meta(description="the id of the command")]
    version: Annotated[int, Meta(description="the change number, which rises by one with each change")]


class Rejected(Tagged, omit_defaults=True):
    """A command is rejected and nothing changed. Only with the code ``unavailable`` it is unknown whether anything did."""

    id: Annotated[str | None, Meta(description="the id of the command; null if the message had none")]
    code: Annotated[Code, Meta(description="why, as a code from the list below")]
    message: Annotated[str, Meta(description="the reason as a sentence, and what to do")]
    retry_ms: Annotated[int | None, Meta(description="milliseconds to wait before another try")] = None


class Pong(Tagged):
    """The answer to a ping, with the server's time."""

    id: Annotated[str, Meta(description="the id of the command")]
    now_ms: Annotated[int, Meta(description="the server's time")]


class OutcomeView(Value):
    """How a game ended; ``cells`` are those of the lines that the last move completed."""

    winner: Annotated[Mark | None, Meta(description="the winner; null for none")]
    reason: Annotated[Reason, Meta(description="why the game ended")]
    cells: Annotated[tuple[str, ...], Meta(description="the cells of the lines that the last move completed")]


class GameView(Value, omit_defaults=True):
    """A game as everybody sees it. Its ``variant`` can differ from the room's, which may change between games."""

    number: Annotated[int, Meta(description="the number of the game in its room, from 1")]
    variant: VariantKey
    moves: Annotated[tuple[str, ...], Meta(description="the cells that were filled, in order; X begins")]
    marks: BoardMarks
    turn: Annotated[Mark | None, Meta(description="the mark to move; null after the end")]
    legal: Annotated[tuple[str, ...], Meta(description="the cells that the side to move may fill")]
    outcome: Annotated[OutcomeView | None, Meta(description="how the game ended; null while it is on")]
    swapped: Annotated[bool, Meta(description="whether O has taken X's side: `players` are those of the start")]
    fading: FadingCell = msgspec.UNSET
    boards: SmallBoards = msgspec.UNSET
    forced: ForcedBoard = msgspec.UNSET
    from_ply: Annotated[int, Meta(description="how many moves the game began after; absent for none")] = msgspec.field(
        default=0, name="from"
    )


class ClockView(Value):
    """The time that each side has left. The first move of each side is off the clock, unless the clock has days."""

    mode: Annotated[ClockMode, Meta(description="the same as in `setting`")]
    X_ms: Annotated[int, Meta(description="milliseconds that X has left")]
    O_ms: Annotated[int, Meta(description="milliseconds that O has left")]
    running: Annotated[Mark | None, Meta(description="the side whose time runs; null if none does")]
    at_ms: Annotated[int, Meta(description="when `X_ms` and `O_ms` were right")]
    setting: Annotated[ClockSetting, Meta(description="the setting of the clock")]
    first_move_by_ms: Annotated[
        int | None, Meta(description="when the game is aborted without a first move; null once both sides have moved")
    ]


class RoomMatchView(Value):
    """The match of a tournament that a room belongs to: its number, and how many games it has."""

    id: Annotated[str, Meta(description="the id of the tournament")]
    match: Annotated[int, Meta(description="the number of the match")]
    games: Annotated[int, Meta(description="how many games the match has")]


class SeriesView(Value):
    """The series that is on, or the last one. Its games are those that count. ``winner`` is null while nobody has won it."""

    first_to: Annotated[int, Meta(description="games that a side must win to win the series; null without series")]
    games: Annotated[int, Meta(description="games of the series so far, without those that do not count")]
    winner: Annotated[
        str | None,
        Meta(description="the winner, a player or `engine:LEVEL`; null before the end, and if nobody leads then"),
    ]
    over: Annotated[bool, Meta(description="whether it has ended")]


class HumanSeatView(Value, tag_field="kind", tag="human", omit_defaults=True):
    """A seat held by a player. ``bot`` is true for a player run by a program."""

    player: Annotated[str, Meta(description="the player's id")]
    name: Annotated[str, Meta(description="the name shown to others")]
    bot: Annotated[bool, Meta(description="whether a program runs the player; absent for no")] = False


class EngineSeatView(Value, tag_field="kind", tag="engine"):
    """A seat held by the engine. ``holding_for`` is the absent player whose seat it is, None for an engine's own."""

    level: Annotated[str, Meta(description="the engine's level")]
    holding_for: Annotated[
        Person | None,
        Meta(description="the absent player whose seat the engine holds; null if the seat is the engine's own"),
    ] = None


SeatView: TypeAlias = HumanSeatView | EngineSeatView


class View(Value):
    """A room as everybody may see it. ``tournament`` is present in the room of a match only."""

    id: Annotated[str, Meta(description="the id")]
    version: Annotated[int, Meta(description="the change number, which rises by one with each change")]
    variant: VariantKey
    visibility: Annotated[Visibility, Meta(description="whether the lobby lists it")]
    join: Annotated[
        Join | None,
        Meta(description="what an empty seat needs: an `invite`, nothing (`open`); null if no player can join"),
    ]
    owner: Annotated[str, Meta(description="the player who may change the settings")]
    phase: Annotated[
        Phase, Meta(description="`waiting` for players, `playing`, `finished` (the last game is over) or `closed`")
    ]
    seats: Annotated[ByMark[SeatView | None], Meta(description="the holders of both seats")]
    game: Annotated[GameView | None, Meta(description="the game that is on, or the last one; null before the first")]
    clock: Annotated[ClockView | None, Meta(description="the clock; null for none")]
    offers: Annotated[tuple[OpenOffer, ...], Meta(description="the offers that wait for an answer")]
    score: Annotated[tuple[Score, ...], Meta(description="games won in this room, by player")]
    draws: Annotated[int, Meta(description="drawn games")]
    spectator_chat: Annotated[SpectatorChat, Meta(description="when spectators may chat")]
    created_ms: Annotated[int, Meta(description="when it was made")]
    expires_ms: Annotated[int, Meta(description="when it expires")]
    series: Annotated[SeriesView | None, Meta(description="the series; null without one")]
    swap: Annotated[bool, Meta(description="whether O may take X's side after the first move")]
    tournament: Annotated[
        RoomMatchView | msgspec.UnsetType, Meta(description="the match that the room belongs to; absent for none")
    ] = msgspec.UNSET


class You(Value, omit_defaults=True):
    """What one audience is and can do. ``can`` lists commands, some with their choice after a colon."""

    mark: Annotated[Mark | None, Meta(description="your mark; null if you have no seat")]
    owner: Annotated[bool, Meta(description="whether you are the owner")]
    can: Annotated[
        tuple[str, ...], Meta(description="commands that are possible now, some with their choice after a colon")
    ]
    invite: Annotated[
        str | None, Meta(description="the secret that lets another player sit down; absent if there is none for you")
    ] = None


class RoomMessage(Tagged, tag="room"):
    """A room, whole, as one audience sees it. Only ``you`` differs between the audiences."""

    version: Annotated[int, Meta(description="the change number, which rises by one with each change")]
    event: Annotated[ViewEvent | None, Meta(description="what has happened last; null on arrival")]
    room: Annotated[View, Meta(description="the room")]
    you: Annotated[You, Meta(description="what the recipient is and can do")]


class SeatPresence(Value):
    """The presence of a seat's holder; the times are null while the player is here."""

    present: Annotated[bool, Meta(description="whether the holder is connected")]
    away_ms: Annotated[int | None, Meta(description="when the holder left")]
    claimable_in_ms: Annotated[int | None, Meta(description="milliseconds until the opponent may claim")]


class Crowd(Tagged):
    """The presence of both seats, and the spectators. Names are listed only up to twenty spectators."""

    seats: Annotated[
        ByMark[SeatPresence | None],
        Meta(description="the presence of both holders; null for an empty seat and the engine"),
    ]
    spectators: Annotated[int, Meta(description="how many spectators there are")]
    names: Annotated[tuple[str, ...], Meta(description="the names of the spectators, up to twenty")]


class Speaker(Value):
    """The player who sent a chat line or a reaction; ``mark`` is null for a spectator."""

    player: Annotated[str, Meta(description="the player's id")]
    name: Annotated[str, Meta(description="the name shown to others")]
    mark: Annotated[Mark | None, Meta(description="the mark of the player; null for a spectator")]


class ChatLine(Value):
    """A chat line. ``n`` rises by one with each line of the room; ``ply`` is the ply of the game at that time."""

    n: Annotated[int, Meta(description="the number of the line in the room")]
    at_ms: Annotated[int, Meta(description="when the line was sent")]
    from_: Annotated[Speaker, Meta(description="the player who sent it")] = msgspec.field(name="from")
    text: Annotated[str, Meta(description="the text")]
    ply: Annotated[int, Meta(description="how many moves the game had then")]


class ChatMessage(Tagged, tag="chat"):
    """Chat lines: the newest hundred when a client connects, then each new one."""

    lines: Annotated[tuple[ChatLine, ...], Meta(description="the chat lines, oldest first")]


class Reaction(Tagged):
    """A player sent an emoji. It is not stored."""

    from_: Annotated[Speaker, Meta(description="the player who sent it")] = msgspec.field(name="from")
    emoji: Annotated[str, Meta(description="the reaction")]


class OpenRoom(Value):
    """A public room that waits for an opponent; ``mark`` is the free one."""

    id: Annotated[str, Meta(description="the id")]
    variant: VariantKey
    clock: Annotated[ClockSetting | None, Meta(description="the clock; null for none")]
    owner: Annotated[Person, Meta(description="the player who may change the settings")]
    mark: Annotated[Mark, Meta(description="the mark that is free")]
    created_ms: Annotated[int, Meta(description="when it was made")]


class LiveRoom(Value):
    """A public room in which a game is on."""

    id: Annotated[str, Meta(description="the id")]
    variant: VariantKey
    clock: Annotated[ClockSetting | None, Meta(description="the clock; null for none")]
    seats: Annotated[ByMark[SeatView | None], Meta(description="the holders of both seats")]
    ply: Annotated[int, Meta(description="how many moves its game has")]
    spectators: Annotated[int, Meta(description="how many spectators there are")]


class Lobby(Tagged):
    """The newest fifty public rooms that wait for an opponent, and the newest fifty with a game on, newest first."""

    open: Annotated[tuple[OpenRoom, ...], Meta(description="rooms that wait for an opponent, newest first")]
    live: Annotated[tuple[LiveRoom, ...], Meta(description="rooms with a game on, newest first")]
    players: Annotated[int, Meta(description="players who are connected to rooms, without nameless spectators")]
    rooms: Annotated[int, Meta(description="all rooms of the server")]


class VerdictView(Value):
    """The verdict on a position for the side to move; ``plies`` is the number of moves until a win or a loss."""

    value: Annotated[VerdictValue, Meta(description="the exact value for the side to move, or `unknown`")]
    plies: Annotated[
        int | None,
        Meta(
            description="moves until the win or loss against the longest defence; null if there is none or it is not known"
        ),
    ]
    proof: Annotated[
        Proof,
        Meta(description="how the value is proved: searched (`exact`), read from a proved table (`book`), or `none`"),
    ]


class MoveRecord(Value):
    """One move of a game's record. From these a client can draw any position of the game without knowing the rules.

    ``by`` and ``at_ms`` are null where the moves belong to no room, and for the moves that a game began after.
    """

    cell: Annotated[str, Meta(description="the cell, such as `b2`")]
    mark: Annotated[Mark, Meta(description="the mark that filled the cell")]
    by: Annotated[str | None, Meta(description="the player's id, or `engine:LEVEL`")]
    at_ms: Annotated[int | None, Meta(description="when the move was made; null outside a room")]
    removed: Annotated[str | None, Meta(description="the cell whose mark left the board; null for none")]
    decided: Annotated[
        Decided | None, Meta(description="the small board that the move decided; null if it decided none")
    ]


class Decided(Value):
    """The small board that a move of ultimate decided."""

    board: Annotated[int, Meta(description="the small board, 0 to 8")]
    by: Annotated[Mark | Literal["draw"], Meta(description="the winner of the small board, or `draw`")]


class GameRecord(Value):
    """A game move by move, with the players as they sat at its start. ``players`` is null outside a room."""

    variant: VariantKey
    number: Annotated[int | None, Meta(description="the number of the game in its room; null outside a room")]
    players: Annotated[ByMark[SeatView] | None, Meta(description="who held the seats at the start")]
    moves: Annotated[tuple[MoveRecord, ...], Meta(description="the moves, in order")]
    outcome: Annotated[OutcomeView | None, Meta(description="how the game ended; null while it is on")]
    swapped: Annotated[bool, Meta(description="whether O has taken X's side: `players` are those of the start")]
    legal: Annotated[
        tuple[str, ...] | msgspec.UnsetType, Meta(description="the legal moves after the last one; outside a room only")
    ] = msgspec.UNSET


ServerMessage: TypeAlias = Welcome | RoomMessage | Ok | Rejected | Pong | Crowd | ChatMessage | Reaction | Lobby
