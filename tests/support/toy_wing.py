"""A third kind of machine for a whole server: the counter of :mod:`tests.support.toy_machine` as a wing."""

from __future__ import annotations

from typing import Any, cast

import msgspec
from aiohttp import web

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.routes import Row
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.actor import ActorParts
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.registry import Registry, SharedRegistry
from noughts.app.machines.replies import Reply
from noughts.app.machines.repository import Repository
from noughts.app.machines.scheduler import Scheduler
from noughts.app.machines.wing import Door, Wing, nameless
from noughts.app.players.identity import new_id
from noughts.errors import Rejection
from noughts.protocol.codec import MalformedCommandError, encode
from noughts.room.seat import Person
from noughts.values import Value
from tests.support.toy_machine import TOY, Add, Disown, Remove, SetAlarm, Toy, ToyKind, ToyOnNode


class ToyCommand(Value):
    """A command on the wire. With ``alarm_ms`` it sets the alarm, else it adds."""

    id: str
    add: int = 0
    alarm_ms: int | None = None


class ToyClient:
    """A connection to a counter, as the counter sees it."""

    def __init__(self, connection: Connection) -> None:
        self.person = connection.person
        self.name = "" if connection.person is None else connection.person.name
        self.send = connection.send
        self.messages = self

    def append(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self.send(encode({"type": TOY, **message}))


class ToyDoor(Door):
    """Takes the commands of one client for its counter."""

    def __init__(self, registry: Registry[ToyOnNode, Toy], actor: ToyOnNode, client: Any) -> None:
        self._registry = registry
        self._actor = actor
        self._client = client

    def decode(self, text: str, /) -> ToyCommand:
        try:
            return msgspec.json.decode(text, type=ToyCommand)
        except msgspec.DecodeError as error:
            raise MalformedCommandError(None, Rejection("bad_message", str(error))) from None

    def submit(self, person: Person | None, command: ToyCommand, reply: Reply) -> None:
        order = Add(command.add) if command.alarm_ms is None else SetAlarm(command.alarm_ms)
        if person is None:
            raise nameless()
        self._actor.submit(order, (person.player, command.id), reply)

    def leave(self) -> None:
        self._registry.leave(self._actor, self._client)


class Toys(Wing):
    """Everything about counters on one node."""

    kind = TOY
    registry: Registry[ToyOnNode, Toy]

    def __init__(self, parts: NodeParts) -> None:
        node, self._store = parts.state, parts.backend.store.machines(TOY)
        kind, wakes = ToyKind(), Deadlines(node.clock)
        values: Repository[Toy] = Repository(kind, self._store, node)
        registry_class = SharedRegistry if parts.backend.store.shared else Registry
        self.registry = registry_class(ToyOnNode, ActorParts(kind, values, wakes, node, parts.tasks))
        self._scheduler = Scheduler(wakes, self.registry, node, self._store, parts.tasks, lambda actor: None)
        self.work = (self._scheduler.wake_due, self._scheduler.poll_deadlines)
        self.rows = (Row("POST", "/api/toys", self._create), Row("GET", "/api/toys/{id}", self._show))

    async def enter(self, id: str, connection: Connection, page: str) -> ToyDoor:
        client = cast(Any, ToyClient(connection))
        return ToyDoor(self.registry, await self.registry.enter(id, client, page), client)

    async def _create(self, request: web.Request) -> web.Response:
        actor = await self.registry.create(Toy(new_id(), owner=(await request.json())["owner"]))
        return json_response({"id": actor.id}, 201)

    async def _show(self, request: web.Request) -> web.Response:
        return json_response(await self.registry.read(request.match_info["id"]))

    async def close(self, id: str) -> bool:
        return await self.registry.close(id, _remove)

    async def forget(self, player: str) -> None:
        for id in await self._store.ids_of(player):
            await (await self.registry.open(id)).tell(Disown())

    async def begin(self) -> None:
        await self._scheduler.learn_clocks()


async def _remove(actor: ToyOnNode) -> None:
    await actor.tell(Remove())
