"""The examples of docs/protocol.md, run: the calls and the bot against a real server, the messages against the types."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest

from noughts.protocol import asyncapi
from noughts.protocol.asyncapi import COMMANDS, MESSAGES
from noughts.protocol.codec import decode_command, decode_hello
from tests.project.reading import blocks, text_of
from tests.support.documents import validator

PAGE = text_of("docs/protocol.md")
EXAMPLES = [json.loads(line) for block in blocks(PAGE, "json") for line in block.splitlines()]
DIRECT = {**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["type"])
def test_messages_are_as_the_types_say(example):
    text = json.dumps(example)
    if example["type"] == "hello":
        assert decode_hello(text) is not None
    elif example["type"] in {command.__struct_config__.tag for command in COMMANDS} and "id" in example:
        decode_command(text)
    else:
        message = validator(asyncapi.described(), *(kind.__name__ for kind in MESSAGES))
        assert message.is_valid(example), [str(wrong) for wrong in message.iter_errors(example)]


def test_the_calls_do_what_the_page_says(server, tmp_path):
    """All of them in one shell, in their order."""
    assert shutil.which("curl"), "this test needs curl: sudo apt install curl"
    calls = blocks(PAGE, "sh")
    assert len(calls) >= 5
    script = "\n".join(["set -eu", *(f"{call}\necho" for call in calls)])
    ran = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**DIRECT, "SERVER": server.url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    answers = [json.loads(line) for line in ran.stdout.splitlines() if line.strip()]
    player, me, room, analysis, missing = answers
    assert player["player"]["name"] == me["player"]["name"] == "Ann"
    assert room["url"] == f"{room['watch_url']}#i={room['invite']}"
    assert [position["verdict"]["value"] for position in analysis["positions"]] == ["draw", "draw", "win"]
    assert missing["error"]["code"] == "unknown_room"


def test_the_bot_plays(server, tmp_path):
    (code,) = blocks(PAGE, "python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    bot = tmp_path / "bot.py"
    bot.write_text(code)
    ran = subprocess.run(
        [sys.executable, str(bot), server.url], env=DIRECT, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    moves, _, outcome = ran.stdout.partition("] ")
    assert len(ast.literal_eval(moves + "]")) >= 5
    assert ast.literal_eval(outcome)["reason"] in ("line", "full_board")
