"""What a client in a room talks to."""

from __future__ import annotations

from noughts.app.delivery.connection import Connection
from noughts.app.machines.replies import Reply, rejection_of
from noughts.app.machines.wing import Door, nameless
from noughts.app.rooms.on_node import RoomOnNode, RoomRegistry
from noughts.app.runtime.limits import CHAT, CHAT_ADDRESS, REACTIONS, Limits
from noughts.app.runtime.tasks import Tasks
from noughts.protocol.codec import decode_command
from noughts.room.commands import Chat, React, Request, RoomCommand, Visible
from noughts.room.idempotency import command_key
from noughts.room.seat import Person


class RoomDoor(Door):
    """Takes the commands of one client for its room."""

    __slots__ = ("_actor", "_connection", "_limits", "_registry", "_tasks")

    def __init__(
        self, registry: RoomRegistry, actor: RoomOnNode, connection: Connection, limits: Limits, tasks: Tasks
    ) -> None:
        self._registry = registry
        self._actor = actor
        self._connection = connection
        self._limits = limits
        self._tasks = tasks

    decode = staticmethod(decode_command)

    def submit(self, person: Person | None, command: RoomCommand | Visible, reply: Reply) -> None:
        if person is None:
            raise nameless()
        if type(command) is Visible:
            self._actor.visible_changed(self._connection, visible=command.visible)
            reply(self._actor.room.version)
            return
        request, key = Request(person, command), command_key(person.player, command.id)
        if type(command) is Chat or type(command) is React:
            self._connection.pause()
            self._tasks.run(self._talk(request, key, reply))
        else:
            self._actor.submit(request, key, reply)

    async def _talk(self, request: Request, key: tuple[str, str], reply: Reply) -> None:
        """Submit chat or a reaction once the limit that all nodes share allows it. No further frame is read before that."""
        limit = CHAT if type(request.command) is Chat else REACTIONS
        try:
            await self._limits.take_shared(limit, request.by.player)
            if limit is CHAT:
                await self._limits.take_for_address(CHAT_ADDRESS, self._connection.address)
            self._actor.submit(request, key, reply)
        except Exception as error:
            reply(rejection_of(error, type(request.command).__name__))
        finally:
            self._connection.resume()

    def lag_measured(self) -> None:
        self._actor.lag_measured()

    def resend(self) -> None:
        self._actor.resend(self._connection)

    def leave(self) -> None:
        self._registry.leave(self._actor, self._connection)
