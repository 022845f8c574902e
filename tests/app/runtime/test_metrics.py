"""The metrics of a node as Prometheus reads them."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from noughts.app.runtime.metrics import BUCKETS_S, NUMBERS, Metrics, NodeMetrics
from noughts.store.contract import ConnectionStats, Guarantee


def samples(metrics: Metrics) -> dict[tuple[str, ...], float]:
    """Return the value of each sample of the text, by its name and the values of its labels."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
    }


def test_every_number_has_its_value_at_the_scrape() -> None:
    """A counter's name ends with _total. Milliseconds are shown as seconds."""
    metrics, stats = Metrics(), ConnectionStats()
    for attribute in ("commands", "connects", "timeouts", "conflicts", "pushes", "round_trip_s"):
        setattr(stats, attribute, 100.5 + len(attribute))
    node = {
        name: 200 + number for number, name in enumerate(NodeMetrics._fields) if name not in ("guarantee", "connection")
    }
    metrics.node = NodeMetrics(Guarantee(""), stats)._replace(**node)  # type: ignore[arg-type]
    values: dict[str, float] = {}
    for number in NUMBERS:
        of_node, _, attribute = number.attribute.rpartition(".")
        if not of_node:
            setattr(metrics, attribute, 1 + len(values))
            values[attribute] = getattr(metrics, attribute)
        elif of_node in ("notices", "webhook"):
            setattr(getattr(metrics, of_node), attribute, 300 + len(values))
            values[number.attribute] = 300 + len(values)
        elif of_node.endswith("connection"):
            values[number.attribute] = getattr(stats, attribute)
        elif attribute != "weak":
            milliseconds = node.get(attribute.removesuffix("_s") + "_ms")
            values[number.attribute] = node[attribute] if milliseconds is None else milliseconds / 1000
    shown = {name.removesuffix("_total"): value for (name, *_), value in samples(metrics).items()}
    for number in NUMBERS:
        assert shown[number.name] == values.get(number.attribute, 0.0), number.name
    metrics.connections = 0
    assert samples(metrics)["noughts_connections",] == 0


def test_commands_are_counted_by_type_and_answer() -> None:
    metrics = Metrics()
    for command, answer in (("Move", "ok"), ("Move", "ok"), ("Move", "stale"), ("SeatEngine", "ok")):
        metrics.commands[command, answer] += 1
    values = {key[1:]: value for key, value in samples(metrics).items() if key[0] == "noughts_commands_total"}
    assert values == {("move", "ok"): 2, ("move", "stale"): 1, ("ok", "seatengine"): 1}


def test_searches_are_counted_by_variant_and_timed() -> None:
    """A bucket counts all durations up to its bound, the bound included. The last has no bound."""
    metrics, durations_s = Metrics(), [0.0, 0.001, 0.0011, 0.5, 5.0, 5.1, 100.0]
    for duration_s in durations_s:
        metrics.search_done("classic", duration_s)
    values = samples(metrics)
    assert values["noughts_searches_total", "classic"] == len(durations_s)
    assert values["noughts_search_seconds_sum",] == pytest.approx(sum(durations_s))
    buckets = {float(key[1]): value for key, value in values.items() if key[0] == "noughts_search_seconds_bucket"}
    assert list(buckets) == [*BUCKETS_S, float("inf")]
    for bound, count in buckets.items():
        assert count == sum(duration_s <= bound for duration_s in durations_s), bound


def test_the_guarantee_is_a_label_and_its_weakness_a_number() -> None:
    metrics = Metrics()
    for weakness, value in ((None, 0.0), ("It is weak.", 1.0)):
        metrics.node = NodeMetrics(Guarantee("a file: flushed", weakness))
        values = samples(metrics)
        assert values["noughts_store_guarantee_info", "a file: flushed"] == 1.0
        assert values["noughts_store_weak",] == value


def test_every_metric_has_a_name_of_ours_and_a_sentence() -> None:
    families = list(Metrics().collect())
    assert len({family.name for family in families}) == len(families)
    for family in families:
        assert family.name.startswith("noughts_")
        assert family.documentation.endswith(".")
