"""What the webhook is sent when a public game ends, by a running server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from noughts.app.push.webhook import signature
from tests.support.local_server import local_server
from tests.support.push_service import PushService
from tests.support.rooms import pair


async def test_the_end_of_a_public_game_is_sent_once_and_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with PushService(tmp_path) as service:
        monkeypatch.setenv("SSL_CERT_FILE", str(service.certificate))
        settings: dict[str, Any] = {
            "webhook": service.url("hook"),
            "webhook_secret": "secret",
            "public_url": "https://games.example.org",
        }
        async with local_server(tmp_path, **settings) as server:
            async with pair(server) as unlisted:
                await unlisted.play("a1", "b1", "a2", "b2", "a3")
            async with pair(server, visibility="public") as game:
                await game.play("a1", "b1", "a2", "b2", "a3")
                await service.wait(1)
                await game.x.ok("offer", what="rematch")
                await game.o.ok("offer", what="rematch")
                await game.o.until_room(lambda view: view["game"]["number"] == 2)
                await game.x.ok("resign")  # a game without a move is not announced
                await game.x.ok("offer", what="rematch")
                await game.o.ok("offer", what="rematch")
                await game.x.until_room(lambda view: view["game"]["number"] == 3)  # the marks are swapped each time
                await game.x.move("a1")
                await game.x.ok("resign")
                await service.wait(2)
            await asyncio.sleep(0.3)
    line, resigned = (json.loads(post.body) for post in service.posts)
    assert (line["type"], line["room"], line["variant"], line["moves"]) == ("game_ended", game.id, "classic", 5)
    assert (line["winner"], line["reason"]) == ("X", "line")
    assert line["url"] == "https://games.example.org/replay#classic=a1,b1,a2,b2,a3"
    assert line["text"] == line["content"]
    assert line["text"].startswith("Ann beat Ben after 5 moves of ")
    assert resigned["text"].startswith("Ben beat Ann by resignation after 1 move of ")
    assert resigned["url"].endswith("/replay#classic=a1&over=resignation,O")
    assert line["id"] != resigned["id"]
    for post in service.posts:
        seconds = int(post.headers["Noughts-Signature"].partition(",")[0].removeprefix("t="))
        assert post.headers["Noughts-Signature"] == signature("secret", post.body, seconds)
