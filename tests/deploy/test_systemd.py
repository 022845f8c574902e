"""The units of systemd: valid, and hardened."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.reading import ROOT
from tests.support.programs import output_of, program

UNITS = ROOT / "deploy" / "systemd"
MAX_EXPOSURE = 2.0


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """Copy the units, with a program that exists in place of ``noughts``. One node of the template has a name."""
    for name, copy in (("noughts.service", "noughts.service"), ("noughts@.service", "noughts@8001.service")):
        text = (UNITS / name).read_text()
        assert "ExecStart=/opt/noughts/bin/noughts serve" in text
        (tmp_path / copy).write_text(text.replace("/opt/noughts/bin/noughts", "/bin/true"))
    return tmp_path


@pytest.mark.parametrize("name", ["noughts.service", "noughts@8001.service"])
def test_a_unit_is_valid(units: Path, name: str) -> None:
    assert output_of(program("systemd-analyze", "systemd"), "verify", "--man=no", units / name) == ""


@pytest.mark.parametrize("name", ["noughts.service", "noughts@8001.service"])
def test_a_unit_is_hardened(units: Path, name: str) -> None:
    limit = f"--threshold={int(MAX_EXPOSURE * 10)}"
    text = output_of(
        program("systemd-analyze", "systemd"), "security", "--offline=yes", limit, "--no-pager", units / name
    )
    exposure = re.search(r"exposure level for \S+: ([\d.]+)", text)
    assert exposure is not None
    assert float(exposure[1]) <= MAX_EXPOSURE


@pytest.mark.parametrize("name", ["noughts.service", "noughts@.service"])
def test_a_unit_lets_the_search_processes_make_code(name: str) -> None:
    """The engine's WebAssembly programs are compiled when they are loaded."""
    settings = (UNITS / name).read_text().splitlines()
    assert not [line for line in settings if line.startswith("MemoryDenyWriteExecute=")]


def test_the_template_differs_from_the_single_server_only_where_it_must() -> None:
    """Both are hardened in the same way."""
    one, many = ((UNITS / name).read_text().splitlines() for name in ("noughts.service", "noughts@.service"))
    own = ("#", "Description=", "After=", "Environment=", "StateDirectory=", "User=", "LoadCredential=")
    assert [line for line in many if not line.startswith(own)] == [line for line in one if not line.startswith(own)]
