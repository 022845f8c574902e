"""The bodies of HTTP requests and responses."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from noughts.errors import Code
from noughts.protocol.messages import LiveRoom, OpenRoom, OutcomeView, PlayerView, VerdictView, View
from noughts.puzzles.puzzle import Kind
from noughts.room.clock import ClockSetting
from noughts.room.commands import Cell, FirstTo, Level, Visibility
from noughts.room.creation import Opponent
from noughts.room.room import Phase
from noughts.room.seat import Seat
from noughts.rules.outcome import Mark
from noughts.values import Value


class NewPlayer(Value):
    """A new guest. Without a name the server chooses one. A player made with ``bot: true`` is a bot for good."""

    name: str | None = None
    bot: bool | None = None


class Rename(Value):
    """Another name: 1 to 24 characters, at least one of them visible."""

    name: str


class Resume(Value):
    """A resume code, typed from the player's other device."""

    code: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class PushKeys(Value):
    """The keys of a subscription in base64url, as a browser makes them."""

    p256dh: Annotated[str, msgspec.Meta(max_length=128)]
    auth: Annotated[str, msgspec.Meta(max_length=64)]


class Subscribe(Value):
    """A subscription to notices, as a browser makes it, and the IANA name of the device's time zone."""

    endpoint: str
    keys: PushKeys
    zone: str | None = None


class Unsubscribe(Value):
    """The endpoint of a subscription."""

    endpoint: str


class PushKey(Value):
    """The server's public key in base64url, for subscriptions; null where notices are off."""

    key: str | None


class Nothing(Value):
    """An answer without content."""


class NewRoom(Value):
    """A new room. ``level`` is that of an engine opponent; ``levels`` are those of X and O when two engines play.

    ``moves`` are those that the first game begins after, against the engine and without a clock.
    """

    variant: str
    opponent: Opponent
    mark: Mark | Literal["random"] | None = None
    level: Level | None = None
    levels: Annotated[tuple[Level, ...], msgspec.Meta(min_length=2, max_length=2)] | None = None
    clock: ClockSetting | None = None
    visibility: Visibility | None = None
    moves: tuple[Cell, ...] = ()
    first_to: FirstTo | None = None
    swap: bool = False


class QuickPlay(Value):
    """The game that the player wants to play against a stranger."""

    variant: str
    clock: ClockSetting | None = None


