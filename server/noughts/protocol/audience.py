"""Audiences: the four ways to see a room, and what each can do in it now."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from noughts.protocol.messages import You
from noughts.room.commands import SpectatorChat
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import OpenOffer, Phase, Room, mark_of
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat, holder
from noughts.room.timers import may_claim
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import MARKS, Mark, other
from noughts.values import Value

Audience: TypeAlias = Literal["X", "O", "owner", "everyone"]
"""The holder of X, the holder of O, an owner without a seat, everyone else."""

_SPEAK: Final = ("chat", "react")
_OWN: Final = ("mute", "close")


def audience_of(room: Room, player: str | None) -> Audience:
    """Return the audience of a player. For a nameless spectator, ``player`` is None and the audience ``everyone``."""
    if player is None:
        return "everyone"
    return mark_of(room, player) or ("owner" if room.owner.player == player else "everyone")


class AudienceState(Value):
    """Everything that decides what the audiences of a room are and can do. Equal states give equal :class:`You`."""

    phase: Phase
    turn: Mark | None
    moved: int
    """How many sides have made a move."""
    seats: ByMark[Seat | None]
    owner: Person
    offers: tuple[OpenOffer, ...]
    claims: tuple[Mark, ...]
    """The sides whose absence can be claimed."""
    muted: tuple[str, ...]
    spectator_chat: SpectatorChat
    invite: str | None
    absent: tuple[str, ...]
    """The seat holders and the owner, as far as they are not connected."""
    chat: bool
    """Whether the server has a chat."""


def audience_state(room: Room, presence: Presence, policy: Policy) -> AudienceState:
    """Return the state of a room's audiences now."""
    game, phase, claimable = room.game, room.phase, room.claimable
    ply = 0 if game is None else game.history.ply
    return AudienceState(
        phase,
        None if game is None or phase != "playing" else game.turn,
        ply if ply < 2 else 2,
        room.seats,
        room.owner,
        room.offers,
        claimable and tuple([mark for mark in claimable if may_claim(room, mark, presence, policy)]),
        room.muted,
        room.spectator_chat,
        room.invite,
        tuple(presence.away),
        policy.chat,
    )


def you(state: AudienceState, audience: Audience) -> You:
    """Return what an audience is and can do."""
    mark: Mark | None = audience if audience == "X" or audience == "O" else None
    player = None if mark is None else holder(state.seats.of(mark))
    owner = audience == "owner" or (player is not None and player == state.owner.player)
    invite = state.invite if mark is not None or owner else None
    return You(mark, owner, tuple(_can(state, mark, owner)), invite)


def _can(state: AudienceState, mark: Mark | None, owner: bool) -> list[str]:
    if state.phase == "closed":
        return []
    playing, seats, offers = state.phase == "playing", state.seats, state.offers
    if mark is None:
        can = _can_sit(seats, playing)
    elif playing:
        can = _can_in_play(state, mark)
    else:
        can = ["stand"]
        if state.phase == "finished" and not any(offer.by == mark for offer in offers):
            can.append("offer:rematch")
    if mark is not None:
        can += [f"answer:{offer.what}" for offer in offers]
        if isinstance(seats.of(mark), EngineSeat):
            can.append(f"sit:{mark}")
    if mark is not None or owner:
        can += [f"seat_engine:{side}" for side in MARKS if seats.of(side) is None]
    if state.chat and _may_speak(state, mark, owner, playing):
        can += _SPEAK
    if owner:
        if not playing:
            can.append("set")
            can += [f"free:{side}" for side in MARKS if _may_free(seats.of(side), state.absent)]
        can += _OWN
    return can


def _can_sit(seats: ByMark[Seat | None], playing: bool) -> list[str]:
    return [f"sit:{mark}" for mark in MARKS if seats.of(mark) is None or (_engines_own(seats.of(mark)) and not playing)]


def _engines_own(seat: Seat | None) -> bool:
    return isinstance(seat, EngineSeat) and seat.holding_for is None


def _can_in_play(state: AudienceState, mark: Mark) -> list[str]:
    can = ["move"] if state.turn == mark and isinstance(state.seats.of(mark), HumanSeat) else []
    can.append("resign")
    if not any(offer.by == mark for offer in state.offers):
        can.append("offer:draw")
        if state.moved > MARKS.index(mark) or any(offer.what == "takeback" for offer in state.offers):
            can.append("offer:takeback")
    if other(mark) in state.claims:
        can += ("claim:win", "claim:draw", f"seat_engine:{other(mark)}")
    return can


def _may_free(seat: Seat | None, absent: tuple[str, ...]) -> bool:
    return isinstance(seat, EngineSeat) or (isinstance(seat, HumanSeat) and seat.player in absent)


def _may_speak(state: AudienceState, mark: Mark | None, owner: bool, playing: bool) -> bool:
    """Return whether this audience may chat. A spectator who is muted by name may not, but sees the same ``can``."""
    if mark is not None or owner:
        return (holder(state.seats.of(mark)) if mark else state.owner.player) not in state.muted
    if "spectators" in state.muted or state.spectator_chat == "off":
        return False
    return state.spectator_chat == "always" or not playing
