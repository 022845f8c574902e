"""Errors of Redis as sentences."""

from __future__ import annotations

import asyncio
from socket import gaierror

import pytest
from redis.asyncio.connection import DefaultParser
from redis.exceptions import InvalidResponse, RedisError

from noughts.store.redis.failures import LostError, is_elsewhere, is_incapable, reason_of


def error_of(answer: str) -> RedisError:
    """Return an answer of Redis as redis-py reads it: without the codes that it knows."""
    error: RedisError = DefaultParser.parse_error(answer)  # type: ignore[no-untyped-call]
    return error


@pytest.mark.parametrize(
    ("answer", "words", "elsewhere"),
    [
        ("OOM command not allowed when used memory > 'maxmemory'.", "no memory left", False),
        ("MISCONF Redis is configured to save RDB snapshots", "cannot write to its disk", False),
        ("READONLY You can't write against a read only replica.", "replica now", True),
        ("LOADING Redis is loading the dataset in memory", "still reading", True),
        ("NOREPLICAS Not enough good replicas to write.", "too few replicas", False),
        ("WRONGPASS invalid username-password pair or user is disabled.", "--store-password-file", False),
        ("NOPERM this user has no permissions to run the 'x' command", "may not run these commands: x. Add", True),
        ("NOPERM User node has no permissions to access one of the keys", "may not do this: see the ACL", True),
        ("ERR The user executing the script can't run this command or subcommand script: 3dd1", "see the ACL", True),
        ("ERR ACL failure in script: User node has no permissions to run the 'hget' command", "commands: hget", True),
        ("ERR max number of clients reached", "too many clients", False),
        ("ERR something else", "something else", False),
        (
            "ERR Error running script (call to f_3dd1ec): @user_script:98: @user_script: 98: -OOM command not allowed.",
            "no memory left",
            False,
        ),
        (
            "ERR Error running script (call to f_3dd1ec): @user_script:9: @user_script: 9: -READONLY You can't write.",
            "replica now",
            True,
        ),
    ],
)
def test_an_answer_of_redis(answer: str, words: str, elsewhere: bool) -> None:
    error = error_of(answer)
    assert words in reason_of(error)
    assert is_elsewhere(error) is elsewhere


def test_the_words_of_an_unknown_command_are_not_repeated() -> None:
    """Redis 5 does not know HELLO, whose words have the password."""
    answer = "ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `default`, `secret`, "
    error = error_of(answer)
    assert reason_of(error) == "Redis: unknown command `HELLO`"


def test_only_some_errors_concern_every_node() -> None:
    """The others may come from an old primary that the other nodes have left."""
    answers = (
        "OOM full",
        "MISCONF disk",
        "LOADING data",
        "BUSY script",
        "READONLY no",
        "NOREPLICAS few",
    )
    errors = [error_of(answer) for answer in answers]
    assert [is_incapable(error) for error in errors] == [True] * 4 + [False] * 2


def test_other_errors() -> None:
    assert reason_of(LostError("gone")) == "gone"
    assert reason_of(InvalidResponse("gone")) == "Redis: gone"
    assert reason_of(ValueError("a bug")) == "a bug"
    assert not is_elsewhere(LostError("gone"))


@pytest.mark.parametrize(
    ("host", "words"),
    [("127.0.0.1", "Connection refused"), ("no.such.host.invalid", "Name or service not known")],
)
async def test_a_server_that_cannot_be_reached_is_named_once(host: str, words: str) -> None:
    """asyncio's own message repeats the address and a number."""
    with pytest.raises((ConnectionRefusedError, gaierror)) as caught:
        await asyncio.open_connection(host, 1)
    assert reason_of(caught.value) == words
    assert reason_of(ConnectionResetError(104, "Connection reset by peer")) == "Connection reset by peer"
