"""What tests of the engine share: how many of their cases they go through."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["some", pytest.param("all", marks=pytest.mark.long)])
def whole(request: pytest.FixtureRequest) -> bool:
    """Return whether a test goes through all of its cases, as the long tests do. Otherwise it goes through a part."""
    return bool(request.param == "all")
