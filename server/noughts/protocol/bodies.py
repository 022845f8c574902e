"""The bodies of HTTP requests and responses."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from noughts.errors import Code
from noughts.protocol.messages import (
    BoardMarks,
    LiveRoom,
    OpenRoom,
    OutcomeView,
    PlayerView,
    SeatView,
    SmallBoards,
    VariantKey,
    VerdictView,
    View,
)
from noughts.room.clock import ClockSetting
from noughts.room.commands import Cell, FirstTo, Level, Visibility
from noughts.room.creation import Opponent
from noughts.room.room import Phase
from noughts.rules.outcome import Mark
from noughts.values import Value


class NewPlayer(Value):
    """A new guest. Without a name the server chooses one. A player made with ``bot: true`` is a bot for good."""

    name: Annotated[str | None, Meta(description="the name; else made up in the `Accept-Language`")] = None
    bot: Annotated[bool | None, Meta(description="whether a program runs the player")] = None


class Rename(Value):
    """Another name: 1 to 24 characters, at least one of them visible."""

    name: Annotated[str, Meta(description="the new name")]


class Resume(Value):
    """A resume code, typed from the player's other device."""

    code: Annotated[str, Meta(min_length=1, max_length=64, description="the code that the other device shows")]


class PushKeys(Value):
    """The keys of a subscription in base64url, as a browser makes them."""

    p256dh: Annotated[str, Meta(max_length=128, description="the browser's public key")]
    auth: Annotated[str, Meta(max_length=64, description="the browser's authentication secret")]


class Subscribe(Value):
    """A subscription to notices, as a browser makes it, and the IANA name of the device's time zone."""

    endpoint: Annotated[str, Meta(description="the URL at which the push service takes notices for the device")]
    keys: Annotated[PushKeys, Meta(description="the keys of the subscription")]
    zone: Annotated[str | None, Meta(description="the device's IANA time zone, for quiet hours")] = None


class Unsubscribe(Value):
    """The endpoint of a subscription."""

    endpoint: Annotated[str, Meta(description="the URL at which the push service takes notices for the device")]


class PushKey(Value):
    """The server's public key in base64url, for subscriptions; null where notices are off."""

    key: Annotated[str | None, Meta(description="the key in base64url; null where notices are off")]


class Nothing(Value):
    """An answer without content."""


class NewRoom(Value):
    """A new room. The first game begins after ``moves`` only against the engine, without a clock."""

    variant: VariantKey
    opponent: Annotated[Opponent, Meta(description="who takes the other seat; with `engines` both seats")]
    mark: Annotated[Mark | Literal["random"] | None, Meta(description="your mark; random by default")] = None
    level: Annotated[Level | None, Meta(description="the engine's level; the game's default if absent")] = None
    levels: Annotated[
        Annotated[tuple[Level, ...], Meta(min_length=2, max_length=2)] | None,
        Meta(description="the levels of X and O, for two engines"),
    ] = None
    clock: Annotated[ClockSetting | None, Meta(description="the clock; null for none")] = None
    visibility: Annotated[Visibility | None, Meta(description="whether the lobby lists it")] = None
    moves: Annotated[tuple[Cell, ...], Meta(description="the moves that the first game begins after")] = ()
    first_to: Annotated[
        FirstTo | None, Meta(description="games that a side must win to win the series; null without series")
    ] = None
    swap: Annotated[bool, Meta(description="whether O may take X's side after the first move")] = False


class QuickPlay(Value):
    """The game that the player wants to play against a stranger."""

    variant: VariantKey
    clock: Annotated[ClockSetting | None, Meta(description="the clock; null for none")] = None


class DrawQr(Value):
    """A link to draw as a QR code. It comes in a body because it may hold an invite."""

    text: Annotated[str, Meta(min_length=1, max_length=120, description="the link")]


class PlayerAnswer(Value, omit_defaults=True):
    """A player, with its token where that is new. The token is never shown again."""

    player: Annotated[PlayerView, Meta(description="the player")]
    token: Annotated[str | None, Meta(description="the player's secret, where it is new")] = None


class ResumeCode(Value):
    """A code that moves a player to another device once, until ``expires_ms``."""

    code: Annotated[str, Meta(description="the code to type on the other device")]
    expires_ms: Annotated[int, Meta(description="when it expires")]


class TokenView(Value):
    """One of your tokens. Nobody can come back as you with an ``id``."""

    id: Annotated[str, Meta(description="the id")]
    made_ms: Annotated[int, Meta(description="when the token was made; 0 if that is not known")]
    seen_ms: Annotated[int, Meta(description="the day of the last use; 0 if that is not known")]
    current: Annotated[bool, Meta(description="whether this request used the token")]


