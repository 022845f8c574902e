"""Notices never reached telephones of one make: the contact was a name of the home network, and no log said so."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from noughts.app.push.contact import NO_CONTACT, push_contact
from noughts.app.runtime.config import load
from tests.support.local_server import local_server
from tests.support.player import Api

MAIL = "mailto:games@example.org"


@pytest.mark.parametrize(
    ("settings", "contact"),
    [
        ({"public_url": "https://games.example.org/x"}, "https://games.example.org/x"),
        ({"public_url": "https://games.example.org", "contact": MAIL}, "https://games.example.org"),
        ({"public_url": "http://games.example.org", "contact": MAIL}, MAIL),
        ({"public_url": "https://noughts.local", "contact": MAIL}, MAIL),
        ({"public_url": "https://192.168.1.20:8443", "contact": MAIL}, MAIL),
        ({"public_url": "https://[2001:db8::1]"}, None),
        ({"public_url": "https://games"}, None),
        ({"contact": "mailto:games@localhost"}, None),
        ({"contact": "mailto:games@games.invalid"}, None),
        ({"contact": "https://club.example.org"}, None),
        ({}, None),
        ({"contact": MAIL, "push": "off"}, None),
    ],
)
def test_the_contact_is_one_that_can_be_reached(settings: dict[str, str], contact: str | None) -> None:
    assert push_contact(load(settings, {})[0]) == contact


async def test_without_a_contact_there_is_no_key_and_the_log_says_why_once(tmp_path: Path) -> None:
    async with local_server(tmp_path) as server:
        with capture_logs() as lines:
            assert [await Api(server.url).get("/api/push") for _ in range(2)] == 2 * [{"key": None}]
        assert [line["event"] for line in lines] == [NO_CONTACT]
