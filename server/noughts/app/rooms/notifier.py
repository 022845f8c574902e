"""Notices: tells a player over Web Push that it is their turn in a room with a clock of days.

A notice is sent first and noted in the room then. After a crash in between it is sent again. The topic lets the second one
replace the first on the player's device.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Final, NamedTuple

import structlog
from msgspec.structs import replace

from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.replies import RETRY_MS
from noughts.app.push.posts import Answer, Pause
from noughts.app.push.quiet_hours import reminder_ms, zone_of
from noughts.app.rooms.actor import RoomActor, RoomRegistry
from noughts.app.runtime.limits import NOTICES_OF_PLAYER, NOTICES_OF_ROOM
from noughts.app.runtime.push_hosts import checked_endpoint
from noughts.errors import Rejection
from noughts.room.commands import Noticed
from noughts.room.presence import NO_PRESENCE
from noughts.room.room import Notice, Room, RoomGame
from noughts.room.seat import Names, holder, shown_name
from noughts.room.timers import flag_at_ms, notice_of_turn
from noughts.rules.outcome import other
from noughts.store.contract import StoreUnavailableError, Subscription

DAY_MS: Final = 86_400_000
FAILING_MS: Final = 7 * DAY_MS
"""How long deliveries to a subscription may fail before the server deletes it."""
FULL_MS: Final = 60_000
"""When a notice is tried again for which the queue had no place."""

log = structlog.get_logger()


class _Turn(NamedTuple):
    """The turn that a notice is about. ``settled`` is what the room notes once the notice has been sent."""

    room: Room
    game: RoomGame
    player: str
    opponent: str
    settled: Notice
    reminder: bool
    deadline_ms: int

    def is_current(self, room: Room) -> bool:
        """Return whether a newer state of the room still waits for this turn."""
        return room.game is not None and room.playing and notice_of_turn(room, room.game) == self.settled

    def message(self, base: str) -> bytes:
        """Return what the device receives."""
        fields = {
            "type": "turn",
            "room": self.room.id,
            "game": self.game.number,
            "variant": self.room.variant,
            "opponent": self.opponent,
            "ply": self.game.history.ply,
            "url": f"{base}/r/{self.room.id}",
            **({"reminder": True} if self.reminder else {}),
        }
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def topic_of(room_id: str) -> str:
    """Return the topic of a room's notices: 32 characters of base64url that do not show the room's id."""
    return hashlib.sha256(room_id.encode()).hexdigest()[:32]


class Notifier:
    """Sends the notices of the rooms that this node holds."""

    def __init__(self, parts: NodeParts, registry: RoomRegistry) -> None:
        office = parts.post_office
        self._registry = registry
        self._store = parts.backend.store
        self._keys = office.keys
        self._hosts = parts.config.push_hosts
        self._posters = office.posters
        self._queue, self._failing_queue = office.queue, office.failing_queue
        self._coordination = parts.backend.coordination
        self._node = parts.state
        self._tasks = parts.tasks
        self._deliveries = parts.metrics.notices

    def consider(self, actor: RoomActor) -> None:
        """Begin to send the notice of the present turn if it is due."""
        at_ms = actor.visitors.notice_at_ms(actor.room)
        if at_ms is None or at_ms > self._node.clock.now_ms() or actor.closed:
            return
        actor.visitors.noticing = True
        self._tasks.run(self._notify(actor, _turn_of(actor.room, actor.connections.names)))

    async def _notify(self, actor: RoomActor, turn: _Turn) -> None:
        """Put a post for each device into the queue; the last of them settles the notice."""
        retry_ms = RETRY_MS
        try:
            subscriptions = await self._store.subscriptions(turn.player)
            if not subscriptions:
                retry_ms = 0
                await self._settle(actor, turn, None)
                return
            retry_ms = await self._credit_ms(turn)
            if not retry_ms:
                retry_ms = self._enqueue(actor, turn, subscriptions)
                if not retry_ms:
                    return  # the last post ends the notice
        except StoreUnavailableError:
            retry_ms = RETRY_MS
        except Exception:
            log.exception("a notice failed", room=turn.room.id)
            retry_ms = FULL_MS
        actor.notice_ended(retry_ms)

    async def _credit_ms(self, turn: _Turn) -> int:
        """Use a credit of the room and one of the player for today. Return 0, or the milliseconds to wait."""
        room, player = NOTICES_OF_ROOM, NOTICES_OF_PLAYER
        wait_ms = await self._coordination.take_credit(room.name, turn.room.id, room.rate)
        if wait_ms:
            return wait_ms
        now_ms = self._node.clock.now_ms()
        today = f"{turn.player} {now_ms // DAY_MS}"
        wait_ms = await self._coordination.take_credit(player.name, today, player.rate)
        if wait_ms:
            await self._coordination.give_credit(room.name, turn.room.id, room.rate)
        return min(wait_ms, DAY_MS - now_ms % DAY_MS)

    def _enqueue(self, actor: RoomActor, turn: _Turn, subscriptions: Sequence[Subscription]) -> int:
        """Put the posts into the queue. Return 0, or the milliseconds after which to try again if it is full."""
        now_ms, zone = self._node.clock.now_ms(), zone_of(subscriptions[0].zone)
        remind_ms = None if turn.reminder else reminder_ms(turn.game.turn_since_ms, turn.deadline_ms, zone)
        if remind_ms is not None and remind_ms <= now_ms:
            remind_ms = None
        waiting, read = 0, True

        async def deliver(subscription: Subscription, pause: Pause) -> None:
            """Post to one device. A post that is cancelled, because the server stops, leaves the notice unsettled."""
            nonlocal waiting, read
            try:
                read = await self._deliver(turn, subscription, pause) and read
            except Exception:
                log.exception("a notice failed", room=turn.room.id)
            waiting -= 1
            if not waiting and read:
                await self._settle(actor, turn, remind_ms)
            elif not waiting:
                actor.notice_ended(RETRY_MS)

        for subscription in subscriptions:
            queue = self._failing_queue if subscription.failing_since_ms else self._queue
            waiting += queue.put(partial(deliver, subscription), turn.player)
        self._deliveries.dropped += len(subscriptions) - waiting
        return 0 if waiting else FULL_MS

    async def _settle(self, actor: RoomActor, turn: _Turn, remind_at_ms: int | None) -> None:
        """Note the notice in the room, unless the turn has passed."""
        retry_ms, settled = 0, turn.settled
        try:
            await actor.tell(Noticed(settled.game, settled.ply, settled.takebacks, remind_at_ms))
        except Rejection as rejection:
            retry_ms = RETRY_MS if rejection.code == "unavailable" else 0
        actor.notice_ended(retry_ms)

    async def _deliver(self, turn: _Turn, subscription: Subscription, pause: Pause) -> bool:
        """Post the notice to one device while it is wanted. Return False if the room cannot be read now."""
        try:
            is_wanted = await self._is_wanted(turn, subscription)
            key, encryption = await self._keys.key(), await self._keys.encryption()
            endpoint = checked_endpoint(subscription.endpoint, self._hosts)
        except StoreUnavailableError:
            return False
        except Rejection as rejection:  # the room is closed, or the list of hosts is another one now
            self._deliveries.dropped += 1
            return rejection.code != "unavailable"
        now_ms = self._node.clock.now_ms()
        if not is_wanted:
            self._deliveries.dropped += 1
            return True
        headers = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(max(0, (turn.deadline_ms - now_ms) // 1000)),
            "Topic": topic_of(turn.room.id),
            "Urgency": "normal",
            "Authorization": key.authorization(endpoint.origin, subscription.base, now_ms // 1000),
        }
        body = await asyncio.to_thread(_encrypted, encryption, turn.message(subscription.base), subscription)

        async def is_still_wanted() -> bool:
            with suppress(StoreUnavailableError, Rejection):
                return await self._is_wanted(turn, subscription)
            return False

        answer = await self._posters[endpoint.private].post(endpoint.url, body, headers, pause, is_still_wanted)
        with suppress(StoreUnavailableError):
            await self._note(answer, subscription, now_ms)
        return True

    async def _is_wanted(self, turn: _Turn, subscription: Subscription) -> bool:
        """Return whether a room still waits for a turn, and the device is still subscribed.

        Raise ``StoreUnavailableError``, and a ``Rejection`` if the room cannot be read.
        """
        room = await self._registry.read(turn.room.id)
        endpoints = {device.endpoint for device in await self._store.subscriptions(turn.player)}
        return turn.is_current(room) and subscription.endpoint in endpoints

    async def _note(self, answer: Answer, subscription: Subscription, now_ms: int) -> None:
        """Count an answer. Delete the subscription of a device that is gone, or that has been failing for too long."""
        if answer.accepted:
            self._deliveries.sent += 1
            if subscription.failing_since_ms:
                await self._store.note_failure(subscription.endpoint, 0)
            return
        self._deliveries.refused += 1
        failing_since_ms = subscription.failing_since_ms or now_ms
        if answer.gone or now_ms - failing_since_ms > FAILING_MS:
            await self._store.unsubscribe(subscription.endpoint, subscription.player)
        elif not subscription.failing_since_ms:
            await self._store.note_failure(subscription.endpoint, now_ms)


def _turn_of(room: Room, names: Names) -> _Turn:
    """Return the present turn of a room whose notice is due."""
    game = room.game
    player = None if game is None else holder(room.seat(game.history.turn))
    deadline_ms = flag_at_ms(room, NO_PRESENCE)
    if game is None or player is None or deadline_ms is None:
        raise ValueError("no player is waited for")
    settled = notice_of_turn(room, game)
    reminder = room.notice is not None and replace(room.notice, remind_at_ms=None) == settled
    opponent = shown_name(room.seat(other(game.history.turn)), names)
    return _Turn(room, game, player, opponent, settled, reminder, deadline_ms)


def _encrypted(encryption: ModuleType, message: bytes, subscription: Subscription) -> bytes:
    """Return the body of a post to the push service of a device."""
    keys = [base64.urlsafe_b64decode(f"{key}==") for key in (subscription.p256dh, subscription.auth)]
    body: bytes = encryption.encrypt(message, *keys, secrets.token_bytes)
    return body
