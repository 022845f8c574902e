"""Endpoints of subscriptions to notices."""

from __future__ import annotations

import asyncio
import base64
import binascii
from typing import Final

import structlog
from aiohttp import web

from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.requests import ADDRESS, base_url, body_of, player_of
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.push.contact import NO_CONTACT, push_contact
from noughts.app.push.quiet_hours import zone_of
from noughts.app.runtime.limits import SUBSCRIPTIONS, SUBSCRIPTIONS_ADDRESS
from noughts.app.runtime.push_hosts import Endpoint, checked_endpoint, endpoint_url, is_public
from noughts.errors import Rejection
from noughts.protocol.bodies import Nothing, PushKey, Subscribe, Unsubscribe
from noughts.store.contract import Subscription

RESOLVE_S: Final = 3.0
"""Seconds that the server waits for the addresses of an endpoint's host. They are checked again for each notice."""

log = structlog.get_logger()


class PushEndpoints:
    """Shows the server's key, and stores and deletes subscriptions."""

    def __init__(
        self,
        parts: NodeParts,
    ) -> None:
        self._config = parts.config
        self._store = parts.backend.store
        self._guests = parts.guests
        self._limits = parts.limits
        self._office = parts.post_office
        self._keys = parts.post_office.keys
        self._clock = parts.state.clock
        self._is_on = push_contact(parts.config) is not None
        self._is_logged = not parts.config.push
        """Whether the log says why notices are off, or the operator has chosen that."""

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the contract that are answered here."""
        return (
            row("pushKey", self.key),
            row("subscribe", self.subscribe),
            row("unsubscribe", self.unsubscribe),
        )

    async def key(self, request: web.Request) -> web.Response:
        if not self._is_on and not self._is_logged:
            self._is_logged = True
            log.warning(NO_CONTACT)
        return json_response(PushKey((await self._keys.key()).public if self._is_on else None))

    async def subscribe(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        self._check_on()
        body = await body_of(request, Subscribe)
        endpoint = checked_endpoint(body.endpoint, self._config.push_hosts)
        encryption = await self._keys.encryption()
        p256dh, auth = _decoded(body.keys.p256dh), _decoded(body.keys.auth)
        if not encryption.is_point(p256dh) or len(auth) != encryption.AUTH_BYTES:
            raise Rejection("bad_message", "The keys are not those of a subscription: send the ones of the browser.")
        subscription = Subscription(
            endpoint.url,
            person.player,
            encryption.unpadded(p256dh),
            encryption.unpadded(auth),
            body.zone if body.zone is not None and zone_of(body.zone) is not None else "",
            base_url(request, self._config),
            self._clock.now_ms(),
        )
        stored = await self._store.subscriptions(person.player)
        if subscription in [each._replace(made_ms=subscription.made_ms) for each in stored]:
            return json_response(Nothing(), 201)  # each page sends it, in case a restored server has lost it
        await self._limits.take_shared(SUBSCRIPTIONS, person.player)
        await self._limits.take_for_address(SUBSCRIPTIONS_ADDRESS, request[ADDRESS])
        await self._check_addresses(endpoint)
        self._office.note_network(person.player, request[ADDRESS])
        if not await self._store.subscribe(subscription):
            raise Rejection("unauthorized", "This player was deleted: make another with POST /api/players.")
        return json_response(Nothing(), 201)

    async def unsubscribe(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        self._check_on()
        body = await body_of(request, Unsubscribe)
        await self._store.unsubscribe(endpoint_url(body.endpoint), person.player)
        return json_response(Nothing())

    def _check_on(self) -> None:
        if not self._is_on:
            raise Rejection("forbidden", "This server sends no notices.")

    async def _check_addresses(self, endpoint: Endpoint) -> None:
        """Raise ``bad_message`` if the host has a private address. A host that cannot be resolved now passes."""
        if endpoint.private:
            return
        try:
            async with asyncio.timeout(RESOLVE_S):
                addresses = await self._office.lookups.addresses(endpoint.host, 443)
        except (OSError, UnicodeError, TimeoutError):
            return
        if not all(map(is_public, addresses)):
            raise Rejection("bad_message", "The endpoint leads into a private network: send the one of the browser.")


def _decoded(text: str) -> bytes:
    """Return the bytes of base64url, with or without padding; none for other text."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
