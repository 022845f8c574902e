"""The catalogue: the same in the API and in the HTML of a page."""

from __future__ import annotations

import json
import re

from noughts.app.endpoints.reference import catalogue
from noughts.app.runtime.config import Config
from noughts.app.search.programs import Programs
from noughts.rules.variant import VARIANTS
from tests.support.local_server import LocalServer
from tests.support.responses import raw_response


def test_the_features_are_the_operators_settings() -> None:
    answer = catalogue(
        Config(lobby=False, free_names=False, public_url="https://games.example.org/", base_path="/club"),
        Programs().levels(),
    )
    assert answer.features.public_url == "https://games.example.org/club"
    assert (answer.features.lobby, answer.features.free_names) == (False, False)
    assert [variant.key for variant in answer.variants] == list(VARIANTS)


async def test_a_page_holds_the_catalogue(server: LocalServer) -> None:
    _, _, page = await raw_response(server, "GET", "/")
    block = re.search(rb'id="page-data">(.*?)</script>', page)
    assert block is not None
    _, headers, body = await raw_response(server, "GET", "/api/variants")
    assert (json.loads(body), headers["Cache-Control"]) == (json.loads(block[1]), "no-store")
