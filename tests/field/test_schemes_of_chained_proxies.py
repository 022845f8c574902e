"""Two reverse proxies behind each other, one of which writes capitals: links in rooms began with http."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from noughts.app.endpoints.requests import base_url
from noughts.app.runtime.config import Config, load

TRUSTING: Config = load({"trusted": "10.0.0.7"}, {})[0]


@pytest.mark.parametrize(
    ("header", "scheme"),
    [("https", "https"), ("HTTPS", "https"), ("wss", "https"), ("https, http", "https"), ("http, https", "http")],
)
def test_links_have_the_scheme_of_the_visitor(header: str, scheme: str) -> None:
    headers = {"Host": "games.example.org", "X-Forwarded-Proto": header}
    request = make_mocked_request("GET", "/", headers).clone(remote="10.0.0.7")
    assert isinstance(request, web.Request)
    assert base_url(request, TRUSTING) == f"{scheme}://games.example.org"
