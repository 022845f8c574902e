"""The page's catalogues translate every name and code that the server sends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from noughts.app.runtime import limits
from noughts.engine.levels import LEVELS
from noughts.errors import CODES
from noughts.rules.variant import VARIANTS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "client_web" / "js" / "texts"
SERVER = ROOT / "server" / "noughts"
LANGUAGES = {path.stem for path in PAGE.glob("*.json")}


def keys(language: str) -> set[str]:
    """Return the keys of a catalogue, with those of the server's sentences."""
    return {key for name in (language, f"server/{language}") for key in json.loads((PAGE / f"{name}.json").read_text())}


def test_the_page_offers_every_language_that_has_a_catalogue() -> None:
    assert set(re.findall(r'\{ key: "([\w-]+)", name', (PAGE / "i18n.js").read_text())) == LANGUAGES


def test_every_limit_has_a_text() -> None:
    """The admin page names the limits that were reached."""
    named = {key.removeprefix("admin.limit.") for key in json.loads((PAGE / "admin" / "en.json").read_text())}
    assert {limit.name for limit in vars(limits).values() if isinstance(limit, limits.Limit)} - named == set()


TRANSLATED = sorted(LANGUAGES - {"en"})


def sentences(*paths: str, code: str = r"\w+") -> set[str]:
    """Return the sentences with which these files and folders of the server reject a command. ``{n}`` is a value."""
    files = [file for path in paths for file in (SERVER / path).parent.glob(Path(path).name + "*")]
    sources = [source.read_text() for file in files for source in (file.rglob("*.py") if file.is_dir() else [file])]
    pattern = re.compile(rf'(?:Rejection\(\s*"{code}", f?|\bmessage = f?|\breturn f(?="{{name}} ))"([^"]+)"')
    return {without_names(literal) for source in sources for literal in pattern.findall(source)}


def without_names(sentence: str) -> str:
    """Return a sentence whose placeholders are all called the same."""
    return re.sub(r"\{[^}]+\}", "{n}", sentence)


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_has_the_words_of_the_server(language: str) -> None:
    """English needs none, because the server's own words are English."""
    wanted = {f"rejection.{code}" for code in CODES}
    wanted |= {f"{kind}.{variant}" for kind in ("variant", "rules") for variant in VARIANTS}
    assert {key for key in keys(language) if key.startswith(("variant.", "rules.", "rejection."))} == wanted


def test_english_names_every_level() -> None:
    """A level without a text is shown in the server's words."""
    named = {key.removeprefix("level.") for key in keys("en") if key.startswith("level.")}
    assert set(LEVELS) <= named


@pytest.mark.parametrize("language", TRANSLATED)
def test_reasons_are_translated_where_a_code_has_many(language: str) -> None:
    """The code alone does not say why a room, a seat or a name was rejected."""
    translated = {without_names(key.removeprefix("server.")) for key in keys(language) if key.startswith("server.")}
    wanted = sentences("room", "app/lobby/endpoints", "app/players/guests", "app/rooms/endpoints", code="forbidden")
    wanted |= sentences("app/rooms/factory", code="too_many_rooms") | sentences("app/players/identity")
    wanted |= sentences("rules/game", code="illegal_move")
    assert len(wanted) > 25
    assert wanted - translated == set()
    assert translated - sentences("room", "app", "rules/game") == set(), "the server no longer says this"
