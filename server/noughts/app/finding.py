"""What a room is found by in the store: told anew only when it is other than before."""

from __future__ import annotations

from noughts.room.due import stored_wake_at_ms
from noughts.room.room import House, Room
from noughts.room.seat import Person, Seat, holder
from noughts.store.contract import Found, Listing


class Finding:
    """What the store knows of one room beside the room itself."""

    __slots__ = ("_house", "_players", "_who", "stored")

    def __init__(self, house: House) -> None:
        self.stored: Found | None = None
        """What the store has; None when that is not known."""
        self._house = house
        self._who: tuple[Seat | None, Seat | None, Person | None] = (None, None, None)
        self._players: tuple[str, ...] = ()

    def of(self, room: Room) -> Found:
        """What this room is to be found by."""
        listing: Listing | None = None
        if room.visibility == "public" and not room.closed:
            listing = "live" if room.playing else "open" if room.open_to_all else None
        x, o, owner = self._who
        if x is not room.x or o is not room.o or owner is not room.owner:
            self._who = (room.x, room.o, room.owner)
            players = {holder(room.x), holder(room.o), room.owner.player}
            self._players = tuple(sorted(player for player in players if player is not None))
        return Found(stored_wake_at_ms(room, self._house), listing, room.variant, self._players)

    def news(self, room: Room) -> Found | None:
        """The same, or None when the store has it already."""
        found = self.of(room)
        return None if found == self.stored else found
