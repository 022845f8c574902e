"""The bodies of HTTP calls and their answers."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from noughts.errors import Code
from noughts.protocol.messages import LiveRoom, OpenRoom, PlayerView, VerdictView, View
from noughts.room.clock import ClockSetting
from noughts.room.commands import Level, Visibility
from noughts.room.creation import Opponent
from noughts.rules.outcome import Mark


class NewPlayer(msgspec.Struct, frozen=True, gc=False):
    """A new guest; without a name one is made up."""

    name: str | None = None


class Rename(msgspec.Struct, frozen=True, gc=False):
    """Another name: 1 to 24 characters, at least one visible."""

    name: str


class Resume(msgspec.Struct, frozen=True, gc=False):
    """A resume code, typed from the player's other device."""

    code: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class NewRoom(msgspec.Struct, frozen=True, gc=False):
    """``level`` is the engine opponent's; ``levels`` those of X and of O where two engines play."""

    variant: str
    opponent: Opponent
    mark: Mark | Literal["random"] | None = None
    level: Level | None = None
    levels: Annotated[tuple[Level, ...], msgspec.Meta(min_length=2, max_length=2)] | None = None
    clock: ClockSetting | None = None
    visibility: Visibility | None = None


class QuickPlay(msgspec.Struct, frozen=True, gc=False):
    """What somebody wants to play with whoever wants the same."""

    variant: str
    clock: ClockSetting | None = None


class DrawQr(msgspec.Struct, frozen=True, gc=False):
    """A link to draw as a QR code; in a body, since it may hold an invite."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=512)]


class PlayerAnswer(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A player; the token is given where one is new, and never again."""

    player: PlayerView
    token: str | None = None


class ResumeCode(msgspec.Struct, frozen=True, gc=False):
    """A code that moves a player to another device once, until ``expires_ms``."""

    code: str
    expires_ms: int


class StrengthView(msgspec.Struct, frozen=True, gc=False):
    """Measured rates of a level, as shares of its games."""

    level: str
    against: str
    win: float
    draw: float
    loss: float
    games: int


class VariantView(msgspec.Struct, frozen=True, gc=False):
    """One of the games. ``value`` is the start position's; ``levels`` are the engine's in this game."""

    key: str
    name: str
    rules: str
    shape: tuple[int, ...]
    line: int
    gravity: bool
    misere: bool
    marks_kept: int | None
    value: VerdictView
    levels: tuple[str, ...]
    strength: tuple[StrengthView, ...]


class Features(msgspec.Struct, frozen=True, gc=False):
    """What this server offers beside games. ``public_url``: what links begin with; null where that is not set."""

    lobby: bool
    free_names: bool
    public_url: str | None


class VariantsAnswer(msgspec.Struct, frozen=True, gc=False):
    """All games of this server, and what else it offers."""

    variants: tuple[VariantView, ...]
    features: Features


class RoomAnswer(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A room, and the links to it. ``url`` invites where the room has an ``invite``; ``watch_url`` never does."""

    room: View
    url: str
    watch_url: str | None = None
    invite: str | None = None


class OpenRooms(msgspec.Struct, frozen=True, gc=False):
    """The public rooms that wait for an opponent, newest first."""

    rooms: tuple[OpenRoom, ...]


class LiveRooms(msgspec.Struct, frozen=True, gc=False):
    """The public rooms in which a game is on, newest first."""

    rooms: tuple[LiveRoom, ...]


class PositionView(msgspec.Struct, frozen=True, gc=False):
    """A position of a game; ``best`` are the moves proved to keep its value. After the last move all is null."""

    ply: int
    turn: Mark | None
    verdict: VerdictView | None
    best: tuple[str, ...]


class AnalysisAnswer(msgspec.Struct, frozen=True, gc=False):
    """Every position of a game, from before the first move."""

    positions: tuple[PositionView, ...]


class ErrorView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Why a call is refused; ``ply`` is the number of moves before an illegal one."""

    code: Code
    message: str
    ply: int | None = None


class ErrorAnswer(msgspec.Struct, frozen=True, gc=False):
    """The body of every refusal."""

    error: ErrorView
