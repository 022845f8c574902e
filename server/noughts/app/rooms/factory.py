"""Makes rooms, up to the limits on their number."""

from __future__ import annotations

import random

from noughts.app.players.identity import new_id, new_secret
from noughts.app.players.recent_names import RecentNames
from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.circumstances import Circumstances
from noughts.app.rooms.registry import RoomRegistry
from noughts.app.runtime.limits import MAX_ROOMS, MAX_ROOMS_OF_PLAYER
from noughts.errors import Rejection
from noughts.room.clock import ClockSetting
from noughts.room.commands import Visibility
from noughts.room.creation import Opponent, new_room
from noughts.room.seat import Person
from noughts.room.seats import check_level
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.variant import Variant
from noughts.store.contract import RoomStore, StoreUnavailableError


class RoomFactory:
    """Makes rooms."""

    def __init__(
        self,
        rooms: RoomStore,
        registry: RoomRegistry,
        circumstances: Circumstances,
        names: RecentNames,
        rng: random.Random,
        *,
        unlimited: bool,
    ) -> None:
        self._rooms = rooms
        self._registry = registry
        self._circumstances = circumstances
        self._names = names
        self._rng = rng
        self._unlimited = unlimited

    async def create(
        self,
        owner: Person,
        variant: Variant,
        opponent: Opponent,
        mark: Mark | None,
        engines: tuple[str, ...],
        clock: ClockSetting | None,
        visibility: Visibility | None,
    ) -> RoomActor:
        """Make a room and return its actor. With ``mark`` None, the owner's mark is random.

        Raise ``bad_message``, ``too_many_rooms`` or ``unavailable``.
        """
        for level in engines:
            check_level(self._circumstances.policy, variant.key, level)
        if not self._unlimited:
            await self._check_number(owner)
        room = new_room(
            room_id=new_id(),
            invite=new_secret(),
            owner=self._names.current(owner),
            variant=variant,
            opponent=opponent,
            mark=mark if mark is not None else self._rng.choice(MARKS),
            engines=engines,
            clock=clock,
            visibility=visibility,
            now_ms=self._circumstances.clock.now_ms(),
        )
        return await self._registry.create(room)

    async def _check_number(self, owner: Person) -> None:
        try:
            own = len(await self._rooms.rooms_of(owner.player))
            total = await self._rooms.room_count()
        except StoreUnavailableError:
            raise Rejection("unavailable", "The server cannot make a room now: try again.", retry_ms=1_000) from None
        if own >= MAX_ROOMS_OF_PLAYER:
            message = f"You have {own} rooms: close one in its settings, or play on in one of them."
            raise Rejection("too_many_rooms", message, retry_ms=60_000)
        if total >= MAX_ROOMS:
            raise Rejection("too_many_rooms", "The server is full: try again later.", retry_ms=60_000)
