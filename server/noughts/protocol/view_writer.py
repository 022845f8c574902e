"""Writes room messages as JSON, and reuses the parts that a move does not change.

A move changes a few fields of a view. The other fields are encoded once and joined with those that changed::

    {"type":"room","version":7,"event":EVENT,"you":YOU,"room":
        {"id":…,"version":7 SETTING "game":GAME,"clock":CLOCK,TALLY "expires_ms":…}}

SETTING, TALLY and YOU are encoded again only when one of their fields changes. In GAME the lists of moves, marks and legal
cells are extended. :func:`noughts.protocol.views.view` and :func:`noughts.protocol.audience.you` are the definition: this
module writes the same bytes as encoding their values would give.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from noughts.protocol.audience import Audience, you
from noughts.protocol.codec import encode
from noughts.protocol.game_writer import GameWriter
from noughts.protocol.views import clock_view, view
from noughts.room.events import ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Room, mark_of
from noughts.room.seat import EngineSeat, Seat
from noughts.room.timers import expires_ms

_Setting: TypeAlias = tuple[object, ...]
"""Two of the same room are compared quickly, because their items are the same objects."""

_MESSAGE: Final = b'{"type":"room","version":'
MAX_WRITTEN: Final = 8
"""The most combinations of seats and offers of one room for which the texts of ``you`` are kept."""


class ViewWriter:
    """Writes the messages of one room. It keeps the parts that it wrote last."""

    __slots__ = (
        "_before_event",
        "_before_game",
        "_before_version",
        "_game",
        "_kept_ms",
        "_policy",
        "_presence",
        "_room",
        "_setting",
        "_tally",
        "_view",
        "_you",
        "_you_texts",
    )

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._room: Room | None = None
        self._presence = NO_PRESENCE
        self._before_event = b""
        self._you: dict[Audience, bytes] = {}
        self._view = b""
        """The view behind its key, and the end of the message."""
        self._setting: _Setting = ()
        self._before_version = b""
        self._before_game = b""
        self._tally = b""
        self._kept_ms = 0
        self._game = GameWriter()
        self._you_texts = _YouTexts()

    def message(self, room: Room, audience: Audience, presence: Presence, event: bytes) -> bytes:
        """Return one room message for an audience. ``event`` is what :func:`event_json` gives."""
        if room is not self._room or presence is not self._presence:
            self._take_over(room, presence)
        you_text = self._you.get(audience)
        if you_text is None:
            you_text = self._you[audience] = encode(you(room, audience, presence, self._policy))
        return b"".join((self._before_event, event, b',"you":', you_text, self._view))

    def _take_over(self, room: Room, presence: Presence) -> None:
        """Write everything that does not depend on the audience, and find the texts of ``you`` that are written already."""
        setting = _setting_of(room)
        if setting != self._setting:
            self._setting = setting
            self._write_setting(room)
        if room is not self._room:
            self._write_view(room)
        self._you = self._you_texts.of(room, self._setting, presence)
        self._room, self._presence = room, presence

    def _write_view(self, room: Room) -> None:
        game, version = room.game, encode(room.version)
        self._before_event = b"".join((_MESSAGE, version, b',"event":'))
        self._view = b"".join(
            (
                self._before_version,
                version,
                self._before_game,
                b"null" if game is None else self._game.written(game, game.outcome is None and not room.closed),
                b',"clock":',
                b"null" if room.clock is None else encode(clock_view(room)),
                self._tally,
                encode(room.used_ms + self._kept_ms),
                b"}}",
            )
        )

    def _write_setting(self, room: Room) -> None:
        """Cut the view around the fields that change with a move.

        No text in a view has an unescaped quote. So the first match of a key is the key.
        """
        text = encode(view(room, self._policy))
        version, variant = text.index(b'"version":') + len(b'"version":'), text.index(b',"variant":')
        game = text.index(b'"game":') + len(b'"game":')
        self._before_version = b',"room":' + text[:version]
        self._before_game = text[variant:game]
        self._tally = text[text.index(b',"offers":') : text.index(b'"expires_ms":') + len(b'"expires_ms":')]
        self._kept_ms = expires_ms(room, NO_PRESENCE, self._policy) - room.used_ms


def event_json(event: ViewEvent | None) -> bytes:
    """Return an event as a room message holds it."""
    return b"null" if event is None else encode(event)


def _setting_of(room: Room) -> _Setting:
    """Return everything in a room that no move changes, but the one that ends a game."""
    game = room.game
    return (
        room.seats,
        room.owner,
        room.offers,
        room.score,
        room.draws,
        room.muted,
        room.variant,
        room.visibility,
        room.spectator_chat,
        room.closed,
        game is None or game.outcome is None,
        game is None,
    )


class _YouTexts:
    """Keeps the texts of ``you``, which is what an audience is and can do, for each state on which they depend."""

    __slots__ = ("_presence", "_room", "_setting", "_states", "_written")

    def __init__(self) -> None:
        self._room: Room | None = None
        self._setting: _Setting = ()
        self._presence = NO_PRESENCE
        self._states: dict[int, dict[Audience, bytes]] = {}
        """The texts for each state of the game, with the last seats and offers."""
        self._written: dict[tuple[object, ...], dict[int, dict[Audience, bytes]]] = {}
        """The texts for each state of the game, for different seats and offers."""

    def of(self, room: Room, setting: _Setting, presence: Presence) -> dict[Audience, bytes]:
        """Return the texts that are written already. What the caller adds is kept."""
        if setting is not self._setting or presence is not self._presence:
            self._note_setting(room, presence)
            self._setting = setting
        if room.claimable or room.closed:
            return {}  # they depend on more than the state
        game = room.game
        if game is None or game.outcome is not None:
            state = -2 if game is None else -1
        else:
            # While a game is on, only the turn and the first plies change what can be done.
            ply = game.history.ply
            state = ply if ply < 2 else 2 + (ply & 1)
        texts = self._states.get(state)
        if texts is None:
            texts = self._states[state] = {}
        return texts

    def _note_setting(self, room: Room, presence: Presence) -> None:
        last = self._room
        if (
            last is None
            or presence.away != self._presence.away
            or room.muted != last.muted
            or room.spectator_chat != last.spectator_chat
            # With a player who is muted or away, it matters which players hold the seats.
            or ((room.muted or presence.away) and (room.seats is not last.seats or room.owner is not last.owner))
            or len(self._written) > MAX_WRITTEN
        ):
            self._written.clear()
        seats = room.seats
        setting = (_kind(seats.X), _kind(seats.O), mark_of(room, room.owner.player), room.offers)
        self._states = self._written.setdefault(setting, {})
        self._room, self._presence = room, presence


def _kind(seat: Seat | None) -> str:
    """Return the kind of a seat. If its player is present and not muted, nothing else of the seat affects ``can``."""
    if seat is None:
        return "empty"
    if isinstance(seat, EngineSeat):
        return "engine" if seat.holding_for is None else "stand-in"
    return "player"
