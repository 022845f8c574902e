"""An account of Redis that lacks one right: the node says which, and is not ready."""

from __future__ import annotations

import asyncio
import re
from importlib import resources
from pathlib import Path

from noughts.store.redis.rights import CALLS
from noughts.store.redis.scripts import Script
from tests.conftest import StartServer
from tests.support.player import WAIT_S, Api, guest
from tests.support.redis_server import RedisServer
from tests.support.waiting import POLL_S

BY_ITSELF = {"SET", "EXISTS", "DEL"}


def test_every_command_of_a_script_is_tried() -> None:
    scripts = resources.files("noughts.store.redis") / "lua"
    texts = [script.read_text() for script in scripts.iterdir() if script.name.endswith(".lua")]
    commands = {name for text in texts for name in re.findall(r"redis\.p?call\('([A-Z]+)'", text)}
    assert commands <= set(CALLS) | BY_ITSELF


def test_each_missing_right_is_found(redis: RedisServer, prefix: str) -> None:
    """Nothing of the trial stays, and with all rights nothing is missing."""
    script = Script("rights", prefix).text
    calls = [" ".join((command, *words)) for command, words in CALLS.items()]

    def missing() -> list[str]:
        answer: list[str] = redis.command("EVAL", script, 1, f"{prefix}rights", *calls)
        return answer

    assert missing() == []
    assert redis.keys(f"{prefix}*") == []
    for right in (*CALLS, *BY_ITSELF):
        redis.command("ACL", "SETUSER", "default", f"-{right.lower()}")
        try:
            assert missing() == [right], right
        finally:
            redis.command("ACL", "SETUSER", "default", "+@all")


async def test_a_node_that_loses_a_right_names_it_once(
    redis: RedisServer, start_server: StartServer, tmp_path: Path
) -> None:
    """Its calls fail, so it is not ready and says why. One line of the log has the command, however many calls fail."""
    server = start_server(store=f"redis://127.0.0.1:{redis.port}", store_prefix="rights", workers=1)
    api = Api(server.url)
    ann = await guest(server.url, "Ann")
    reason = "Redis's user may not run these commands: hget. Add them to its ACL"
    redis.command("ACL", "SETUSER", "default", "-hget")
    try:
        async with asyncio.timeout(WAIT_S):
            while True:
                await ann.call("POST", "/api/rooms", {"variant": "classic", "opponent": "engine"})
                status, body = await api.call("GET", "/readyz")
                if status == 503 and reason in body["why"]:
                    break
                await asyncio.sleep(POLL_S)
    finally:
        redis.command("ACL", "SETUSER", "default", "+@all")
    async with asyncio.timeout(WAIT_S):
        while (await api.call("GET", "/readyz"))[0] != 200:
            pass
    assert server.log.count("may not run these commands: hget") == 1
    assert server.stop() == 0
