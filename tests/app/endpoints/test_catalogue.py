"""The catalogue: the same in the API and in the HTML of a page."""

from __future__ import annotations

import gzip
import json
import re

from noughts.app.endpoints.catalogue import catalogue
from noughts.app.runtime.config import Config
from noughts.app.search.programs import levels_offered
from noughts.rules.variant import VARIANTS
from tests.support.local_server import LocalServer
from tests.support.player import Api
from tests.support.responses import raw_response


def test_the_features_are_the_operators_settings() -> None:
    answer = catalogue(
        Config(lobby=False, public_url="https://games.example.org/", base_path="/club"),
        levels_offered(programs_run=True),
    )
    assert answer.features.public_url == "https://games.example.org/club"
    assert not answer.features.lobby
    assert [variant.key for variant in answer.variants] == list(VARIANTS)


async def test_a_page_holds_the_catalogue(server: LocalServer) -> None:
    _, _, page = await raw_response(server, "GET", "/")
    block = re.search(rb'id="page-data">(.*?)</script>', page)
    assert block is not None
    assert json.loads(block[1]) == await Api(server.url).get("/api/variants")


async def test_the_catalogue_is_compressed(server: LocalServer) -> None:
    path = "/api/variants"
    _, _, plain = await raw_response(server, "GET", path)
    _, headers, packed = await raw_response(server, "GET", path, headers={"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2
