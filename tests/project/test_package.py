"""Build the wheel, look inside, and start the program that is installed from it."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.project.reading import ROOT
from tests.support.programs import output_of, program
from tests.support.server import READY

START = """
import pathlib, sys, noughts
assert pathlib.Path(noughts.__file__).is_relative_to(sys.argv.pop(1)), noughts.__file__
from noughts.command_line import main
sys.exit(main())
"""
SERVED = {".html", ".css", ".js", ".svg", ".png", ".ico", ".webmanifest", ".woff2"}

PARTS = {".py", ".pyi", ".typed", ".book", ".json", ".sql", ".lua", ".wasm", ".c", ".ttf", ".txt", ""}
"""Suffixes of the program's files. `SHA256SUMS` has none."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel offline from this checkout and return its path."""
    target = tmp_path_factory.mktemp("wheel")
    process = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    (path,) = target.glob("noughts-*.whl")
    return path


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the wheel as pip would, and return the directory."""
    target = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def test_every_file_of_the_program_and_the_page_is_inside(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    folders = (ROOT / "server" / "noughts", "noughts", PARTS), (ROOT / "client_web", "noughts/page", SERVED)
    for source, target, suffixes in folders:
        files = [path for path in source.rglob("*") if path.is_file() and path.suffix in suffixes]
        assert len(files) > 50
        assert {f"{target}/{path.relative_to(source).as_posix()}" for path in files} <= names


def test_the_page_of_a_package_index_stands_alone(wheel: Path) -> None:
    """An index shows it without the repository, so a link to a file would lead nowhere. Its example runs."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        page = archive.read(name).decode().partition("\n\n")[2]
    assert page.startswith("# Noughts\n")
    assert "](" not in page
    test = doctest.DocTestParser().get_doctest(page.replace("```", ""), {}, "page", "page", 0)
    assert doctest.DocTestRunner().run(test) == (0, 3)


def test_a_wheel_of_the_sdist_is_that_of_the_checkout(wheel: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--directory", str(tmp_path), "--target"]
    subprocess.run([*build, "sdist"], cwd=ROOT, capture_output=True, check=True)
    (path,) = tmp_path.glob("noughts-*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
        tops = {name.split("/")[1] for name in archive.getnames()}
    files = {".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert tops == files | {
        "client_web",
        "server",
        "docs",
        "tests",
        "bench",
        "tools",
        "Makefile",
        "lab.mk",
        "requirements",
    }
    subprocess.run([*build, "wheel"], cwd=tmp_path / path.name.removesuffix(".tar.gz"), capture_output=True, check=True)
    (copy,) = tmp_path.glob("noughts-*.whl")
    contents = [{entry.filename: entry.CRC for entry in zipfile.ZipFile(each).infolist()} for each in (wheel, copy)]
    assert contents[0] == contents[1]


def test_nothing_else_is_inside(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"noughts"}
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".so"))]
    assert not [name for name in names if "test" in name.split("/")[1]]


def variables(**more: str) -> dict[str, str]:
    """Return the environment of a program that must not find the checkout."""
    return {name: text for name, text in os.environ.items() if not name.startswith(("NOUGHTS_", "PYTHON"))} | more


def check_that_it_serves(command: Sequence[str], data: Path, **more: str) -> None:
    """Start a server, load the page and its first module, and stop it."""
    server = subprocess.Popen(
        [*command, "serve", "--port", "0", "--data", "kept here", "--workers", "1"],
        cwd=data,
        env=variables(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert server.stdout is not None
        match = next(ready for ready in map(READY.search, server.stdout) if ready)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(match[1] + "/", timeout=30) as answer:
            page = answer.read().decode()
        source = re.search(r'src="(/static/[0-9a-f]+/js/main/main\.js)"', page)
        assert source is not None
        with opener.open(match[1] + source[1], timeout=30) as answer:
            assert answer.headers["Content-Type"].startswith("text/javascript")
        assert (data / "kept here" / "noughts.db").is_file()
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert server.returncode == 0


def test_the_installed_program_serves_the_page(unpacked: Path, tmp_path: Path) -> None:
    check_that_it_serves([sys.executable, "-c", START, str(unpacked)], tmp_path, PYTHONPATH=str(unpacked))


# --- by a package manager, which takes the other packages from its cache or from the package index --------------------


def uv(*words: object, **more: str) -> None:
    """Run uv with the versions of the lock file, if it can without the network."""
    index = {"UV_DEFAULT_INDEX": os.environ["PIP_INDEX_URL"]} if "PIP_INDEX_URL" in os.environ else {}
    command = [program("uv"), *map(str, words), "--constraints", str(ROOT / "requirements" / "run.txt")]
    for offline in (["--offline"], []):
        process = subprocess.run(
            [*command, *offline], env=index | variables(**more), capture_output=True, text=True, check=False
        )
        if process.returncode == 0:
            return
    pytest.fail(process.stderr)


def test_the_wheel_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    """The packages that it names are all that it needs."""
    environment = tmp_path / "environment"
    output_of(sys.executable, "-m", "venv", "--without-pip", environment)
    uv("pip", "install", "--python", environment / "bin" / "python", wheel)
    check_that_it_serves([str(environment / "bin" / "noughts")], tmp_path)


def test_the_wheel_as_a_tool_of_uv(wheel: Path, tmp_path: Path) -> None:
    places = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    uv("tool", "install", "--python", sys.executable, wheel, **places)
    check_that_it_serves([str(tmp_path / "bin" / "noughts")], tmp_path)
