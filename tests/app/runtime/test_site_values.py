"""What an operator writes on the pages, and the sentences that refuse what cannot be shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from noughts.app.runtime.config import load
from noughts.app.runtime.setting_values import SettingError
from noughts.app.runtime.site_values import GROUNDS, MAX_WELCOME, contrast, text_on

TOKENS = (Path(__file__).parents[3] / "client_web" / "css" / "tokens.css").read_text()


def refusal(flag: str, text: str) -> str:
    """Return the sentence with which the start refuses a setting."""
    with pytest.raises(SettingError) as error:
        load({flag: text}, {})
    return str(error.value)


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("site_name", "Schachklub <Nord> & Süd"),
        ("site_name", "ن" * 40),
        ("legal_url", "https://club.example.org/legal?lang=de"),
        ("contact", "http://club.example.org/contact"),
        ("contact", "mailto:games@club.example.org"),
        ("accent", "#1b7f6b"),
    ],
)
def test_a_value_is_kept(flag: str, text: str) -> None:
    assert getattr(load({flag: text}, {})[0], flag) == text


@pytest.mark.parametrize(
    ("flag", "text", "sentence"),
    [
        ("site_name", " ", "--site-name must be a name of 1 to 40 characters"),
        ("site_name", "n" * 41, "--site-name must be a name of 1 to 40 characters"),
        ("site_name", "{{base}}", "--site-name must be a name of 1 to 40 characters without braces"),
        ("site_name", "a\u202eb", "--site-name must be a name of 1 to 40 characters"),
        ("legal_url", "javascript:alert(1)", "--legal-url must be a URL that begins with http:// or https://"),
        ("legal_url", "mailto:a@b.example", "--legal-url must be a URL that begins with http:// or https://"),
        ("contact", "ftp://a.example", "--contact must begin with http://, https:// or mailto:"),
        ("contact", "mailto:nobody", "--contact must be a mail address"),
        ("contact", "mailto:a@b.example,c@d.example", "--contact must be a mail address"),
        ("accent", "red", "--accent must be a colour such as #1b7f6b, not 'red'"),
        ("accent", "#ffee00", "--accent must have a contrast of at least 3 to the light page, and #ffee00 has 1.1"),
        ("accent", "#101070", "--accent must have a contrast of at least 3 to the dark page, and #101070 has 1.1"),
    ],
)
def test_a_value_that_cannot_be_shown_stops_the_start(flag: str, text: str, sentence: str) -> None:
    assert refusal(flag, text).startswith(sentence)


def test_the_welcome_is_a_small_file_of_text(tmp_path: Path) -> None:
    file = tmp_path / "welcome.txt"
    file.write_text(" Hello.\nRules: https://club.example.org\n")
    assert load({"welcome": str(file)}, {})[0].welcome == "Hello.\nRules: https://club.example.org"
    file.write_bytes(b"a" * (MAX_WELCOME + 1))
    assert "at most 1024 bytes" in refusal("welcome", str(file))
    file.write_bytes(b"\xff")
    assert "UTF-8" in refusal("welcome", str(file))
    file.write_text("\x1b[2J")
    assert "without control characters" in refusal("welcome", str(file))
    assert "must be a readable file" in refusal("welcome", str(tmp_path))


def test_the_grounds_are_those_of_the_page() -> None:
    """Compare the colours with which an accent is checked to the tokens of the style sheet."""
    tokens = [re.findall(rf"--{name}: light-dark\((#\w+), (#\w+)\);", TOKENS)[0] for name in ("ground", "surface")]
    assert dict(zip(("light", "dark"), zip(*tokens, strict=True), strict=True)) == GROUNDS


def test_text_on_any_colour_can_be_read() -> None:
    greys = [f"#{level:02x}{level:02x}{level:02x}" for level in range(256)]
    assert min(contrast(text_on(grey), grey) for grey in greys) >= 4.5
