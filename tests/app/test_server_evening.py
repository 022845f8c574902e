"""An evening of two friends: every command, each sent twice, and everything that the server says, as described."""

from __future__ import annotations

from noughts.protocol.asyncapi import MESSAGES
from tests.conftest import StartServer
from tests.support.documents import validator
from tests.support.player import Api, Message, Socket, connect, enter, friends_room, guest
from tests.support.server import RunningServer


async def answer_to(client: Socket, message: Message) -> Message:
    """Send a command and return its answer."""
    await client.send(message)
    return await client.until(lambda answer: answer.get("id") == message["id"])


async def test_a_command_sent_twice_is_carried_out_once(start_server: StartServer) -> None:
    """It gets the same answer on the same connection, on another one, and after a restart of the server."""
    server = start_server()
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    room_answer = await friends_room(server, ann)
    room = room_answer["room"]["id"]
    commands: list[tuple[Api, Message]] = [
        (ben, {"type": "sit", "id": "1", "mark": "O", "invite": room_answer["invite"]}),
        (ann, {"type": "move", "id": "1", "ply": 0, "cell": "b2"}),
        (ann, {"type": "offer", "id": "2", "what": "takeback"}),
        (ben, {"type": "answer", "id": "2", "what": "takeback", "accept": False}),
        (ben, {"type": "chat", "id": "3", "text": "hello"}),
        (ben, {"type": "react", "id": "4", "emoji": "👍"}),
        (ben, {"type": "resign", "id": "5"}),
        (ann, {"type": "offer", "id": "3", "what": "rematch"}),
        (ben, {"type": "answer", "id": "6", "what": "rematch", "accept": True}),
        (ann, {"type": "resign", "id": "4"}),
        (ann, {"type": "set", "id": "5", "spectator_chat": "off"}),
        (ann, {"type": "mute", "id": "6", "player": "spectators", "muted": True}),
        (ben, {"type": "stand", "id": "7"}),
        (ann, {"type": "seat_engine", "id": "7", "mark": "X", "level": "novice"}),
        (ann, {"type": "resign", "id": "8"}),
        (ann, {"type": "free", "id": "9", "mark": "X"}),
    ]
    answers: list[Message] = []

    async def again(view: Message) -> None:
        async with enter(server, room, ann) as x, enter(server, room, ben) as o:
            for (api, message), answer in zip(commands, answers, strict=True):
                assert await answer_to(x if api is ann else o, message) == answer
            assert [line["text"] for line in x.last["chat"]["lines"]] == ["hello"]
        assert await Api(server.url).get(f"/api/rooms/{room}") == view

    async with enter(server, room, ann) as x, enter(server, room, ben) as o:
        for api, message in commands:
            client = x if api is ann else o
            answers.append(await answer_to(client, message))
            assert answers[-1]["type"] == "ok", message
            assert await answer_to(client, message) == answers[-1]
        view = await Api(server.url).get(f"/api/rooms/{room}")
        await again(view)
    server.kill()
    server.start()
    await again(view)  # the players were away for a moment, which is no change of the room


# --- the machine-readable description -----------------------------------------------------------------------------


async def move_at(ply: int, client: Socket, cell: str) -> None:
    """Fill a cell once that many moves are made."""
    await client.until_room(lambda view: len(view["game"]["moves"]) == ply)
    await client.move(cell)


async def test_every_message_of_an_evening_is_as_described(server: RunningServer) -> None:
    """Friends play, chat and part. Every message that a client is sent fits the AsyncAPI document."""
    document = await Api(server.url).get("/api/asyncapi.json")
    message = validator(document, *(kind.__name__ for kind in MESSAGES))
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    room_answer = await friends_room(server, ann, clock={"mode": "fischer", "initial_ms": 60_000, "increment_ms": 0})
    room = room_answer["room"]["id"]
    async with (
        enter(server, room, ann) as x,
        enter(server, room, ben) as o,
        enter(server, room) as watcher,
        connect(server.ws_url, {"lobby": True}) as lobby,
    ):
        await o.ok("sit", mark="O", invite=room_answer["invite"])
        await x.until_room(lambda view: view["phase"] == "playing")
        for ply, cell in enumerate(("b2", "a1", "b1")):
            await move_at(ply, (x, o)[ply % 2], cell)
        assert await watcher.rejected("stand") == "unauthorized"
        assert await o.rejected("move", ply=0, cell="a3") == "stale"
        await o.ok("offer", what="draw")
        await x.until_room(lambda view: view["offers"])
        await x.ok("answer", what="draw", accept=False)
        await x.ok("chat", text="a line")
        await x.ok("react", emoji=x.last["welcome"]["reactions"][0])
        await o.until(lambda seen: seen["type"] == "reaction")
        await x.ask("ping")
        await o.ok("resign")
        await o.ok("offer", what="rematch")
        await x.until_room(lambda view: view["offers"])
        await x.ok("offer", what="rematch")
        await lobby.until(lambda seen: seen["type"] == "lobby")
        await o.ok("resign")
        await x.ok("close")
        assert await watcher.closed() == 4410
        kinds = set()
        for client in (x, o, watcher, lobby):
            for seen in client.seen:
                kinds.add(seen["type"])
                assert message.is_valid(seen), (seen, [str(error) for error in message.iter_errors(seen)])
        assert kinds == {str(kind.__struct_config__.tag) for kind in MESSAGES}
