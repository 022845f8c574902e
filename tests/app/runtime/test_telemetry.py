"""Metrics as Prometheus reads them, and log lines."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from aiohttp.http_exceptions import BadHttpMessage
from prometheus_client.parser import text_string_to_metric_families

from noughts.app.runtime.telemetry import BUCKETS_S, Histogram, Metrics, set_up_logs


def samples(metrics: Metrics) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return the value of each sample of the text, by its name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
    }


def test_numbers_are_read_when_they_are_scraped() -> None:
    metrics = Metrics()
    metrics.connections = 3
    metrics.faults += 1
    metrics.connections_cut += 2
    metrics.loop_lag_s = 0.25
    values = samples(metrics)
    assert values["noughts_connections", ()] == 3
    assert values["noughts_faults_total", ()] == 1
    assert values["noughts_connections_cut_total", ()] == 2
    assert values["noughts_loop_lag_seconds", ()] == 0.25
    metrics.connections = 0
    assert samples(metrics)["noughts_connections", ()] == 0


def test_commands_are_counted_by_type_and_answer() -> None:
    metrics = Metrics()
    for command, answer in (("Move", "ok"), ("Move", "ok"), ("Move", "stale"), ("SeatEngine", "ok")):
        metrics.command_answered(command, answer)
    values = {key: value for key, value in samples(metrics).items() if key[0] == "noughts_commands_total"}
    assert values == {
        ("noughts_commands_total", (("answer", "ok"), ("type", "move"))): 2,
        ("noughts_commands_total", (("answer", "stale"), ("type", "move"))): 1,
        ("noughts_commands_total", (("answer", "ok"), ("type", "seatengine"))): 1,
    }


def test_searches_are_counted_by_variant_and_timed() -> None:
    metrics = Metrics()
    metrics.search_done("classic", 0.003)
    metrics.search_done("classic", 30.0)
    values = samples(metrics)
    assert values["noughts_searches_total", (("variant", "classic"),)] == 2
    assert values["noughts_search_seconds_count", ()] == 2
    assert values["noughts_search_seconds_sum", ()] == pytest.approx(30.003)


def test_the_buckets_of_a_histogram_are_cumulative() -> None:
    """A bucket counts all durations up to its bound, the bound included. The last has no bound."""
    histogram = Histogram()
    durations_s = [0.0, 0.001, 0.0011, 0.5, 5.0, 5.1, 100.0]
    for duration_s in durations_s:
        histogram.observe(duration_s)
    family = histogram.family("name", "Text.")
    buckets = {sample.labels["le"]: sample.value for sample in family.samples if sample.name == "name_bucket"}
    assert list(buckets) == [*(f"{bound:g}" for bound in BUCKETS_S), "+Inf"]
    for bound, count in buckets.items():
        assert count == sum(duration_s <= float(bound) for duration_s in durations_s), bound
    values = {sample.name: sample.value for sample in family.samples}
    assert values["name_count"] == len(durations_s)
    assert values["name_sum"] == pytest.approx(sum(durations_s))


def test_every_metric_has_a_name_of_ours_and_a_sentence() -> None:
    families = list(Metrics().collect())
    assert len({family.name for family in families}) == len(families)
    for family in families:
        assert family.name.startswith("noughts_")
        assert family.documentation.endswith(".")


# --- logs ---------------------------------------------------------------------------------------------------------


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
