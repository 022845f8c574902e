"""The index entry by which the store finds a room: its deadline, its public list, its variant and its people."""

from __future__ import annotations

from noughts.room.policy import Policy
from noughts.room.room import Room, players_of
from noughts.room.seat import HumanSeat
from noughts.room.timers import EXPIRY_STEP_MS, stored_wake_at_ms
from noughts.store.machine_store import IndexEntry, Listing


def listing_of(room: Room) -> Listing | None:
    """Return the public list that a room belongs to; None if it is in no list."""
    if room.visibility != "public" or room.closed:
        return None
    if room.playing:
        return "live"
    return "open" if room.open_to_all else None


def index_entry(room: Room, policy: Policy) -> IndexEntry:
    """Return the entry by which the store finds a room."""
    return IndexEntry(stored_wake_at_ms(room, policy), listing_of(room), room.variant, players_of(room))


def index_change(before: Room, after: Room, policy: Policy) -> IndexEntry | None:
    """Return the index entry of a changed room; None if the entry stays the same."""
    same_people = before.seats is after.seats and before.owner is after.owner and before.variant == after.variant
    if same_people:
        if _plain_move(before, after):
            return None
        if listing_of(before) == listing_of(after) and stored_wake_at_ms(before, policy) == stored_wake_at_ms(
            after, policy
        ):
            return None
    entry = index_entry(after, policy)
    return None if not same_people and entry == index_entry(before, policy) else entry


def _plain_move(before: Room, after: Room) -> bool:
    """Return whether only a move was made, between two players without a clock, that changes no stored deadline."""
    game, last = after.game, before.game
    return (
        game is not None
        and last is not None
        and game.outcome is None
        and last.outcome is None
        and after.clock is None
        and before.visibility == after.visibility
        and (before.used_ms - 1) // EXPIRY_STEP_MS == (after.used_ms - 1) // EXPIRY_STEP_MS
        and type(after.seats.X) is type(after.seats.O) is HumanSeat
    )
