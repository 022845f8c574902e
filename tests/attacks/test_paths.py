"""Paths that try to leave the page's own files, to a server with its default settings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.attacks.addresses import new_address
from tests.support.raw_http import END, exchange, request
from tests.support.server import RunningServer

UP: Final = (
    "../", "..%2f", "..%2F", "%2e%2e/", "%2e%2e%2f", "%252e%252e%252f", "..\\", "..%5c", "....//", "..;/", ".%2e/",
    "%c0%ae%c0%ae/", "\xc0\xae\xc0\xae/", "..%00/", "%2e%2e\\", "..%ef%bc%8f", ".././", "/../", "..%252f",
)  # fmt: skip
"""Spellings of the directory above."""
TARGETS: Final = (
    "etc/passwd",
    "data/noughts.db",
    "data/admin.json",
    "noughts.db",
    "pyproject.toml",
    "noughts/errors.py",
)
DEPTHS: Final = (1, 8)
SECRET: Final = re.compile(rb"root:|SQLite format|\"token\"|build-system|class Rejection")
"""What each target holds."""
A_CONNECTION: Final = 30
"""Requests on one connection."""


async def tree(default_server: RunningServer) -> str:
    """Return the path of the page's files, which names their version."""
    (page, _) = await exchange(default_server, request("GET /") + END, new_address())
    match = re.search(rb"/static/[^/\"]+/", page.body)
    assert match is not None
    return match[0].decode()


@pytest.mark.parametrize("prefix", ["/static/", "TREE", "/", "/r/", "/embed/r/", "/api/rooms/", "/admin/"])
async def test_no_path_leaves_the_pages_files(default_server: RunningServer, prefix: str) -> None:
    root = await tree(default_server) if prefix == "TREE" else prefix
    paths = [root + depth * up + target for up, depth, target in itertools.product(UP, DEPTHS, TARGETS)] + [
        f"{root}{path}" for path in ("/etc/passwd", "file:///etc/passwd", "%00", "C:\\", "~root", ".git/config", ".env")
    ]
    statuses: set[int] = set()
    for some in batches(paths):
        data = b"".join(request(f"GET {path}", "Accept: */*") for path in some)
        for answer in await exchange(default_server, data + END, new_address()):
            statuses.add(answer.status)
            assert not SECRET.search(answer.body), answer
            assert b"Traceback" not in answer.body
    print(f"{prefix}: {len(paths)} paths, statuses {sorted(statuses)}")
    assert statuses <= {200, 400, 401, 404, 405}  # 200 is the request that ends the connection


def batches(paths: list[str]) -> Iterator[tuple[str, ...]]:
    for at in range(0, len(paths), A_CONNECTION):
        yield tuple(paths[at : at + A_CONNECTION])
