"""The HTTP endpoints of a server, with their answers as the types of the protocol."""

from __future__ import annotations

import asyncio
from typing import Final, TypeVar

import aiohttp
import msgspec

from noughts.client.connection import MAX_MESSAGE, UNAVAILABLE_MS, UNAVAILABLE_TRIES, no_server
from noughts.client.errors import ConnectError, Rejected, RoomGone
from noughts.protocol.codec import encode

TIMEOUT: Final = aiohttp.ClientTimeout(total=30.0, sock_connect=10.0)

Answer = TypeVar("Answer")


class _Error(msgspec.Struct):
    code: str
    message: str


class _Rejection(msgspec.Struct):
    error: _Error


class Endpoints:
    """Calls the endpoints of one server, as one player or without a token."""

    def __init__(self, url: str, token: str | None, unavailable_ms: int = UNAVAILABLE_MS) -> None:
        self._unavailable_ms = unavailable_ms
        self.url = url
        self.token = token
        # Not decompressed, because a few kilobytes could become gigabytes.
        self._http = aiohttp.ClientSession(
            timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}, auto_decompress=False
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    async def get(self, path: str, answer: type[Answer], **query: str) -> Answer:
        """Return the answer to a GET, which is asked again while the server has no time for it.

        Raise Rejected, RoomGone or ConnectError.
        """
        for tries in range(1, UNAVAILABLE_TRIES):
            try:
                return await self.call("GET", path, answer, query=query)
            except Rejected as rejection:
                if rejection.code != "unavailable":
                    raise
                await asyncio.sleep((rejection.retry_ms or self._unavailable_ms * tries) / 1_000)
        return await self.call("GET", path, answer, query=query)

    async def call(
        self,
        method: str,
        path: str,
        answer: type[Answer],
        body: msgspec.Struct | None = None,
        query: dict[str, str] | None = None,
    ) -> Answer:
        """Return the answer to one request. Raise Rejected, RoomGone or ConnectError."""
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        data = None
        if body is not None:
            data, headers["Content-Type"] = encode(body), "application/json"
        try:
            async with self._http.request(
                method, self.url + path, data=data, params=query, headers=headers, allow_redirects=False
            ) as response:
                content, status = await _content(response), response.status
                retry_ms = _retry_ms(response.headers.get("Retry-After", ""))
        except TimeoutError:
            raise ConnectError(f"The server at {self.url} does not answer: try again later.") from None
        except (aiohttp.ClientConnectorError, aiohttp.ServerDisconnectedError, ConnectionError) as error:
            raise ConnectError(
                f"No server can be reached at {self.url}: {_reason(error)}. Start it, or check the URL."
            ) from None
        except (aiohttp.ClientError, ValueError) as error:
            raise no_server(self.url, _reason(error)) from None
        try:
            if status < 300:
                return msgspec.json.decode(content, type=answer)
            rejection = msgspec.json.decode(content, type=_Rejection).error
        except msgspec.DecodeError:
            raise no_server(self.url, f"it answered {status}") from None
        if rejection.code == "unknown_room":
            raise RoomGone("The room does not exist or has expired: ask for another link, or make a room.")
        raise Rejected(rejection.code, rejection.message, retry_ms)


async def _content(response: aiohttp.ClientResponse) -> bytes:
    """Return the body of an answer. Raise ValueError for one that is longer than any of a Noughts server."""
    content = b""
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > MAX_MESSAGE:
            raise ValueError(f"it answered with more than {MAX_MESSAGE} bytes")
    return content


def _retry_ms(header: str) -> int | None:
    return int(header) * 1_000 if header.isdecimal() else None


def _reason(error: Exception) -> str:
    """Return what the operating system says, where it says anything."""
    cause = getattr(error, "os_error", error)
    return getattr(cause, "strerror", None) or str(error) or type(error).__name__