class TokensAnswer(Value):
    """All tokens of a player, oldest first."""

    tokens: Annotated[tuple[TokenView, ...], Meta(description="the tokens, oldest first")]


class StrengthView(Value):
    """The measured strength of a level: its wins, draws and losses as shares of its games."""

    level: Annotated[str, Meta(description="the engine's level")]
    against: Annotated[str, Meta(description="the opponent in these games: `random`, `simple` or a level")]
    win: Annotated[float, Meta(description="the share of won games, 0 to 1")]
    draw: Annotated[float, Meta(description="the share of draws, 0 to 1")]
    loss: Annotated[float, Meta(description="the share of lost games, 0 to 1")]
    games: Annotated[int, Meta(description="how many games were played")]


class VariantView(Value):
    """A variant."""

    key: Annotated[str, Meta(description="the key, such as `classic`")]
    name: Annotated[str, Meta(description="its name")]
    rules: Annotated[str, Meta(description="the rules in a sentence")]
    shape: Annotated[tuple[int, ...], Meta(description="columns and rows, and layers in a cube")]
    line: Annotated[int, Meta(description="how many marks in a line end the game")]
    gravity: Annotated[bool, Meta(description="whether a mark falls to the lowest empty cell of its column")]
    misere: Annotated[bool, Meta(description="whether the player who completes a line loses")]
    marks_kept: Annotated[int | None, Meta(description="how many marks each side keeps on the board; null for all")]
    nested: Annotated[bool, Meta(description="whether the board has nine small boards")]
    value: Annotated[VerdictView, Meta(description="the verdict on the empty board")]
    levels: Annotated[tuple[str, ...], Meta(description="the engine's levels, weakest first")]


class StrengthAnswer(Value):
    """The measured strength of every level of a variant, weakest first."""

    variant: VariantKey
    strength: Annotated[tuple[StrengthView, ...], Meta(description="the levels, weakest first")]


class SiteView(Value):
    """What the operator says on every page."""

    name: Annotated[str, Meta(description="the name of the server")]
    welcome: Annotated[str | None, Meta(description="the text above the lobby; null for none")]
    legal_url: Annotated[str | None, Meta(description="the URL of the legal notice; null for none")]
    contact: Annotated[str | None, Meta(description="how to reach the operator, as a URL; null if it is not given")]


class Features(Value):
    """What this server offers besides games. ``public_url`` is its URL in links, null if the operator set none."""

    lobby: Annotated[bool, Meta(description="whether there is a lobby")]
    free_names: Annotated[bool, Meta(description="whether players may choose their names")]
    tournaments: Annotated[bool, Meta(description="whether players can make tournaments")]
    public_url: Annotated[str | None, Meta(description="the server's URL in links; null if the operator set none")]
    site: Annotated[SiteView, Meta(description="the operator's own words")]


class VariantsAnswer(Value):
    """All variants of this server, and what else it offers."""

    variants: Annotated[tuple[VariantView, ...], Meta(description="the variants")]
    features: Annotated[Features, Meta(description="what the server offers besides games")]


class Seen(Value):
    """How a request reached the server."""

    address: Annotated[str, Meta(description="your address, as the server sees it")]
    url: Annotated[str, Meta(description="the server's own URL, with which links begin")]
    unnamed_proxy: Annotated[bool, Meta(description="whether a proxy passed it on that the server does not trust")]
    outlived_proxy: Annotated[
        bool, Meta(description="whether the server has closed an idle connection that a trusted proxy kept")
    ]


class RoomAnswer(Value, omit_defaults=True):
    """A room and the links to it. ``url`` contains the ``invite`` if there is one, ``watch_url`` never does."""

    room: Annotated[View, Meta(description="the room")]
    url: Annotated[str, Meta(description="the link to the room, with the invite if there is one")]
    watch_url: Annotated[str | None, Meta(description="the link for spectators, without the invite")] = None
    invite: Annotated[
        str | None, Meta(description="the secret that lets another player sit down; absent if there is none for you")
    ] = None


