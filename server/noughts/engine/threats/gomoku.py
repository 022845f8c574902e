"""Gomoku, five or more in a line on 15x15, and every other plane board that is too large to solve."""

from __future__ import annotations

from noughts.engine.threats.kernel import ThreatKernel


class GomokuKernel(ThreatKernel):
    """The threat search on a large board.

    Every row of six holds two lines of exactly five cells, so longer rows need no rule of their own.
    """

    depth = 40
