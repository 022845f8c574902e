"""The configuration of Redis: a node has the permissions that it needs, and no others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.project.reading import ROOT
from tests.support.player import enter, friends_room, guest
from tests.support.redis_server import RedisError, RedisFarm, RedisServer, redis_farm

REDIS = ROOT / "deploy" / "redis"
PASSWORD = "correct-horse"


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[RedisFarm]:
    with redis_farm(tmp_path / "farm") as farm:
        yield farm


@pytest.fixture
def redis(farm: RedisFarm, tmp_path: Path) -> RedisServer:
    """Start Redis with the settings and the accounts of deploy/, and a password for the nodes."""
    lines = [
        line.split(None, 1) for line in (REDIS / "redis.conf").read_text().splitlines() if re.match(r"[a-z]", line)
    ]
    settings = {name.replace("-", "_"): value.strip('"') for name, value in lines}
    for name in ("bind", "dir", "aclfile", "protected_mode"):
        del settings[name]
    accounts = tmp_path / "users.acl"
    text = (REDIS / "users.acl").read_text().replace("0" * 64, hashlib.sha256(PASSWORD.encode()).hexdigest(), 1)
    accounts.write_text(f"{text}user operator on >{PASSWORD} ~* &* +@all\n")  # it asks what Redis denied
    return farm.server(aclfile=accounts, **settings)


async def test_a_node_has_the_permissions_that_it_needs(
    redis: RedisServer, start_server: StartServer, tmp_path: Path
) -> None:
    """Play, chat and leave through a node: Redis denies nothing."""
    secret = tmp_path / "password"
    secret.write_text(PASSWORD)
    server = start_server(store=f"redis://noughts@127.0.0.1:{redis.port}", store_password_file=secret, workers=1)
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    answer = await friends_room(server, ann)
    room = answer["room"]["id"]
    async with enter(server, room, ann) as x, enter(server, room, ben) as o:
        await o.ok("sit", mark="O", invite=answer["invite"])
        await x.ok("move", game=1, ply=0, cell="b2")
        await o.ok("chat", text="Hello")
    assert server.stop() == 0
    assert "NOPERM" not in server.log
    assert PASSWORD not in server.log
    assert redis.command("ACL", "LOG", account="operator", password=PASSWORD) == []


@pytest.mark.parametrize("words", [("FLUSHALL",), ("KEYS", "*"), ("CONFIG", "SET", "save", ""), ("GET", "other")])
def test_a_node_has_no_other_permissions(redis: RedisServer, words: tuple[str, ...]) -> None:
    with pytest.raises(RedisError, match="NOPERM"):
        redis.command(*words, account="noughts", password=PASSWORD)


def test_nobody_else_may_do_anything(redis: RedisServer) -> None:
    with pytest.raises(RedisError, match="NOAUTH"):
        redis.command("PING")
