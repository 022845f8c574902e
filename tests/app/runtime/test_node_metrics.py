"""The metrics of a node among others, as Prometheus reads them."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.node_metrics import NodeMetrics
from noughts.store.connection_stats import ConnectionStats
from noughts.store.contract import Guarantee


def samples(figures: NodeMetrics) -> dict[str, float]:
    """Return the value of each sample without a type of command or search."""
    metrics = Metrics()
    metrics.node = figures
    text = metrics.text().decode()
    return {sample.name: sample.value for family in text_string_to_metric_families(text) for sample in family.samples}


def test_the_figures_of_a_connection_are_metrics() -> None:
    stats = ConnectionStats()
    stats.commands, stats.conflicts, stats.connects, stats.pushes, stats.timeouts, stats.round_trip_s = (
        1,
        2,
        3,
        4,
        5,
        0.25,
    )
    values = samples(NodeMetrics(connection=stats))
    names = [f"noughts_store_{name}_total" for name in ("commands", "conflicts", "connects", "pushes", "timeouts")]
    assert [values[name] for name in names] == [1, 2, 3, 4, 5]
    assert values["noughts_store_round_trip_seconds"] == 0.25


def test_the_figures_of_a_node_are_metrics_in_seconds() -> None:
    values = samples(
        NodeMetrics(
            beats=7, silent_s=0.5, nodes=3, clock_offset_ms=-1_500, downtime_ms=2_500, rooms_read_again=9, players=4
        )
    )
    assert values["noughts_heartbeats_total"] == 7
    assert values["noughts_heartbeat_age_seconds"] == 0.5
    assert values["noughts_nodes"] == 3
    assert values["noughts_players"] == 4
    assert values["noughts_clock_offset_seconds"] == -1.5
    assert values["noughts_downtime_seconds"] == 2.5
    assert values["noughts_rooms_read_again_total"] == 9


def test_the_guarantee_is_a_label_and_its_weakness_a_number() -> None:
    metrics = Metrics()
    for weakness, value in ((None, 0.0), ("It is weak.", 1.0)):
        metrics.node = NodeMetrics(Guarantee("a file: flushed", weakness))
        text = metrics.text().decode()
        assert 'noughts_store_guarantee_info{text="a file: flushed"} 1.0' in text
        assert f"noughts_store_weak {value}" in text
