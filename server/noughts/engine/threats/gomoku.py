"""Gomoku, five or more in a line on 15x15, and any other plane board too large to solve."""

from __future__ import annotations

from noughts.engine.threats.kernel import ThreatKernel


class GomokuKernel(ThreatKernel):
    """Threat search on a large board. Every six in a line holds a line of exactly five cells, so an overline needs no
    thought of its own."""
