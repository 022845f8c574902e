"""HTTP responses in tests: raw ones, and rejections in the form of the contract."""

from __future__ import annotations

import aiohttp
from multidict import CIMultiDictProxy

from tests.support.player import Api, Served


async def raw_response(
    server: Served, method: str, path: str, data: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, CIMultiDictProxy[str], bytes]:
    """Return status, headers and body. Nothing is added to the request, and the body is not decompressed."""
    async with (
        aiohttp.ClientSession(auto_decompress=False, skip_auto_headers=["Accept-Encoding"]) as session,
        session.request(method, server.url + path, data=data, headers=headers, allow_redirects=False) as answer,
    ):
        return answer.status, answer.headers, await answer.read()


async def rejection(
    api: Api, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
) -> tuple[int, str]:
    """Send a request that must be rejected in the form of the contract. Return status and code."""
    status, answer = await api.call(method, path, body, headers)
    assert set(answer) == {"error"}, (status, answer)
    assert set(answer["error"]) <= {"code", "message", "ply"}
    assert answer["error"]["message"].endswith((".", "!", "?")) or answer["error"]["code"] == "bad_message"
    return status, answer["error"]["code"]
