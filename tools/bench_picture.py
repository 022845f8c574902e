"""Put the results of ``make bench`` into the documentation: the figures as JSON, and a picture of them.

    python -m tools.bench_picture bench-results/2026-01-31-120000.json

Write ``docs/explanation/bench.json`` and ``docs/explanation/bench.svg``. Without an argument, draw the picture again from
the JSON that is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

DOCS: Final = Path(__file__).resolve().parent.parent / "docs" / "explanation"
RESULTS: Final = DOCS / "bench.json"
PICTURE: Final = DOCS / "bench.svg"

WIDTH: Final = 720
LABEL: Final = 150
"""Pixels for the names of the servers."""
BAR: Final = 18
GAP: Final = 6
TITLE: Final = 34
VALUE: Final = 150
"""Pixels behind the longest bar, for its figure and its ratio."""
KEPT: Final = ("name", "unit", "subject", "value", "median", "ratio", "beside")
STYLE: Final = (
    "text{font:13px system-ui,sans-serif;fill:#222}.title{font-weight:600}.bar{fill:#8a94a6}.own{fill:#2f6fdf}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.bar{fill:#6b7486}.own{fill:#6ea0ff}}"
)


def kept(results: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of the results that travel: figures and ratios, without what identifies a machine."""
    machine = results["machine"]
    return {
        "date": results["date"][:10],
        "machine": {name: machine[name] for name in ("cpu", "cores", "load", "python")},
        "seconds": results["seconds"],
        "figures": [{name: _rounded(figure.get(name)) for name in KEPT} for figure in results["figures"]],
    }


def _rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def drawn(results: dict[str, Any]) -> str:
    """Return a picture with a group of bars for each measure, and a bar for each server."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for figure in results["figures"]:
        if figure["subject"]:
            unit = f" ({figure['unit']})" if figure["unit"] else ""
            groups.setdefault(figure["name"] + unit, []).append(figure)
    parts: list[str] = []
    y = 0
    for title, figures in groups.items():
        y += TITLE
        parts.append(f'<text class="title" x="0" y="{y - 12}">{escape(title)}</text>')
        longest = max(figure["value"] for figure in figures)
        for figure in figures:
            parts += _bar(figure, y, longest)
            y += BAR + GAP
    label = "Bars that compare this server with others: " + ", ".join(groups)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + GAP}" role="img" '
        f'aria-label="{escape(label)}">\n<style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _bar(figure: dict[str, Any], y: int, longest: float) -> list[str]:
    width = max(1.0, figure["value"] / longest * (WIDTH - LABEL - VALUE))
    kind = "own" if figure["subject"].startswith("Noughts") else "bar"
    ratio = f" ({figure['ratio']:.2f} × {figure['beside']})" if figure["ratio"] is not None else ""
    base = y + BAR - 5
    return [
        f'<text x="0" y="{base}">{escape(figure["subject"])}</text>',
        f'<rect class="{kind}" x="{LABEL}" y="{y}" width="{width:.0f}" height="{BAR}" rx="3"/>',
        f'<text x="{LABEL + width + 6:.0f}" y="{base}">{_short(figure["value"])}{escape(ratio)}</text>',
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the JSON, if there are new results, and the picture."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench_picture", description="Draw the results of make bench."
    )
    parser.add_argument("results", nargs="?", type=Path, metavar="FILE", help="results of make bench")
    file: Path | None = parser.parse_args(arguments).results
    if file is not None:
        RESULTS.write_text(json.dumps(kept(json.loads(file.read_text())), indent=1, ensure_ascii=False) + "\n")
    PICTURE.write_text(drawn(json.loads(RESULTS.read_text())))
    print(f"wrote {PICTURE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
