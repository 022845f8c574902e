"""A teacher opened the results of a class in a spreadsheet, and Jürgen was JÃ¼rgen."""

from __future__ import annotations

from pathlib import Path

from aiohttp import ClientSession

from tests.support.local_server import local_server
from tests.support.tournament_client import new_cup


async def test_names_are_whole_in_a_spreadsheet(tmp_path: Path) -> None:
    async with local_server(tmp_path) as server, ClientSession() as session:
        cup = await new_cup(server)
        async with session.get(f"{server.url}/api/tournaments/{cup.id}/results.csv") as response:
            assert (await response.read()).startswith(b"\xef\xbb\xbfrank,name")
