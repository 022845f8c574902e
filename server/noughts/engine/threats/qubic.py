"""Qubic: four in a line in a cube of four by four by four, with 76 lines, seven through each corner and inner cell."""

from __future__ import annotations

from noughts.engine.threats.kernel import ThreatKernel


class QubicKernel(ThreatKernel):
    """The threat search in the cube, where a four is three marks in a line with the last cell empty."""
