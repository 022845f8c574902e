"""A container with one core on a machine of eighty started a worker for each core, and was killed for its memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from noughts.app.search.pool import usable_cores


@pytest.mark.parametrize(
    ("quota", "cores"),
    [("100000 100000\n", 1), ("50000 100000\n", 1), ("250000 100000\n", 2), ("max 100000\n", 80), ("", 80), (None, 80)],
)
def test_workers_are_as_many_as_the_cores_that_may_be_used(
    quota: str | None, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(80)))
    file = tmp_path / "cpu.max"
    if quota is not None:
        file.write_text(quota)
    assert usable_cores(file) == cores
