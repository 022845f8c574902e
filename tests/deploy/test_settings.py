"""The settings in deploy/: each exists and has a value that the program accepts."""

from __future__ import annotations

import re

from noughts.app.runtime.config import SETTINGS
from tests.project.reading import ROOT

FILES = sorted(path for path in (ROOT / "deploy").rglob("*") if path.suffix in (".yaml", ".service", ".md", ""))
FILES = [path for path in FILES if path.is_file()]
PARSERS = {setting.variable: setting.parse for setting in SETTINGS}
VALUE = re.compile(r"""\b(NOUGHTS_[A-Z_]+)(?::\s+|=|,\s+value:\s+)"?([^"\s}\\`]+)""")


def test_every_value_is_valid() -> None:
    values = [(path.name, *match) for path in FILES for match in VALUE.findall(path.read_text())]
    checked = 0
    for file, name, text in values:
        if "%" in text or text.startswith(("$", "<")):  # systemd puts the value in
            continue
        PARSERS[name](text.rstrip(",."))
        checked += 1
        assert file
    assert checked > 15


def test_no_file_names_a_registry() -> None:
    """An image or a package has a name alone: each machine takes it from where it takes all others."""
    for path in FILES:
        for image in re.findall(r"(?:image:|^FROM) (\S+)", path.read_text(), re.M):
            assert re.fullmatch(r"[a-z]+(:[\w.-]+)?", image), (path.name, image)
        assert not re.search(r"--index-url|--extra-index-url|--registry", path.read_text()), path.name
