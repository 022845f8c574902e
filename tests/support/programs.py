"""Programs that tests run. A test without its program fails and says what to install: nothing is skipped silently."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def program(name: str, package: str = "") -> str:
    """Return the path of a program. ``package`` is that of Debian; without one, the program comes with the dev extra."""
    if package:
        path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
        assert path is not None, f"this test needs {name}: sudo apt install {package}"
        return path
    own = Path(sys.executable).with_name(name)
    assert own.exists(), f"this test needs {name}: make test installs it"
    return str(own)


def output_of(*command: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a program that must succeed. Return all that it printed."""
    process = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout
    return process.stdout
