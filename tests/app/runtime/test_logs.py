"""Log lines: their form, and which of them are not written."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from aiohttp.http_exceptions import BadHttpMessage

from noughts.app.runtime.logs import set_up_logs


@pytest.fixture
def restored_logs() -> Iterator[None]:
    """Set the logs back to what they were."""
    root, http = logging.getLogger(), logging.getLogger("aiohttp.server")
    handlers, level, filters = root.handlers[:], root.level, http.filters[:]
    yield
    root.handlers[:], http.filters[:] = handlers, filters
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.mark.usefixtures("restored_logs")
def test_json_lines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("info", "json")
    structlog.get_logger().info("store recovered", rooms=3)
    logging.getLogger("aiohttp.web").warning("careful: %s", "x")
    ours, theirs = map(json.loads, capsys.readouterr().err.splitlines())
    assert (ours["event"], ours["rooms"], ours["level"]) == ("store recovered", 3, "info")
    assert (theirs["event"], theirs["level"]) == ("careful: x", "warning")
    assert ours["timestamp"].endswith("Z")


@pytest.mark.usefixtures("restored_logs")
def test_each_line_of_one_of_several_nodes_has_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("info", "json", "node1")
    structlog.get_logger().info("store recovered")
    logging.getLogger("aiohttp.web").warning("careful")
    assert [json.loads(line)["node"] for line in capsys.readouterr().err.splitlines()] == ["node1", "node1"]


@pytest.mark.usefixtures("restored_logs")
def test_text_lines_are_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal there are no colours. Tracebacks follow the line."""
    set_up_logs("debug", "text")
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError:
        structlog.get_logger().exception("a fault", room="r")
    lines = capsys.readouterr().err
    assert "a fault" in lines
    assert "ZeroDivisionError: by zero" in lines
    assert "\x1b" not in lines


@pytest.mark.usefixtures("restored_logs")
def test_lines_below_the_level_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    """Libraries are quiet below a warning at every level."""
    set_up_logs("error", "text")
    structlog.get_logger().warning("quiet")
    logging.getLogger("aiohttp.web").warning("quiet")
    assert capsys.readouterr().err == ""
    set_up_logs("debug", "text")
    logging.getLogger("asyncio").info("quiet")
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("restored_logs")
def test_malformed_requests_of_strangers_are_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    """The line would quote the request, and a secret in its URL."""
    set_up_logs("info", "text")
    server = logging.getLogger("aiohttp.server")
    for error in (BadHttpMessage("GET /?token=secret"), ValueError("ours")):
        server.error("Error handling request", exc_info=error)
    server.warning("without an exception")
    lines = capsys.readouterr().err
    assert "secret" not in lines
    assert "ours" in lines
    assert "without an exception" in lines
