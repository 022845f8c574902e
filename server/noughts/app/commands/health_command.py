"""``noughts health``: ask a running server whether it can store a move. A health check runs this every few seconds."""

from __future__ import annotations

import argparse
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from noughts.app.runtime.addresses import local_url
from noughts.app.runtime.config import settings_of
from noughts.command_line import UsageError, command_parser

ANSWER_S: Final = 4.0
"""The server answers within 2 s, also when its store does not."""


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return 0 if the server is ready, 1 if it is not or does not answer."""
    parser = command_parser("health")
    parser.add_argument(
        "--url", help="the server's URL; default: the URL of NOUGHTS_HOST, NOUGHTS_PORT and NOUGHTS_BASE_PATH"
    )
    parsed = parser.parse_args(arguments[1:])
    url = (parsed.url or _own_url(parsed)).rstrip("/") + "/readyz"
    try:
        request = urllib.request.Request(url)
    except ValueError:
        raise UsageError("--url needs a URL such as http://127.0.0.1:8000") from None
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=ANSWER_S) as answer:
            ready = json.load(answer)["status"] == "ready"
        print("ready" if ready else f"not ready: {url} is not a server of Noughts")
        return 0 if ready else 1
    except urllib.error.HTTPError as error:
        print(f"not ready: {_reason(error)}")
    except urllib.error.URLError as error:
        print(f"not ready: {url} does not answer: {error.reason}")
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        print(f"not ready: {url} gives no answer of Noughts")
    return 1


def _own_url(parsed: argparse.Namespace) -> str:
    """Return the URL of a server on this machine that has the same environment. Raise :class:`UsageError`."""
    config = settings_of(parsed)
    return local_url((config.host, config.port)) + config.base_path


def _reason(error: urllib.error.HTTPError) -> str:
    """Return why a server is not ready. It says so to its own machine and to trusted addresses only."""
    with suppress(OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return str(json.load(error)["why"])
    return f"status {error.code}"
