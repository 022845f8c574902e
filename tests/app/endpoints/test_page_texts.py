"""The page's languages, as the server reads them from the catalogues."""

from __future__ import annotations

import subprocess
from typing import Final

import pytest

from noughts.app.endpoints.page_files import PageFiles, page_directory
from noughts.app.endpoints.page_texts import languages, wanted_language

SCRIPTS: Final = {
    "languages.js": '  { key: "de", name: "Deutsch", direction: "ltr", locale: "de" },\n'
    '  { key: "ar", name: "x", direction: "rtl", locale: "ar-u-nu-latn" },\n'
    'export const ENGLISH = { key: "en", name: "English", direction: "ltr", locale: "en" };\n',
    "en.js": 'export const EN = {\n  "a.b": "A \\"{n}\\"",\n  "c": "C", // so\n  "d": "{n} d",\n};\n',
    "de.js": 'export const TEXTS = {\n  "a.b": "Ä",\n  // Words\n};\n',
}


def test_a_missing_text_is_english() -> None:
    texts = languages(SCRIPTS)
    assert set(texts) == {"en", "de", "ar"}
    assert (texts["de"].text("a.b"), texts["de"].text("d", n="2"), texts["de"].direction) == ("Ä", "2 d", "ltr")
    assert texts["en"].text("a.b", n="x") == 'A "x"'
    with pytest.raises(KeyError):
        texts["en"].text("none")


def test_a_value_keeps_its_direction_from_right_to_left() -> None:
    arabic = languages(SCRIPTS)["ar"]
    assert arabic.direction == "rtl"
    assert arabic.text("d", n="b2") == "\u2068b2\u2069 d"


def test_every_text_of_the_catalogues_is_read() -> None:
    """Compare with what JavaScript makes of them."""
    folder = page_directory() / "js"
    for key, language in PageFiles(page_directory()).languages.items():
        name = "EN" if key == "en" else "TEXTS"
        script = f"import('{(folder / key).as_uri()}.js').then(m => console.log(Object.keys(m.{name}).length))"
        command = ["node", "--no-warnings", "-e", script]
        count = int(subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout)
        own = languages(
            {
                **{"languages.js": f'{{ key: "{key}", name: "", direction: "ltr"'},
                f"{key}.js": (folder / f"{key}.js").read_text(),
            }
        )
        assert len(own[key].texts) == count
        assert len(language.texts) >= count


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


def test_the_key_of_a_language_may_be_a_tag() -> None:
    texts = languages({"languages.js": '{ key: "pt-BR", name: "x", direction: "ltr" }', "pt-BR.js": '  "c": "C",\n'})
    assert texts["pt-BR"].text("c") == "C"
