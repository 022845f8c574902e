"""Check that the generated pages are what the code says."""

from __future__ import annotations

from typing import get_args

import pytest

import noughts
import noughts.client
from noughts.app.runtime.config import SETTINGS
from noughts.app.runtime.metrics import Metrics
from noughts.command_line import COMMANDS as PROGRAM_COMMANDS
from noughts.errors import CODES
from noughts.protocol.asyncapi import COMMANDS, MESSAGES
from noughts.protocol.close_codes import CLOSE_CODES
from noughts.protocol.endpoints import ENDPOINTS
from noughts.room.events import ViewEvent
from tests.project.reading import text_of
from tools.reference import PAGES

NAMES: dict[str, list[str]] = {
    "http.md": [f"### `{endpoint.method} {endpoint.path}`" for endpoint in ENDPOINTS],
    "websocket.md": [
        *(f"### `{kind.__struct_config__.tag}`" for kind in (*COMMANDS, *MESSAGES, *get_args(ViewEvent))),
        *(f"| `{code}` |" for code in CODES),
        *(f"| {code} |" for code in CLOSE_CODES),
    ],
    "python.md": [f"### `{name}" for name in (*noughts.__all__, *noughts.client.__all__) if name != "__version__"],
    "settings.md": [
        f"| {f'`{setting.flag}`' if setting.flag else 'none'} | `{setting.variable}` |" for setting in SETTINGS
    ],
    "metrics.md": [f"`{family.name}" for family in Metrics().collect()],
    "command-line.md": [f"## noughts {name}" for name in PROGRAM_COMMANDS],
}
"""What each page must hold."""


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    """Compare words, because versions of Python break the lines of a help text differently."""
    assert text_of(f"docs/reference/{name}").split() == PAGES[name]().split(), "renew it: make docs"


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_complete(name: str) -> None:
    page = text_of(f"docs/reference/{name}")
    assert NAMES[name]
    assert [part for part in NAMES[name] if part not in page] == []
