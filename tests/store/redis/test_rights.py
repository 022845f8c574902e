"""An account of Redis that lacks one right: the node says which, and is not ready."""

from __future__ import annotations

import asyncio
import re
from importlib import resources
from pathlib import Path

import pytest

from noughts.store.contract import StoreUnavailableError
from noughts.store.redis.rights import CALLS
from noughts.store.redis.scripts import Script
from tests.support.redis_server import RedisServer
from tests.support.redis_stores import new_backend
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


async def test_a_node_without_a_right_is_not_ready(redis: RedisServer, tmp_path: Path) -> None:
    """It names the right, and connects once the account has it."""
    redis.command("ACL", "SETUSER", "default", "-hget", "-zscore")
    backend = new_backend(redis, tmp_path)
    try:
        with pytest.raises(StoreUnavailableError, match="may not run these commands: hget, zscore"):
            await backend.store.open()
    finally:
        redis.command("ACL", "SETUSER", "default", "+@all")
    await backend.store.open()
    assert await backend.store.player_count() == 0
    await backend.store.close()


async def test_a_right_that_is_taken_away_is_named(redis: RedisServer, tmp_path: Path) -> None:
    """A node that was ready connects again, and learns which right it lacks."""
    backend = new_backend(redis, tmp_path)
    await backend.store.open()
    redis.command("ACL", "SETUSER", "default", "-zcard")
    reasons: list[str] = []
    try:
        while len(reasons) < 1_000 and not any("may not run these commands: zcard" in reason for reason in reasons):
            try:
                await backend.store.player_count()
            except StoreUnavailableError as error:
                reasons.append(str(error))
                await asyncio.sleep(POLL_S)
    finally:
        redis.command("ACL", "SETUSER", "default", "+@all")
        await backend.store.close()
    assert "may not do this" in reasons[0]
    assert "may not run these commands: zcard" in reasons[-1]
