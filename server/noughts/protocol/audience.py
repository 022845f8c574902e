"""Audiences: the four ways to see a room, and what each can do in it now."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from noughts.protocol.messages import You
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room, mark_of
from noughts.room.seat import EngineSeat, HumanSeat, Seat, holder
from noughts.room.swap import may_swap
from noughts.room.time_gifts import gift_ms
from noughts.room.timers import may_claim
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import MARKS, Mark, other

Audience: TypeAlias = Literal["X", "O", "owner", "everyone"]
"""The holder of X, the holder of O, an owner without a seat, everyone else."""

_SPEAK: Final = ("chat", "react")
_OWN: Final = ("mute", "close")


def audience_of(room: Room, player: str | None) -> Audience:
    """Return the audience of a player. For a nameless spectator, ``player`` is None and the audience ``everyone``."""
    if player is None:
        return "everyone"
    return mark_of(room, player) or ("owner" if room.owner.player == player else "everyone")


def you(room: Room, presence: Presence, policy: Policy, audience: Audience) -> You:
    """Return what an audience is and can do now."""
    mark: Mark | None = audience if audience == "X" or audience == "O" else None
    player = None if mark is None else holder(room.seat(mark))
    owner = audience == "owner" or (player is not None and player == room.owner.player)
    invite = room.invite if mark is not None or owner else None
    return You(mark, owner, tuple(_can(room, presence, policy, mark, owner)), invite)


def _can(room: Room, presence: Presence, policy: Policy, mark: Mark | None, owner: bool) -> list[str]:
    phase, seats, offers = room.phase, room.seats, room.offers
    if phase == "closed":
        return []
    playing = phase == "playing"
    if room.match is not None:
        return _can_in_match(room, presence, policy, mark, owner)
    if mark is None:
        can = _can_sit(seats, playing)
    elif playing:
        can = _can_in_play(room, presence, policy, mark)
    else:
        can = ["stand"]
        if phase == "finished" and not any(offer.by == mark for offer in offers):
            can.append("offer:rematch")
    if mark is not None:
        can += [f"answer:{offer.what}" for offer in offers]
        if isinstance(seats.of(mark), EngineSeat):
            can.append(f"sit:{mark}")
    if mark is not None or owner:
        can += [f"seat_engine:{side}" for side in MARKS if seats.of(side) is None]
    if policy.chat and _may_speak(room, mark, owner, playing):
        can += _SPEAK
    if owner:
        if not playing:
            can.append("set")
            can += [f"free:{side}" for side in MARKS if _may_free(seats.of(side), presence)]
        can += _OWN
    return can


def _can_in_match(room: Room, presence: Presence, policy: Policy, mark: Mark | None, owner: bool) -> list[str]:
    """Return what an audience can do in the room of a match, whose seats and settings are fixed."""
    playing = room.playing
    can: list[str] = []
    if mark is not None and playing:
        can = [each for each in _can_in_play(room, presence, policy, mark) if each not in _NOT_IN_MATCH]
        can += [f"answer:{offer.what}" for offer in room.offers]
    if policy.chat and _may_speak(room, mark, owner, playing):
        can += _SPEAK if room.has_chat else _SPEAK[1:]
    return [*can, "mute"] if owner and room.has_chat else can


_NOT_IN_MATCH: Final = frozenset(("offer:takeback", "seat_engine:X", "seat_engine:O"))


def _can_sit(seats: ByMark[Seat | None], playing: bool) -> list[str]:
    return [f"sit:{mark}" for mark in MARKS if seats.of(mark) is None or (_engines_own(seats.of(mark)) and not playing)]


def _engines_own(seat: Seat | None) -> bool:
    return isinstance(seat, EngineSeat) and seat.holding_for is None


def _can_in_play(room: Room, presence: Presence, policy: Policy, mark: Mark) -> list[str]:
    ply, first = (0, 0) if room.game is None else (room.game.history.ply, room.game.first_ply)
    can = []
    if MARKS[ply & 1] == mark and isinstance(room.seat(mark), HumanSeat):
        can.append("move")
        if mark == "O" and may_swap(room):
            can.append("swap")
    can.append("resign")
    if room.clock is not None and gift_ms(room, mark):
        can.append("give_time")
    if not any(offer.by == mark for offer in room.offers):
        can.append("offer:draw")
        if ply - first > (MARKS.index(mark) - first) % 2 or any(offer.what == "takeback" for offer in room.offers):
            can.append("offer:takeback")
    if may_claim(room, other(mark), presence, policy):
        can += ("claim:win", "claim:draw", f"seat_engine:{other(mark)}")
    return can


def _may_free(seat: Seat | None, presence: Presence) -> bool:
    return isinstance(seat, EngineSeat) or (isinstance(seat, HumanSeat) and not presence.is_here(seat.player))


def _may_speak(room: Room, mark: Mark | None, owner: bool, playing: bool) -> bool:
    """Return whether this audience may chat. A spectator who is muted by name may not, but sees the same ``can``."""
    if mark is not None or owner:
        return (holder(room.seat(mark)) if mark else room.owner.player) not in room.muted
    if "spectators" in room.muted or room.spectator_chat == "off":
        return False
    return room.spectator_chat == "always" or not playing
