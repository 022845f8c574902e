"""Writes room messages as JSON, and reuses the parts that a move does not change.

A move changes a few fields of a view. The other fields are encoded once and joined with those that changed::

    {"type":"room","version":7,"event":EVENT,"you":YOU,"room":
        {"id":…,"version":7 SETTING "game":GAME,"clock":CLOCK,TALLY "expires_ms":…}}

SETTING and TALLY are encoded again only when one of their fields changes. In GAME the lists of moves, marks and legal cells
are extended. :func:`noughts.protocol.views.view` and :func:`noughts.protocol.audience.you` are the definition: this module
writes the same bytes as encoding their values would give.
"""

from __future__ import annotations

from typing import Final

from noughts.protocol.audience import Audience, you
from noughts.protocol.codec import encode
from noughts.protocol.game_writer import GameWriter
from noughts.protocol.messages import OfferView
from noughts.protocol.views import clock_view, view
from noughts.room.events import ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Room, mark_of
from noughts.room.seat import EngineSeat, Seat
from noughts.room.timers import expires_ms

_MESSAGE: Final = b'{"type":"room","version":'
MAX_WRITTEN: Final = 8
"""The most combinations of seats and offers of one room for which the texts of ``you`` are kept."""


class ViewWriter:
    """Writes the messages of one room. It keeps the parts that it wrote last."""

    __slots__ = (
        "_game",
        "_kept_ms",
        "_policy",
        "_room",
        "_setting",
        "_setting_of",
        "_start",
        "_tally",
        "_tally_of",
        "_version",
        "_view",
        "_you",
    )

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._room: Room | None = None
        self._view = b""
        self._version = b""
        self._setting_of: Room | None = None
        self._start = b""
        self._setting = b""
        self._kept_ms = 0
        self._tally_of: Room | None = None
        self._tally = b""
        self._game = GameWriter()
        self._you = _YouWriter(policy)

    def message(self, room: Room, audience: Audience, presence: Presence, event: bytes) -> bytes:
        """Return one room message for an audience. ``event`` is what :func:`event_json` gives."""
        view_text, you_text = self.view(room), self._you.written(room, audience, presence)
        return b"".join(
            (_MESSAGE, self._version, b',"event":', event, b',"you":', you_text, b',"room":', view_text, b"}")
        )

    def view(self, room: Room) -> bytes:
        """Return the view of a room."""
        if room is not self._room:
            self._view = self._write_view(room)
            self._room = room
        return self._view

    def _write_view(self, room: Room) -> bytes:
        last = self._setting_of
        if last is None or not _same_setting(room, last):
            self._write_setting(room)
        last = self._tally_of
        if (
            last is None
            or room.offers is not last.offers
            or room.score is not last.score
            or room.draws != last.draws
            or room.spectator_chat != last.spectator_chat
        ):
            self._write_tally(room)
        game = room.game
        self._version = encode(room.version)
        return b"".join(
            (
                self._start,
                self._version,
                self._setting,
                b"null" if game is None else self._game.written(game, game.outcome is None and not room.closed),
                b',"clock":',
                b"null" if room.clock is None else encode(clock_view(room)),
                self._tally,
                encode(room.used_ms + self._kept_ms),
                b"}",
            )
        )

    def _write_setting(self, room: Room) -> None:
        text = encode(view(room, self._policy))
        start = text.index(b',"variant":')
        # No text in a view has an unescaped quote, so the first match is the key.
        self._start = text[: text.index(b'"version":') + len(b'"version":')]
        self._setting = text[start : text.index(b'"game":', start) + len(b'"game":')]
        self._kept_ms = expires_ms(room, NO_PRESENCE, self._policy) - room.used_ms
        self._setting_of = room

    def _write_tally(self, room: Room) -> None:
        self._tally = b',"offers":%b,"score":%b,"draws":%d,"spectator_chat":"%b","created_ms":%d,"expires_ms":' % (
            encode([OfferView(offer.what, offer.by) for offer in room.offers]),
            encode(room.score),
            room.draws,
            room.spectator_chat.encode(),
            room.created_ms,
        )
        self._tally_of = room


def event_json(event: ViewEvent | None) -> bytes:
    """Return an event as a room message holds it."""
    return b"null" if event is None else encode(event)


def _same_setting(room: Room, last: Room) -> bool:
    """Return whether the fields from ``variant`` to ``seats`` have the same values as in the last room."""
    game, last_game = room.game, last.game
    return (
        room.seats is last.seats
        and room.owner is last.owner
        and room.variant == last.variant
        and room.visibility == last.visibility
        and room.closed == last.closed
        and (
            game is last_game
            or (game is not None and last_game is not None and (game.outcome is None) is (last_game.outcome is None))
        )
    )


class _YouWriter:
    """Writes ``you``, which is what an audience is and can do. It is encoded once for each state that it depends on."""

    __slots__ = ("_last", "_policy", "_presence", "_states", "_texts", "_written")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._last: Room | None = None
        self._presence = NO_PRESENCE
        self._texts: dict[Audience, bytes] = {}
        """The texts for the last room."""
        self._states: dict[int, dict[Audience, bytes]] = {}
        """The texts for each state of the game, with the seats and offers of the last room."""
        self._written: dict[tuple[object, ...], dict[int, dict[Audience, bytes]]] = {}
        """The texts for each state of the game, for different seats and offers."""

    def written(self, room: Room, audience: Audience, presence: Presence) -> bytes:
        """Return the part ``you`` of a message."""
        if room.claimable or room.closed:
            return encode(you(room, audience, presence, self._policy))  # it depends on presence and time as well
        if room is not self._last or presence is not self._presence:
            self._note_changes(room, presence)
        text = self._texts.get(audience)
        if text is None:
            text = self._texts[audience] = encode(you(room, audience, presence, self._policy))
        return text

    def _note_changes(self, room: Room, presence: Presence) -> None:
        last = self._last
        if (
            last is None
            or presence is not self._presence
            or room.seats is not last.seats
            or room.owner is not last.owner
            or room.offers is not last.offers
            or room.muted is not last.muted
            or room.spectator_chat != last.spectator_chat
        ):
            self._note_setting(room, presence)
        self._last, self._presence = room, presence
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
        self._texts = texts

    def _note_setting(self, room: Room, presence: Presence) -> None:
        last = self._last
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


def _kind(seat: Seat | None) -> str:
    """Return the kind of a seat. If its player is present and not muted, nothing else of the seat affects ``can``."""
    if seat is None:
        return "empty"
    if isinstance(seat, EngineSeat):
        return "engine" if seat.holding_for is None else "stand-in"
    return "player"