class MyRoom(Value, omit_defaults=True):
    """A room in which the player holds a seat, with its current or its last game."""

    id: Annotated[str, Meta(description="the id")]
    variant: VariantKey
    phase: Annotated[
        Phase, Meta(description="`waiting` for players, `playing`, `finished` (the last game is over) or `closed`")
    ]
    mark: Annotated[Mark, Meta(description="your mark")]
    turn: Annotated[Mark | None, Meta(description="the mark to move; null while no game is on")]
    yours: Annotated[bool, Meta(description="whether it is your turn")]
    opponent: Annotated[SeatView | None, Meta(description="the other side")]
    deadline_ms: Annotated[
        int | None, Meta(description="when the time of the side to move is up; null without a clock")
    ]
    used_ms: Annotated[int, Meta(description="when the room last changed")]
    ply: Annotated[int, Meta(description="how many moves were made")]
    outcome: Annotated[OutcomeView | None, Meta(description="how the game ended; null while it is on")]
    marks: BoardMarks
    boards: SmallBoards = msgspec.UNSET


class MyRooms(Value):
    """A player's rooms: first those in which it is the player's turn, then by deadline, then the newest change first."""

    rooms: Annotated[tuple[MyRoom, ...], Meta(description="the rooms")]
    now_ms: Annotated[int, Meta(description="the server's time, from which the deadlines count")]


class OpenRooms(Value):
    """The public rooms that wait for an opponent, newest first."""

    rooms: Annotated[tuple[OpenRoom, ...], Meta(description="the rooms")]


class LiveRooms(Value):
    """The public rooms in which a game is on, newest first."""

    rooms: Annotated[tuple[LiveRoom, ...], Meta(description="the rooms")]


class PositionView(Value):
    """A position of a game. After the end ``best`` is empty and ``complete`` is false."""

    ply: Annotated[int, Meta(description="how many moves were made")]
    turn: Annotated[Mark | None, Meta(description="the mark to move; null after the end")]
    verdict: Annotated[VerdictView | None, Meta(description="the verdict on the position; null after the end")]
    best: Annotated[tuple[str, ...], Meta(description="moves that are proved to keep the value")]
    complete: Annotated[bool, Meta(description="whether `best` lists every move that keeps the value")] = False


class AnalysisAnswer(Value):
    """Every position of a game, from before the first move."""

    positions: Annotated[tuple[PositionView, ...], Meta(description="the positions, from ply 0")]


class VisitedView(Value):
    """Positions that minimax and alpha-beta visit at a position and below it, and how many of them are different."""

    minimax: Annotated[int, Meta(description="positions that minimax visits")]
    alpha_beta: Annotated[int, Meta(description="positions that alpha-beta visits")]
    positions: Annotated[int, Meta(description="how many of the positions are different")]


class MinimaxChild(Value):
    """A move and what both programs do after it. ``returned`` is a bound where alpha-beta stops early."""

    cell: Annotated[str, Meta(description="the cell, such as `b2`")]
    score: Annotated[
        int,
        Meta(description="the score for X: 10 minus the plies to a win, the plies minus 10 to a loss, 0 for a draw"),
    ]
    nodes: Annotated[VisitedView, Meta(description="positions that both searches visit here and below")]
    alpha: Annotated[int | None, Meta(description="the lower bound with which alpha-beta enters")]
    beta: Annotated[int | None, Meta(description="the upper bound with which alpha-beta enters")]
    pruned: Annotated[bool, Meta(description="whether alpha-beta leaves the move out")]
    returned: Annotated[int | None, Meta(description="the value that alpha-beta returns; null if it never enters")]
    outcome: Annotated[OutcomeView | None, Meta(description="how the game ended; null while it is on")]
    children: Annotated[tuple[MinimaxChild, ...], Meta(description="the next moves, as many plies as `depth` asks for")]


class MinimaxAnswer(Value):
    """A position of 3x3 as minimax sees it. ``score`` is for X. A finished game has no children."""

    turn: Annotated[Mark | None, Meta(description="the mark to move; null after the end")]
    outcome: Annotated[OutcomeView | None, Meta(description="how the game ended; null while it is on")]
    score: Annotated[
        int,
        Meta(description="the score for X: 10 minus the plies to a win, the plies minus 10 to a loss, 0 for a draw"),
    ]
    nodes: Annotated[VisitedView, Meta(description="positions that both searches visit here and below")]
    children: Annotated[tuple[MinimaxChild, ...], Meta(description="the moves from here, and what follows them")]


class ErrorView(Value, omit_defaults=True):
    """Why a request is rejected. ``ply`` is the number of moves before an illegal one."""

    code: Annotated[Code, Meta(description="why, as a code from the list below")]
    message: Annotated[str, Meta(description="the reason as a sentence, and what to do")]
    ply: Annotated[int | None, Meta(description="how many moves come before the illegal one")] = None


class ErrorAnswer(Value):
    """The body of every rejection."""

    error: Annotated[ErrorView, Meta(description="what is wrong")]
