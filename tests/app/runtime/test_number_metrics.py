"""Metrics of one number each come from a table."""

from __future__ import annotations

from types import SimpleNamespace

from noughts.app.runtime.number_metrics import COUNTER, GAUGE, Number, number_families, text_family


def test_each_row_is_a_metric_with_the_value_of_the_moment() -> None:
    rows = [Number("moves", COUNTER, "moves", "Moves."), Number("lag", GAUGE, "loop.lag_s", "Lag.")]
    source = SimpleNamespace(moves=3, loop=SimpleNamespace(lag_s=0.5))
    families = list(number_families(rows, source))
    assert [(family.name, family.type, family.documentation) for family in families] == [
        ("moves", "counter", "Moves."),
        ("lag", "gauge", "Lag."),
    ]
    assert [family.samples[0].value for family in families] == [3.0, 0.5]
    source.moves = 4
    assert next(number_families(rows, source)).samples[0].value == 4.0


def test_a_text_is_a_label() -> None:
    (sample,) = text_family("noughts_store_guarantee", "What is guaranteed.", "a file").samples
    assert (sample.labels, sample.value) == ({"text": "a file"}, 1.0)
