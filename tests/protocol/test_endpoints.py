"""The table of HTTP endpoints, and what follows from an endpoint itself."""

from __future__ import annotations

from string import Formatter

import pytest

from noughts.protocol.bodies import NewRoom
from noughts.protocol.endpoint import REJECTIONS, Answer, Endpoint
from noughts.protocol.endpoints import ENDPOINTS, IN_PATH

OK = (Answer(None, meaning="It is so."),)


def test_every_endpoint_has_its_own_address_and_name() -> None:
    """No two endpoints share a method and a path, or a name."""
    assert len({(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}) == len(ENDPOINTS)
    assert len({endpoint.name for endpoint in ENDPOINTS}) == len(ENDPOINTS)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_an_endpoint(endpoint: Endpoint) -> None:
    """A summary is a sentence, the parts of a path are described, and every rejection is in the table."""
    assert endpoint.summary.endswith(".")
    assert all(answer.description.endswith(".") for answer in endpoint.answers)
    assert {name for _, name, _, _ in Formatter().parse(endpoint.path) if name} <= set(IN_PATH)
    assert set(endpoint.rejections) <= set(REJECTIONS)
    assert not set(endpoint.rejections) & {answer.status for answer in endpoint.answers}


@pytest.mark.parametrize(
    ("endpoint", "rejections"),
    [
        (Endpoint("GET /page", "page", "Show it.", OK), (400, 403, 500)),
        (Endpoint("GET /page", "page", "Show it.", OK, rejected=(404,)), (400, 403, 404, 500)),
        (Endpoint("GET /api/it", "it", "Show it.", OK), (400, 403, 429, 500, 503)),
        (Endpoint("POST /it", "it", "Make it.", OK, body=NewRoom), (400, 403, 413, 415, 500)),
        (Endpoint("GET /it", "it", "Show it.", OK, token="needed"), (400, 401, 403, 500)),
        (Endpoint("GET /it", "it", "Show it.", OK, token="welcome"), (400, 403, 500)),
        (Endpoint("GET /api/it", "it", "Show it.", (Answer(None, 503, "Not now."),)), (400, 403, 429, 500)),
    ],
)
def test_how_an_endpoint_rejects(endpoint: Endpoint, rejections: tuple[int, ...]) -> None:
    """The statuses follow from the address, the body and the token; an answer's own status is not among them."""
    assert endpoint.rejections == rejections
