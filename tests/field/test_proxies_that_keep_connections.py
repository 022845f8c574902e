"""A proxy that keeps idle connections longer than the server: seven of 48 posts were answered 502."""

from __future__ import annotations

import re
from pathlib import Path

from noughts.app.runtime.limits import KEEP_ALIVE_OF_PROXY_S, KEEP_ALIVE_S

DEPLOY = Path(__file__).parents[2] / "deploy"
LONGEST_DEFAULT_S = 120
"""Of the pools of common proxies: 60, 90 and 120 s."""


def test_the_server_keeps_a_connection_of_a_proxy_longer_than_the_proxy_does() -> None:
    nginx = re.search(r"keepalive_timeout (\d+)s;", (DEPLOY / "nginx" / "noughts.conf").read_text())
    caddy = re.search(r"keepalive (\d+)s", (DEPLOY / "caddy" / "Caddyfile").read_text())
    assert nginx is not None
    assert caddy is not None
    for seconds in (int(nginx[1]), int(caddy[1]), LONGEST_DEFAULT_S):
        assert seconds < KEEP_ALIVE_OF_PROXY_S
    assert KEEP_ALIVE_S == 30.0
