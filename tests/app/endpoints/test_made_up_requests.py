"""Requests that are made up from the OpenAPI document, against a real server: every response is as described."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from noughts.protocol import openapi
from noughts.rules.variant import VARIANTS
from tests.support.server import QUICK, RunningServer

EXAMPLES = 6
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SOLVED = ("classic", "misere", "vanishing")
"""Variants whose analysis takes no time."""

schema = schemathesis.openapi.from_dict(openapi.described())
schema.config.generation.update(
    modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE],
    max_examples=EXAMPLES,
    deterministic=True,
    with_security_parameters=False,
)


@schema.hook
def map_query(context: Any, query: Any) -> Any:
    """Analyse small games only. A large one would take seconds."""
    variant = query.get("variant") if context.operation.path == "/api/analysis" and query else None
    if isinstance(variant, str) and variant in VARIANTS:
        query["variant"] = SOLVED[len(variant) % len(SOLVED)]
    return query


class Caller:
    """A guest and an HTTP session."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.trust_env = False
        self.token = self.new_token()

    def new_token(self) -> str:
        answer = self.session.post(f"{self.url}/api/players", json={}, timeout=10)
        return str(answer.json()["token"])


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """Return a caller of a server of its own, because many rooms are left in it."""
    running = RunningServer(tmp_path_factory.mktemp("made-up"), {**QUICK, "NOUGHTS_THINK_MS": "50"}).start()
    caller = Caller(running.url)
    yield caller
    caller.session.close()
    running.stop_well()


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_made_up_requests_are_answered_as_described(case: Any, caller: Caller) -> None:
    """No request breaks the server, and every response fits the document."""
    token = caller.new_token() if case.method == "DELETE" else caller.token
    answer = case.call(
        base_url=caller.url, session=caller.session, headers={"Authorization": f"Bearer {token}"}, timeout=20
    )
    case.validate_response(answer, checks=CHECKS)
