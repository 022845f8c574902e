"""Run the examples of docs/reference/protocol.md: requests and the bot against a server, messages against their types."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from noughts.protocol import asyncapi
from noughts.protocol.asyncapi import COMMANDS, MESSAGES
from noughts.protocol.codec import decode_command, decode_hello
from tests.project.reading import blocks, text_of
from tests.support.documents import validator
from tests.support.server import RunningServer

PAGE = text_of("docs/reference/protocol.md")
EXAMPLES = [json.loads(line) for block in blocks(PAGE, "json") for line in block.splitlines()]
DIRECT = {**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["type"])
def test_messages_fit_their_types(example: dict[str, Any]) -> None:
    text = json.dumps(example)
    if example["type"] == "hello":
        assert decode_hello(text) is not None
    elif example["type"] in {command.__struct_config__.tag for command in COMMANDS} and "id" in example:
        decode_command(text)
    else:
        message = validator(asyncapi.described(8_192), *(kind.__name__ for kind in MESSAGES))
        assert message.is_valid(example), [str(error) for error in message.iter_errors(example)]


def test_requests_answer_what_the_page_shows(server: RunningServer, tmp_path: Path) -> None:
    """Run all requests in one shell, in the order of the page."""
    assert shutil.which("curl"), "this test needs curl: sudo apt install curl"
    requests = blocks(PAGE, "sh")
    assert len(requests) >= 5
    script = "\n".join(["set -eu", *(f"{request}\necho" for request in requests)])
    process = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**DIRECT, "SERVER": server.url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    answers = [json.loads(line) for line in process.stdout.splitlines() if line.strip()]
    player, me, room, analysis, missing, cup = answers
    assert player["player"]["name"] == me["player"]["name"] == "Ann"
    assert room["url"] == f"{room['watch_url']}#i={room['invite']}"
    assert [position["verdict"]["value"] for position in analysis["positions"]] == ["draw", "draw", "win"]
    assert missing["error"]["code"] == "unknown_room"
    assert cup["url"].endswith(f"/t/{cup['tournament']['id']}#p={cup['pin']}")


def test_the_bot_plays(server: RunningServer, tmp_path: Path) -> None:
    (code,) = blocks(PAGE, "python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    bot = tmp_path / "bot.py"
    bot.write_text(code)
    process = subprocess.run(
        [sys.executable, str(bot), server.url], env=DIRECT, capture_output=True, text=True, timeout=60, check=False
    )
    assert process.returncode == 0, process.stderr
    moves, _, outcome = process.stdout.partition("] ")
    assert len(ast.literal_eval(moves + "]")) >= 5
    assert ast.literal_eval(outcome)["reason"] in ("line", "full_board")
