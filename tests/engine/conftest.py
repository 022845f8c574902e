"""What tests of the engine share: how many of their cases they go through, and which way the searches run."""

from __future__ import annotations

import pytest

from noughts.engine.compiled import loading


@pytest.fixture(params=["some", pytest.param("all", marks=pytest.mark.long)])
def whole(request: pytest.FixtureRequest) -> bool:
    """Return whether a test goes through all of its cases, as the long tests do. Otherwise it goes through a part."""
    return bool(request.param == "all")


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let new kernels search in plain Python, as if wasmtime were not installed."""
    monkeypatch.setattr(loading, "RUNTIME", "a_module_that_is_not_installed")


@pytest.fixture(params=["plain", "compiled"])
def each_way(request: pytest.FixtureRequest) -> str:
    """Run the test once in plain Python, and once with the compiled searches. Return the way."""
    if request.param == "plain":
        request.getfixturevalue("plain")
    return str(request.param)