class DrawQr(Value):
    """A link to draw as a QR code. It comes in a body because it may hold an invite."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=120)]


class PlayerAnswer(Value, omit_defaults=True):
    """A player, with its token where that is new. The token is never shown again."""

    player: PlayerView
    token: str | None = None


class ResumeCode(Value):
    """A code that moves a player to another device once, until ``expires_ms``."""

    code: str
    expires_ms: int


class TokenView(Value):
    """One of your tokens: when it was made, and when it was last used, by the day; 0 if that is not known.

    ``current`` marks the token of this request. Nobody can come back as you with an ``id``.
    """

    id: str
    made_ms: int
    seen_ms: int
    current: bool


class TokensAnswer(Value):
    """All tokens of a player, oldest first."""

    tokens: tuple[TokenView, ...]


class StrengthView(Value):
    """The measured strength of a level: its wins, draws and losses as shares of its games."""

    level: str
    against: str
    win: float
    draw: float
    loss: float
    games: int


class VariantView(Value):
    """A variant. ``value`` is the verdict on the empty board, ``levels`` the engine's, weakest first.

    ``nested`` means a board of nine small boards.
    """

    key: str
    name: str
    rules: str
    shape: tuple[int, ...]
    line: int
    gravity: bool
    misere: bool
    marks_kept: int | None
    nested: bool
    value: VerdictView
    levels: tuple[str, ...]


class StrengthAnswer(Value):
    """The measured strength of every level of a variant, weakest first."""

    variant: str
    strength: tuple[StrengthView, ...]


class Features(Value):
    """What this server offers besides games. ``public_url`` is its URL in links, null if the operator set none."""

    lobby: bool
    free_names: bool
    tournaments: bool
    public_url: str | None


class VariantsAnswer(Value):
    """All variants of this server, and what else it offers."""

    variants: tuple[VariantView, ...]
    features: Features


class RoomAnswer(Value, omit_defaults=True):
    """A room and the links to it. ``url`` contains the ``invite`` if there is one, ``watch_url`` never does."""

    room: View
    url: str
    watch_url: str | None = None
    invite: str | None = None


class MyRoom(Value, omit_defaults=True):
    """A room in which the player holds a seat.

    ``turn`` is null while no game is on, ``yours`` says that it is the player's turn. ``deadline_ms`` is when the time of
    the side to move is up, null without a clock. ``used_ms`` is the time of the room's last change. ``ply``, ``outcome``,
    ``marks`` and ``boards`` are those of the current or the last game.
    """

    id: str
    variant: str
    phase: Phase
    mark: Mark
    turn: Mark | None
    yours: bool
    opponent: Seat | None
    deadline_ms: int | None
    used_ms: int
    ply: int
    outcome: OutcomeView | None
    marks: dict[str, Mark]
    boards: tuple[Mark | Literal["draw"] | None, ...] | msgspec.UnsetType = msgspec.UNSET


class MyRooms(Value):
    """A player's rooms: first those in which it is the player's turn, then by deadline, then the newest change first."""

    rooms: tuple[MyRoom, ...]


class OpenRooms(Value):
    """The public rooms that wait for an opponent, newest first."""

    rooms: tuple[OpenRoom, ...]


class LiveRooms(Value):
    """The public rooms in which a game is on, newest first."""

    rooms: tuple[LiveRoom, ...]


class PositionView(Value):
    """A position of a game. ``best`` are the moves proved to keep its value; ``complete`` says whether no other keeps it.

    After the end ``turn`` and ``verdict`` are null, ``best`` is empty and ``complete`` is false.
    """

    ply: int
    turn: Mark | None
    verdict: VerdictView | None
    best: tuple[str, ...]
    complete: bool = False


class AnalysisAnswer(Value):
    """Every position of a game, from before the first move."""

    positions: tuple[PositionView, ...]


class PuzzleView(Value, omit_defaults=True):
    """A position in which exactly one move keeps the value. ``moves`` led to it; ``plies`` is how long a win or loss takes.

    ``boards`` and ``forced`` are given in ultimate, ``fading`` in vanishing, as in a room's game.
    """

    id: str
    variant: str
    kind: Kind
    grade: int
    moves: tuple[str, ...]
    marks: dict[str, Mark]
    turn: Mark
    legal: tuple[str, ...]
    plies: int | None
    boards: tuple[Mark | Literal["draw"] | None, ...] | msgspec.UnsetType = msgspec.UNSET
    forced: int | msgspec.UnsetType | None = msgspec.UNSET
    fading: str | msgspec.UnsetType | None = msgspec.UNSET


class PuzzleAnswer(Value):
    """The next puzzle, null if none fits, and how many fit."""

    puzzle: PuzzleView | None
    count: int


class DailyPuzzle(Value):
    """The puzzle of a day: the same on every server of a version."""

    puzzle: PuzzleView
    date: str


class PuzzleTry(Value):
    """The solver's first move, the reply to it, the solver's second move, and so on. ``give_up`` asks for the line."""

    moves: Annotated[tuple[str, ...], msgspec.Meta(max_length=64)] = ()
    give_up: bool = False


class PuzzlePosition(Value, omit_defaults=True):
    """The position after a try: what the board shows, and where the solver may play next."""

    moves: tuple[str, ...]
    marks: dict[str, Mark]
    turn: Mark | None
    legal: tuple[str, ...]
    outcome: OutcomeView | None
    boards: tuple[Mark | Literal["draw"] | None, ...] | msgspec.UnsetType = msgspec.UNSET
    forced: int | msgspec.UnsetType | None = msgspec.UNSET
    fading: str | msgspec.UnsetType | None = msgspec.UNSET


class PuzzleJudgement(Value):
    """The judgement of a try. ``line`` is given once the puzzle is solved or given up.

    After a wrong move ``reply`` is the move that punishes it. ``verdict`` is that of the position after the last move or the
    reply to it, null after the end of the game. ``position`` is that position, and the end of the line after giving up.
    """

    right: bool
    reply: str | None
    done: bool
    line: tuple[str, ...] | None
    verdict: VerdictView | None
    position: PuzzlePosition


class VisitedView(Value):
    """Positions that minimax and alpha-beta visit at a position and below it, and how many of them are different."""

    minimax: int
    alpha_beta: int
    positions: int


class MinimaxChild(Value):
    """A move and what both programs do after it. ``alpha`` and ``beta`` are null where alpha-beta never enters.

    ``returned`` is what alpha-beta returns there: a bound where it stops early. ``children`` has the next plies, as many as
    the request's ``depth`` asks for.
    """

    cell: str
    score: int
    nodes: VisitedView
    alpha: int | None
    beta: int | None
    pruned: bool
    returned: int | None
    outcome: OutcomeView | None
    children: tuple[MinimaxChild, ...]


class MinimaxAnswer(Value):
    """A position of 3x3 as minimax sees it. ``score`` is for X. A finished game has no children."""

    turn: Mark | None
    outcome: OutcomeView | None
    score: int
    nodes: VisitedView
    children: tuple[MinimaxChild, ...]


class ErrorView(Value, omit_defaults=True):
    """Why a request is rejected. ``ply`` is the number of moves before an illegal one."""

    code: Code
    message: str
    ply: int | None = None


class ErrorAnswer(Value):
    """The body of every rejection."""

    error: ErrorView
