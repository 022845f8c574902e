"""Metrics as Prometheus reads them."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from noughts.app.runtime.metrics import BUCKETS_S, Histogram, Metrics


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
