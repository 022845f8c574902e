"""Audiences: the four ways to see a room, and what each can do in it now."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from noughts.protocol.messages import You
from noughts.room.game_flow import takeback_ply
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room, RoomGame, mark_of
from noughts.room.seat import EngineSeat, HumanSeat, Seat, holder
from noughts.room.timers import may_claim
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


def you(room: Room, audience: Audience, presence: Presence, policy: Policy) -> You:
    """Return what an audience is and can do now."""
    mark: Mark | None = audience if audience == "X" or audience == "O" else None
    seat_holder = holder(room.seat(mark)) if mark is not None else None
    owner = audience == "owner" or (seat_holder is not None and seat_holder == room.owner.player)
    invite = room.invite if mark is not None or owner else None
    return You(mark, owner, tuple(_can(room, mark, owner, presence, policy)), invite)


def _can(room: Room, mark: Mark | None, owner: bool, presence: Presence, policy: Policy) -> list[str]:
    if room.closed:
        return []
    playing = room.playing
    if mark is None:
        can = _can_sit(room, playing)
    elif playing and room.game is not None:
        can = _can_in_play(room, room.game, mark, presence, policy)
    else:
        can = ["stand"]
        if room.phase == "finished" and not any(offer.by == mark for offer in room.offers):
            can.append("offer:rematch")
    if mark is not None:
        can += [f"answer:{offer.what}" for offer in room.offers]
        if isinstance(room.seat(mark), EngineSeat):
            can.append(f"sit:{mark}")
    if not room.full and (mark is not None or owner):
        can += [f"seat_engine:{side}" for side in MARKS if room.seat(side) is None]
    if policy.chat and _may_speak(room, mark, owner, playing):
        can += _SPEAK
    if owner:
        if not playing:
            can.append("set")
            can += [f"free:{side}" for side in MARKS if _may_free(room, side, presence)]
        can += _OWN
    return can


def _can_sit(room: Room, playing: bool) -> list[str]:
    return [
        f"sit:{mark}" for mark in MARKS if room.seat(mark) is None or (_engines_own(room.seat(mark)) and not playing)
    ]


def _engines_own(seat: Seat | None) -> bool:
    return isinstance(seat, EngineSeat) and seat.holding_for is None


def _can_in_play(room: Room, game: RoomGame, mark: Mark, presence: Presence, policy: Policy) -> list[str]:
    can = ["move"] if game.turn == mark and isinstance(room.seat(mark), HumanSeat) else []
    can.append("resign")
    if not any(offer.by == mark for offer in room.offers):
        can.append("offer:draw")
        if takeback_ply(game, mark) >= 0 or any(offer.what == "takeback" for offer in room.offers):
            can.append("offer:takeback")
    if room.claimable and may_claim(room, other(mark), presence, policy):
        can += ("claim:win", "claim:draw", f"seat_engine:{other(mark)}")
    return can


def _may_free(room: Room, mark: Mark, presence: Presence) -> bool:
    seat = room.seat(mark)
    if isinstance(seat, EngineSeat):
        return True
    return isinstance(seat, HumanSeat) and not presence.is_here(seat.player)


def _may_speak(room: Room, mark: Mark | None, owner: bool, playing: bool) -> bool:
    """Return whether this audience may chat. A spectator who is muted by name may not, but sees the same ``can``."""
    if mark is not None or owner:
        return not room.muted or (holder(room.seat(mark)) if mark else room.owner.player) not in room.muted
    if "spectators" in room.muted or room.spectator_chat == "off":
        return False
    return room.spectator_chat == "always" or not playing
