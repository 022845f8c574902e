"""The page's languages: their texts, and which of them a visitor gets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from noughts.app.page.languages import Language, languages, wanted_language

CATALOGUES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {"language.direction": "ltr", "a.b": 'A "{n}"', "d": "{n} d", "app": "{site}!"},
    "pt-BR": {"language.direction": "ltr", "a.b": "Ã"},
    "ar": {"language.direction": "rtl"},
}


@pytest.fixture
def texts(tmp_path: Path) -> Mapping[str, Language]:
    for key, catalogue in CATALOGUES.items():
        (tmp_path / f"{key}.json").write_text(json.dumps(catalogue))
    return languages(tmp_path, "Club")


def test_a_missing_text_is_english(texts: Mapping[str, Language]) -> None:
    assert set(texts) == {"en", "pt-BR", "ar"}
    portuguese = texts["pt-BR"]
    assert (portuguese.text("a.b"), portuguese.text("d"), portuguese.direction) == ("Ã", "{n} d", "ltr")
    assert texts["en"].text("a.b") == 'A "{n}"'
    assert (texts["ar"].text("app"), texts["ar"].direction) == ("Club!", "rtl")
    with pytest.raises(KeyError):
        texts["en"].text("none")


def test_a_page_without_english_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        languages(tmp_path, "Club")


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr-FR, ar-EG;q=0.9, en;q=0.8", "ar"),
        ("en;q=0.5, DE; q=0.7", "de"),
        ("de;q=0", "en"),
        ("de;q=zero, ;;=, *", "en"),
        ("fr", "en"),
        ("d" * 5_000, "en"),
    ],
)
def test_the_visitor_gets_the_first_language_that_there_is(header: str, key: str) -> None:
    assert wanted_language(header, {"en", "de", "ar"}) == key


@pytest.mark.parametrize(
    ("header", "key"),
    [("pt-br", "pt-BR"), ("PT-br-x", "pt-BR"), ("pt-PT", "pt"), ("pt", "pt"), ("zh-TW", "zh-Hant"), ("p", "en")],
)
def test_a_language_has_kinds(header: str, key: str) -> None:
    """The most exact catalogue comes first, then one of the same language."""
    assert wanted_language(header, ("en", "pt-BR", "pt", "zh-Hant")) == key
