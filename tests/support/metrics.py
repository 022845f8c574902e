"""The metrics of a running server."""

from __future__ import annotations

from tests.support.player import Api, Served


async def metric(server: Served, name: str) -> float:
    """Return a metric, summed over its labels."""
    _, text = await Api(server.url).call("GET", "/metrics")
    lines = [line for line in text.splitlines() if line.split("{")[0].split(" ")[0] == name]
    assert lines, f"there is no metric {name}"
    return sum(float(line.split()[-1]) for line in lines)
