"""Acts on what other nodes say."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.wing import Wing
from noughts.app.node.roll_call import RollCall
from noughts.store.contract import StoreUnavailableError
from noughts.store.machine_store import Change
from noughts.store.relay import Notice, Reconnected

log = structlog.get_logger()


class OtherNodes:
    """Acts on the messages of other nodes: a change is for the wing of its kind."""

    def __init__(self, parts: NodeParts, wings: Sequence[Wing], roll_call: RollCall) -> None:
        self._wings = wings
        self._registries = {wing.kind: wing.registry for wing in wings if wing.registry is not None}
        self._guests = parts.guests
        self._bans = parts.bans
        self._hub = parts.hub
        self._relay = parts.backend.relay
        self._tasks = parts.tasks
        self._roll_call = roll_call

    async def hear(self) -> None:
        """Act on messages from other nodes, in their order, until cancelled.

        Changes and presence are acted on before the next message is waited for, and so before later answers of the store.
        """
        while True:
            message = await self._relay.received()
            try:
                if isinstance(message, Change):
                    self._registries[message.kind].changed_elsewhere(message)
                elif isinstance(message, Reconnected):
                    for registry in self._registries.values():
                        registry.read_again()
                    self._tasks.run(self._catch_up())
                elif not isinstance(message, Notice):
                    for wing in self._wings:
                        wing.hear(message)
                elif message.kind in ("roll call", "roster"):
                    self._roll_call.receive(message)
                else:
                    self._tasks.run(self._act_on(message))
            except Exception:
                log.exception("a message from another node failed")

    async def _catch_up(self) -> None:
        """Learn of the deleted guests and tokens and the bans whose notices may have been lost."""
        self._guests.forget_all_cached()
        try:
            await self._bans.read()
            deleted = await self._guests.deleted(self._hub.players())
            void = await self._guests.void_tokens(self._hub.tokens())
        except StoreUnavailableError:
            return  # the connection is lost again, and another Reconnected follows
        for player in deleted:
            self._hub.close_player(player)
        for token_hash in void:
            self._hub.close_token(token_hash)
        for address in self._bans.listed():
            self._hub.close_banned(address)

    async def _act_on(self, notice: Notice) -> None:
        if notice.kind in ("renamed", "deleted"):
            self._guests.forget_cached(notice.subject)
            for registry in self._registries.values():
                await registry.rename({notice.subject: notice.text})
            if notice.kind == "deleted":
                self._hub.close_player(notice.subject)
        elif notice.kind == "token_deleted":
            self._guests.forget_cached(notice.subject)
            self._hub.close_token(bytes.fromhex(notice.text))
        else:
            await self._bans.read()
            if notice.kind == "banned":
                self._hub.close_banned(notice.subject)
