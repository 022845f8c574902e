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
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import structlog
from msgspec.structs import replace

from noughts.app.machines.errand import Errand, Postponed
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.replies import RETRY_MS
from noughts.app.machines.repository import Repository
from noughts.app.push.contact import push_contact
from noughts.app.push.posts import Answer, Pause
from noughts.app.push.quiet_hours import reminder_ms, zone_of
from noughts.app.rooms.on_node import HOLDER_WAIT_MS, RoomOnNode
from noughts.app.runtime.limits import NOTICES_OF_PLAYER, NOTICES_OF_ROOM
from noughts.app.runtime.push_hosts import HTTPS_PORT, checked_endpoint
from noughts.errors import Rejection
from noughts.room.clock import DaysClock
from noughts.room.commands import Noticed
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE
from noughts.room.room import Notice, Room, RoomGame
from noughts.room.seat import Names, holder, shown_name
from noughts.room.timers import flag_at_ms, notice_at_ms, notice_of_turn, untold_turn_ms
from noughts.rules.outcome import other
from noughts.store.contract import StoreUnavailableError, Subscription

DAY_MS: Final = 86_400_000
FAILING_MS: Final = 7 * DAY_MS
"""How long deliveries to a subscription may fail before the server deletes it."""
FULL_MS: Final = 60_000
"""When a notice is tried again for which the queue had no place, or which failed."""
UNTOLD_MS: Final = 60_000
"""How often a node looks again at a turn whose player sees the page. So the deadline in the store stays near, and a node
that starts after a crash finds the turn."""

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

    def noticed(self, remind_at_ms: int | None) -> Noticed:
        """Return the command that notes the notice in the room."""
        return Noticed(self.settled.game, self.settled.ply, self.settled.takebacks, remind_at_ms)

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


class Notifier(Errand[RoomOnNode, Room, _Turn]):
    """Sends the notices of the rooms that this node holds."""

    fault_retry_ms = FULL_MS

    def __init__(self, parts: NodeParts, policy: Policy, rooms: Repository[Room]) -> None:
        super().__init__(parts.state, parts.tasks)
        self._policy = policy
        self._rooms = rooms
        self._store = parts.backend.store
        self._keys = parts.post_office.keys
        self._hosts = parts.config.push_hosts
        self._contact = push_contact(parts.config)
        self._post_office = parts.post_office
        self._coordination = parts.backend.coordination
        self._deliveries = parts.metrics.notices

    def concerns(self, value: Room) -> bool:
        return isinstance(value.clock, DaysClock)

    def due_at_ms(self, actor: RoomOnNode) -> int | None:
        at_ms = notice_at_ms(actor.value, actor.presence, self._policy)
        if at_ms is not None:
            return at_ms if actor.keeps else at_ms + HOLDER_WAIT_MS
        return None if untold_turn_ms(actor.value, self._policy) is None else self._node.clock.now_ms() + UNTOLD_MS

    def about(self, actor: RoomOnNode) -> _Turn:
        return _turn_of(actor.value, actor.connections.names)

    def wanted_by(self, value: Room, about: _Turn) -> bool:
        return about.is_current(value)

    async def answer(self, actor: RoomOnNode, about: _Turn) -> Noticed:
        """Post the notice to each device, once the queue gets to it."""
        try:
            subscriptions = await self._store.subscriptions(about.player)
            if not subscriptions or self._contact is None:
                return about.noticed(None)
            wait_ms = await self._credit_ms(about)
        except StoreUnavailableError:
            raise Postponed(RETRY_MS) from None
        if wait_ms:
            raise Postponed(wait_ms)
        now_ms, zone = self._node.clock.now_ms(), zone_of(subscriptions[0].zone)
        remind_ms = None if about.reminder else reminder_ms(about.game.turn_since_ms, about.deadline_ms, zone)
        if remind_ms is not None and remind_ms <= now_ms:
            remind_ms = None
        posts, office = [], self._post_office
        for subscription in subscriptions:
            post = asyncio.get_running_loop().create_future()
            queue = office.failing_queue if subscription.failing_since_ms else office.queue
            host = urlsplit(subscription.endpoint).hostname or ""
            if queue.put(partial(self._deliver_to, about, subscription, post), office.turn_of(about.player), host):
                posts.append(post)
            else:
                self._deliveries.dropped += 1
        if not posts:
            raise Postponed(FULL_MS)
        if not all(await asyncio.gather(*posts)):
            raise Postponed(RETRY_MS)
        return about.noticed(remind_ms)

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

    async def _deliver_to(
        self, turn: _Turn, subscription: Subscription, post: asyncio.Future[bool], pause: Pause
    ) -> None:
        """Post to one device, and say whether the room could be read. A post that fails is not tried again."""
        read = True
        try:
            read = await self._deliver(turn, subscription, pause)
        except Exception:
            log.exception("a notice failed", room=turn.room.id)
        if not post.done():
            post.set_result(read)

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
            "Authorization": key.authorization(endpoint.origin, self._contact or "", now_ms // 1000),
        }
        body = await asyncio.to_thread(_encrypted, encryption, turn.message(subscription.base), subscription)

        async def is_still_wanted() -> bool:
            with suppress(StoreUnavailableError, Rejection):
                return await self._is_wanted(turn, subscription)
            return False

        answer = await self._post_office.posters[endpoint.private].post(
            endpoint.url, body, headers, pause, is_still_wanted
        )
        with suppress(StoreUnavailableError):
            await self._note(answer, subscription, now_ms)
        return True

    async def _is_wanted(self, turn: _Turn, subscription: Subscription) -> bool:
        """Return whether a room still waits for a turn, and the device is still subscribed.

        Raise ``StoreUnavailableError``, and a ``Rejection`` if the room cannot be read.
        """
        room = await self._rooms.load(turn.room.id)
        endpoints = {device.endpoint for device in await self._store.subscriptions(turn.player)}
        return room is not None and turn.is_current(room) and subscription.endpoint in endpoints

    async def _note(self, answer: Answer, subscription: Subscription, now_ms: int) -> None:
        """Count an answer. Delete the subscription of a device that is gone, or that has been failing for too long."""
        if answer.accepted:
            self._deliveries.sent += 1
            if subscription.failing_since_ms:
                await self._store.note_failure(subscription.endpoint, 0)
            return
        self._deliveries.refused += 1
        self._log_refusal(answer, subscription)
        failing_since_ms = subscription.failing_since_ms or now_ms
        if answer.gone or now_ms - failing_since_ms > FAILING_MS:
            await self._store.unsubscribe(subscription.endpoint, subscription.player)
        elif not subscription.failing_since_ms:
            await self._store.note_failure(subscription.endpoint, now_ms)

    def _log_refusal(self, answer: Answer, subscription: Subscription) -> None:
        """Log a refusal without the endpoint, which is a secret. Each push service and status has lines of its own."""
        url = urlsplit(subscription.endpoint)
        host = url.hostname or ""
        service = next((str(entry) for entry in self._hosts if entry.matches(host, url.port or HTTPS_PORT)), "another")
        reason = "it repeats the endpoint" if url.path.strip("/") and url.path in answer.reason else answer.reason
        log.warning(f"push service {service} refused a notice with status {answer.status}", host=host, reason=reason)


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
