"""The colours of the page: their contrast in each set, computed from ``css/tokens.css``, and that no other file has one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

CSS: Final = Path(__file__).parents[2] / "client_web" / "css"
TOKENS: Final = (CSS / "tokens.css").read_text()
PAPERS: Final = ("ground", "surface")
TEXTS: Final = ("ink", "quiet", "danger", "accent", "link")
MARKS: Final = ("x", "o", "grid")
SHEETS: Final = sorted(path.name for path in CSS.glob("*.css") if path.name != "tokens.css")

Rgb = tuple[float, float, float]


def declarations(selector: str) -> dict[str, str]:
    """Return the custom properties of the first rule with a selector."""
    rule = TOKENS[TOKENS.index(selector + " {") :]
    return dict(re.findall(r"--([\w-]+): ([^;]+);", rule[: rule.index("}")]))


def rgb_of(name: str, values: dict[str, str], dark: bool) -> Rgb:
    """Return a custom property as red, green and blue from 0 to 1."""
    value = values[name]
    if value.startswith("var("):
        return rgb_of(value[6:-1], values, dark)
    codes = re.findall(r"#([0-9a-f]{3,6})", value)
    code = codes[dark if len(codes) == 2 else 0]
    if len(code) == 3:
        code = "".join(digit * 2 for digit in code)
    red, green, blue = (int(code[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return red, green, blue


def mixed(rgb: Rgb, share: float, ground: Rgb) -> Rgb:
    """Return a colour of which a share lies over another."""
    red, green, blue = (share * over + (1 - share) * under for over, under in zip(rgb, ground, strict=True))
    return red, green, blue


def luminance(rgb: Rgb) -> float:
    """Return the relative luminance of WCAG 2."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: Rgb, second: Rgb) -> float:
    """Return the contrast of WCAG 2, from 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


PLAIN: Final = declarations(":root")
HIGH: Final = PLAIN | declarations(':root[data-theme="contrast"]')


def share(value: str) -> float:
    return float(value.rstrip("%")) / (100 if value.endswith("%") else 1)


def weakest(values: dict[str, str], dark: bool, names: tuple[str, ...], papers: tuple[str, ...] = PAPERS) -> float:
    """Return the lowest contrast of some colours on some grounds."""
    return min(contrast(rgb_of(name, values, dark), rgb_of(paper, values, dark)) for name in names for paper in papers)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_has_a_contrast_of_4_5(dark: bool) -> None:
    """Read text on the ground, a surface and a sunken part, a strip's words on its tint, and the text of a main button."""
    assert weakest(PLAIN, dark, TEXTS) >= 4.5
    assert weakest(PLAIN, dark, ("ink", "quiet"), ("sunken",)) >= 4.5
    assert weakest(PLAIN, dark, ("ink", "quiet", "danger"), ("x-tint", "o-tint")) >= 4.5
    assert weakest(PLAIN, dark, ("on-accent",), ("accent",)) >= 4.5
    assert weakest(PLAIN, dark, ("quiet",), ("wood",)) >= 4.5


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_marks_and_lines_have_a_contrast_of_3(dark: bool) -> None:
    """See marks and lines on the ground and on wood, marks on tints, discs in holes, and the hatch of a drawn board."""
    assert weakest(PLAIN, dark, MARKS) >= 3
    assert weakest(PLAIN, dark, ("x", "o"), ("sunken",)) >= 3
    assert weakest(PLAIN, dark, ("x",), ("x-tint",)) >= 3
    assert weakest(PLAIN, dark, ("o",), ("o-tint",)) >= 3
    assert weakest(PLAIN, dark, ("rack",)) >= 3
    assert weakest(PLAIN, dark, ("x", "o", "wood-line"), ("wood",)) >= 3
    assert weakest(PLAIN, dark, ("quiet",), ("sunken",)) >= 3


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("mark", ["x", "o"])
def test_a_won_line_and_other_marks_keep_a_contrast_of_3(mark: str, dark: bool) -> None:
    """See the winner's marks on the highlighter, and the faded marks beside it."""
    rgb = rgb_of(mark, PLAIN, dark)
    ground = rgb_of("ground", PLAIN, dark)
    assert contrast(rgb, mixed(rgb, share(PLAIN["highlighter"]), ground)) >= 3
    assert contrast(mixed(rgb, share(PLAIN["faded"]), ground), ground) >= 3


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_high_contrast_is_7(dark: bool) -> None:
    """See text, marks and lines with 7:1 on every ground, and lines twice as thick."""
    assert weakest(HIGH, dark, (*TEXTS, *MARKS), ("ground", "surface", "sunken")) >= 7
    assert weakest(HIGH, dark, ("on-accent",), ("accent",)) >= 7
    assert HIGH["line-width"] == "2"
    assert HIGH["faded"] == "1"


def test_reduced_motion_ends_every_duration() -> None:
    """Set each duration to zero."""
    durations = {name for name, value in PLAIN.items() if re.fullmatch(r"\d+ms", value)}
    still = declarations("@media (prefers-reduced-motion: reduce) {\n  :root")
    assert set(still) == durations
    assert set(still.values()) == {"0s"}


@pytest.mark.parametrize("name", SHEETS)
def test_other_sheets_take_their_values_from_the_tokens(name: str) -> None:
    """Find no colour and no duration. Those of forced colours have names."""
    text = (CSS / name).read_text()
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsl|\b\d+m?s\b", text) == []
