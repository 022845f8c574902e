"""tools/bench_picture.py: the picture in the documentation is that of the figures beside it."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from tests.bench.figures import Figure, summary
from tests.project.reading import text_of
from tools.bench_picture import PICTURE, RESULTS, drawn, kept

RESULT = {
    "date": "2026-01-31T12:00:00+00:00",
    "machine": {"cpu": "A", "cores": 2, "load": [1.0], "python": "3.11", "kernel": "secret"},
    "seconds": {"side_by_side": 60.0},
    "figures": [
        summary(Figure("CPU", "µs", [10.0, 12.0], subject="bare aiohttp")),
        summary(Figure("CPU", "µs", [25.0], "bare aiohttp", [10.0], subject="Noughts")),
        summary(Figure("memory & more", "KiB", [17.123456])),
    ],
}


def test_the_picture_is_that_of_the_figures() -> None:
    """Run `python -m tools.bench_picture` after a change of the figures."""
    assert PICTURE.read_text() == drawn(json.loads(RESULTS.read_text()))


def test_the_page_shows_the_picture_and_names_its_figures() -> None:
    page = text_of("docs/explanation/cost.md")
    assert PICTURE.name in page
    assert RESULTS.name in page


def test_what_identifies_a_machine_is_not_kept() -> None:
    results = kept(RESULT)
    assert "secret" not in json.dumps(results)
    assert results["date"] == "2026-01-31"
    assert results["figures"][2]["value"] == 17.12


def test_each_server_has_a_bar_with_its_figure() -> None:
    root = ET.fromstring(drawn(kept(RESULT)))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    bars = [float(element.get("width", 0)) for element in root.iter() if element.tag.endswith("rect")]
    assert texts == ["CPU (µs)", "bare aiohttp", "10.0", "Noughts", "25.0 (2.50 × bare aiohttp)"]
    assert bars[0] / bars[1] == 10 / 25
