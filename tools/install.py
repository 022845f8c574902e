"""Install the packages of one lock file in a virtual environment, and the command ``noughts`` of this checkout.

    python tools/install.py .venv run     what a server needs
    python tools/install.py .venv dev     what the tests need too

The tool uses the uv on the PATH, which installs much faster than pip. If there is none, pip fetches uv first, which together
still takes half as long as pip alone. If that fails, pip installs. Each file must be a wheel whose hash is in the lock file.
The tool needs no package, and runs before any is installed.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "requirements"
OLDEST = (3, 11)
COMMAND = """#!/bin/sh
exec "$(dirname "$0")/python" -m noughts "$@"
"""
MISSING = "Noughts needs pip or uv to install packages: install Python's venv (Debian: sudo apt install python3-venv)."


def pip() -> list[str]:
    """Return the command that runs pip outside the environment: an installed pip, or the one that Python carries."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    folders = [Path("/usr/share/python-wheels")]  # Debian's place
    carrier = importlib.util.find_spec("ensurepip")
    if carrier is not None and carrier.origin is not None:
        folders.insert(0, Path(carrier.origin).parent / "_bundled")
    wheels = [wheel for folder in folders for wheel in sorted(folder.glob("pip-*.whl"))]
    if not wheels:
        raise SystemExit(MISSING)
    return [sys.executable, str(wheels[0] / "pip")]


def pip_install(place: Sequence[str], lock: str) -> bool:
    """Install a lock file with pip. Return whether that succeeded. A lock file names every package, so pip resolves none."""
    options = ("--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps", "--only-binary", ":all:")
    requirements = ("--require-hashes", "--requirement", str(LOCKS / f"{lock}.txt"))
    return succeeds([*pip(), *place, *options, *requirements])


def uv_install(uv: str, python: Path, lock: str) -> bool:
    """Install a lock file with uv. Return whether that succeeded."""
    options = ("--quiet", "--python", str(python), "--no-build", "--compile-bytecode", "--no-deps")
    return succeeds([uv, "pip", "install", *options, "--require-hashes", "--requirement", str(LOCKS / f"{lock}.txt")])


def succeeds(command: Sequence[str]) -> bool:
    """Run a command. An index that is set for pip serves uv too, and pip may install outside its own environment."""
    index = os.environ.get("PIP_INDEX_URL")
    variables = {"UV_DEFAULT_INDEX": index} if index else {}
    own = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_ROOT_USER_ACTION": "ignore"}
    return subprocess.run(command, env={**variables, **os.environ, **own}, check=False).returncode == 0


def uv_for(environment: Path) -> str | None:
    """Return the path of uv: the one on the PATH, or one in the environment, which pip fetches. Return None without it."""
    uv = shutil.which("uv")
    places = [environment / "bin" / "uv", environment / "local" / "bin" / "uv"]  # the second is Debian's
    if uv is None and not any(map(Path.exists, places)):
        # Without --python, pip starts once and not twice. It suits uv alone: a program that imports nothing.
        pip_install(("install", "--ignore-installed", "--prefix", str(environment)), "uv")
    return uv or next((str(place) for place in places if place.exists()), None)


def link_checkout(environment: Path) -> None:
    """Let the environment import the package from the checkout, and run it as ``noughts``.

    A copy of the package, such as that of ``pip install .``, would hide the checkout, so it is removed.
    """
    (packages,) = environment.glob("lib/python*/site-packages")
    for copy in (packages / "noughts", *packages.glob("noughts-*.dist-info")):
        shutil.rmtree(copy, ignore_errors=True)
    (packages / "noughts.pth").write_text(f"{ROOT / 'server'}\n")
    command = environment / "bin" / "noughts"
    command.write_text(COMMAND)
    command.chmod(0o755)


def main() -> None:
    """Install the lock file that the second argument names in the environment that the first one names."""
    if sys.version_info < OLDEST:
        raise SystemExit("Noughts needs Python 3.11 or newer: install it, or name one with make PYTHON=...")
    environment, lock = Path(sys.argv[1]).absolute(), sys.argv[2]
    python = environment / "bin" / "python"
    if not python.exists():
        venv.create(environment, clear=environment.exists(), symlinks=True, with_pip=False)
    # The first start needs the package compiled. It is done while packages come over the network.
    compiler = subprocess.Popen([sys.executable, "-m", "compileall", "-q", str(ROOT / "server" / "noughts")])
    uv = uv_for(environment)
    if not (uv is not None and uv_install(uv, python, lock)) and not pip_install(
        ("--python", str(python), "install"), lock
    ):
        raise SystemExit(1)
    link_checkout(environment)
    compiler.wait()


if __name__ == "__main__":
    main()
