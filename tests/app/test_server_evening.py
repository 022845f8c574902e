"""An evening of two friends: every command, each sent twice."""

from __future__ import annotations

from tests.conftest import StartServer
from tests.support.player import Api, Message, Socket, enter, friends_room, guest


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
