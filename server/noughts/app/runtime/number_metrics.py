"""Metrics that are one number each, as a table, and those that are a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric

__all__ = ["COUNTER", "GAUGE", "Metric", "Number", "number_families", "text_family"]

COUNTER: Final = CounterMetricFamily
GAUGE: Final = GaugeMetricFamily


class Number(NamedTuple):
    """One metric: its name, its kind, the attribute that has its value, with dots, and its sentence."""

    name: str
    kind: Callable[[str, str, float], Metric]
    attribute: str
    text: str


def number_families(numbers: Iterable[Number], source: object) -> Iterator[Metric]:
    """Yield the metrics of a table for Prometheus's library, with the values of ``source`` at this moment."""
    for name, kind, attribute, text in numbers:
        yield kind(name, text, float(attrgetter(attribute)(source)))


def text_family(name: str, text: str, value: str) -> Metric:
    """Return a metric whose value is the label ``text``."""
    family = InfoMetricFamily(name, text)
    family.add_metric((), {"text": value})
    return family
