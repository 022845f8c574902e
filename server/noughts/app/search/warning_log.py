"""The warnings of all search workers of a server: each is logged once."""

from __future__ import annotations

import structlog

log = structlog.get_logger()


class WarningLog:
    """The warnings that are logged already. Every worker gives the same ones, for instance of a damaged file."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def report(self, text: str) -> None:
        """Log a warning, unless it was logged before."""
        if text not in self._texts:
            self._texts.add(text)
            log.warning("warning of the engine", warning=text)
