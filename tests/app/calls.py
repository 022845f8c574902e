"""HTTP calls in tests: as raw as they can be, and refusals."""

from __future__ import annotations

import aiohttp


async def raw(server, method, path, data=None, headers=None):
    """Status, headers and body as bytes, nothing added and nothing unpacked."""
    async with (
        aiohttp.ClientSession(auto_decompress=False, skip_auto_headers=["Accept-Encoding"]) as session,
        session.request(method, server.url + path, data=data, headers=headers, allow_redirects=False) as answer,
    ):
        return answer.status, answer.headers, await answer.read()


async def refusal(api, method, path, body=None, headers=None):
    """Status and code of a call that is refused, in the contract's form."""
    status, answer = await api.call(method, path, body, headers)
    assert set(answer) == {"error"}, (status, answer)
    assert set(answer["error"]) <= {"code", "message", "ply"}
    assert answer["error"]["message"].endswith((".", "!", "?")) or answer["error"]["code"] == "bad_message"
    return status, answer["error"]["code"]
