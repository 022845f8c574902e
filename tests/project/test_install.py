"""tools/install.py: it prefers uv, installs one lock file, and lets the environment run the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.project.reading import ROOT

UV = """#!/bin/sh
echo "$@" >> "$0.calls"
"""


def install(environment: Path, folder: Path, lock: str) -> None:
    """Install with a uv on the PATH that only writes down how it is called."""
    uv = folder / "uv"
    uv.write_text(UV)
    uv.chmod(0o755)
    variables = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([sys.executable, ROOT / "tools" / "install.py", environment, lock], env=variables, check=True)


def test_uv_installs_wheels_of_one_lock_file_by_their_hashes(tmp_path: Path) -> None:
    install(tmp_path / "environment", tmp_path, "run")
    (call,) = (tmp_path / "uv.calls").read_text().splitlines()
    assert call.endswith(f"--require-hashes --requirement {ROOT / 'requirements' / 'run.txt'}")
    assert "--no-build" in call.split()
    assert f"--python {tmp_path / 'environment' / 'bin' / 'python'}" in call


def test_a_copy_in_the_environment_is_replaced_by_the_checkout(tmp_path: Path) -> None:
    """`pip install .` in the environment of `make run` would hide every later change of the checkout."""
    environment = tmp_path / "environment"
    install(environment, tmp_path, "run")
    stamps = [environment / f"{name}.stamp" for name in ("run", "dev")]
    for stamp in stamps:
        stamp.touch()

    def planned() -> list[str]:
        make = ["make", "--dry-run", "--directory", str(ROOT), f"VENV={environment}", *map(str, stamps)]
        lines = subprocess.run(make, capture_output=True, text=True, check=True).stdout.splitlines()
        return [line for line in lines if "tools/install.py" in line]

    assert planned() == []
    (packages,) = environment.glob("lib/python*/site-packages")
    copy = packages / "noughts"
    copy.mkdir()
    (copy / "__init__.py").touch()
    assert len(planned()) == 2
    install(environment, tmp_path, "run")
    assert not copy.exists()
    assert planned() == []


def test_the_environment_runs_the_checkout(tmp_path: Path) -> None:
    """Twice, because a lock file that changed is installed in the environment that is there."""
    environment = tmp_path / "an environment"
    for _ in range(2):
        install(environment, tmp_path, "run")
    command = [str(environment / "bin" / "python"), "-c", "import noughts; print(noughts.__file__)"]
    output = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert Path(output.strip()).is_relative_to(ROOT)
    version = subprocess.run(
        [str(environment / "bin" / "noughts"), "--version"], capture_output=True, text=True, check=True
    )
    assert version.stdout.startswith("noughts ")
