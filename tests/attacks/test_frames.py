"""Frames by the rules of RFC 6455 and against them, to a server with its default settings."""

from __future__ import annotations

import asyncio
import contextlib
import json

from tests.attacks.addresses import new_address
from tests.attacks.frame_cases import GROUPS, Case, cases, command
from tests.support.player import guest
from tests.support.raw_websocket import LOBBY_HELLO, PONG, TEXT, RawSocket, client_frame, handshake
from tests.support.server import RunningServer

LEAST_CASES = 470
STEP = 9
SHORT_BYTES = 200
LAST = "last"
HELLO = client_frame(TEXT, LOBBY_HELLO)


async def answers(client: RawSocket, case: Case) -> str:
    """Return an empty text once the server has answered all that the case waits for; else what is missing."""
    ids, pongs = {*case.ids, LAST}, list(case.pongs)
    try:
        while ids or pongs:
            opcode, content = await client.frame()
            if opcode == TEXT:
                ids.discard(json.loads(content).get("id"))
            elif opcode == PONG and content in pongs:
                pongs.remove(content)
            elif opcode not in (TEXT, PONG):
                return f"a frame {opcode} with {content[:40]!r}"
    except (asyncio.IncompleteReadError, ConnectionError, TimeoutError) as error:
        return f"{error!r} before {ids} and {pongs}"
    return ""


async def send(client: RawSocket, frames: bytes, step: int) -> None:
    """Send frames in pieces of ``step`` bytes, until the server closes the connection."""
    with contextlib.suppress(ConnectionError):
        for at in range(0, len(frames), step):
            client.writer.write(frames[at : at + step])
            await client.writer.drain()


async def failure(default_server: RunningServer, case: Case, *, slowly: bool = False) -> str:
    """Send the frames of a case, byte by byte if ``slowly``. Return an empty text if the server does as it must.

    A server that closes while bytes still come resets the connection, and the client may lose the close code with it.
    """
    async with handshake(default_server, address=new_address()) as client:
        frames = HELLO + case.frames
        if not case.codes:
            frames += client_frame(TEXT, command(LAST))
        await send(client, frames, 1 if slowly else len(frames))
        if not case.codes:
            return await answers(client, case)
        code = await client.close_code()
        return "" if code in case.codes or (slowly and code is None) else f"{code} instead of {sorted(case.codes)}"


async def test_a_frame_is_answered_as_the_rfc_says(default_server: RunningServer) -> None:
    """All cases run without a network in ``test_connection.py``. Some of them come here, whole and byte by byte."""
    every = [(group, *case) for group in GROUPS for case in cases(group)]
    names = {(group, name) for group, name, _ in every}
    assert len(names) == len(every) >= LEAST_CASES
    some = every[::STEP]
    for group, name, case in some:
        assert await failure(default_server, case) == "", (group, name)
        if len(case.frames) < SHORT_BYTES:
            assert await failure(default_server, case, slowly=True) == "", (group, name)
    print(f"{len(some)} of {len(every)} frame cases over the network")
    await guest(default_server.url)  # the server goes on
