"""The messages of one room as JSON, in parts: what a move leaves as it was is not encoded again.

Each message has these gaps, in the order of the fields of :class:`~noughts.protocol.messages.RoomMessage`::

    {"type":"room","version":_,"event":_,"room":{"id":…,"version":_, … "game":_,"clock":_, … "expires_ms":_},"you":_}
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec.structs import replace

from noughts.protocol.audience import Audience, you
from noughts.protocol.codec import GAP, around_gaps, encode
from noughts.protocol.game_json import GameJson
from noughts.protocol.messages import RoomMessage
from noughts.protocol.views import clock_view, view_around
from noughts.room.events import ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Phase, Room
from noughts.room.seat import Names
from noughts.room.swap import SWAP_PLY, may_swap
from noughts.room.time_gifts import gift_ms
from noughts.room.timers import expires_ms

Stage: TypeAlias = int | tuple[int, bool, bool, bool] | None
MAX_SEATINGS: Final = 16
"""The most seatings for which ``you`` is kept. With each rematch two players change between the same ones."""


class RoomMessages:
    """Encodes the messages of one room: what all audiences share once for each version and event."""

    __slots__ = (
        "_event", "_fixed", "_game", "_names", "_parts", "_phase", "_policy", "_presence", "_room", "_seatings", "_shared",
        "_stage", "_yous",
    )  # fmt: skip

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._room: Room | None = None
        self._event: ViewEvent | None = None
        self._presence: Presence | None = None
        self._names: Names | None = None
        self._fixed: Room | None = None
        """The room without what a move changes."""
        self._game = GameJson()
        self._phase: Phase | None = None
        self._stage: Stage = None
        self._yous: dict[tuple[Audience, Stage], bytes] = {}
        """``you`` as it was encoded for an audience at a stage of the game, and the message's last brace."""
        self._seatings: dict[object, dict[tuple[Audience, Stage], bytes]] = {}

    def message(
        self, room: Room, event: ViewEvent | None, presence: Presence, audience: Audience, names: Names
    ) -> bytes:
        """Return one room message for an audience. Names that change are another object."""
        if (
            room is not self._room
            or event is not self._event
            or presence is not self._presence
            or names is not self._names
        ):
            self._note(room, event, presence, names)
        own = self._yous.get((audience, self._stage))
        if own is None:
            own = encode(you(room, presence, self._policy, audience)) + b"}"
            if not room.claimable:  # a claim depends on the time of the room's last change
                self._yous[audience, self._stage] = own
        return self._shared + own

    def _note(self, room: Room, event: ViewEvent | None, presence: Presence, names: Names) -> None:
        """Encode what all audiences share, and find what was encoded for each audience before."""
        policy, phase = self._policy, room.phase
        fixed = replace(room, version=0, used_ms=0, game=None)
        if fixed != self._fixed or phase != self._phase or presence is not self._presence or names is not self._names:
            shown = view_around(room, names, phase, GAP, GAP, GAP, GAP)
            self._parts = around_gaps(RoomMessage(GAP, GAP, shown, GAP))
            seating = replace(fixed, score=(), draws=0, games=0, series=None), phase, tuple(presence.away)
            if seating not in self._seatings and len(self._seatings) >= MAX_SEATINGS:
                self._seatings.clear()
            self._yous = self._seatings.setdefault(seating, {})
            self._fixed, self._phase, self._presence, self._names = fixed, phase, presence, names
        self._room, self._event, self._stage = room, event, _stage_of(room)
        head, to_event, to_room, to_game, to_clock, to_expiry, to_you, _ = self._parts
        version, game = encode(room.version), room.game
        self._shared = b"".join(
            (
                head,
                version,
                to_event,
                b"null" if event is None else encode(event),
                to_room,
                version,
                to_game,
                b"null" if game is None else self._game.encoded(game, phase == "playing"),
                to_clock,
                b"null" if room.clock is None else encode(clock_view(room, room.clock)),
                to_expiry,
                encode(expires_ms(room, NO_PRESENCE, policy, phase)),
                to_you,
            )
        )


def _stage_of(room: Room) -> Stage:
    """Return all that ``can`` depends on in a game, besides seats, settings, presence and open claims.

    These are the side to move, how many moves may be taken back up to two, and whether a swap or a gift of time is possible.
    """
    game = room.game
    if game is None:
        return None
    ply = game.history.ply
    moves = ply - (game.from_ply or game.swapped)
    stage = 2 * (moves if moves < 2 else 2) + (ply & 1)
    if room.clock is None and not (room.swap and ply == SWAP_PLY):
        return stage
    return stage, may_swap(room), gift_ms(room, "X") > 0, gift_ms(room, "O") > 0
