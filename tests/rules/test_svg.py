"""Pictures as SVG: the elements of every board, and that a picture refers to nothing outside itself."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from noughts.rules.game import Game, replay, start
from noughts.rules.outcome import Outcome
from noughts.rules.svg import board_svg, scene_svg
from noughts.rules.variant import VARIANTS

NAMESPACE = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "g", "rect", "path", "circle", "text"}
ATTRIBUTES = set(
    "width height viewBox role aria-label x y rx cx cy r d transform data-cell fill stroke stroke-width stroke-linecap"
    " stroke-linejoin opacity font-family font-size font-weight".split()
)
MAX_CHARACTERS = 60_000
INK, SURFACE = "#1c2030", "#fffefb"
MARK, TINT, HIGHLIGHT = "#2257c4", "#e3ebfb", "#cad6ee"
"""The colours of X."""


def picture(game: Game, outcome: Outcome | None = None) -> ET.Element:
    """Return the elements of a game's board. ``outcome`` replaces the game's own."""
    last = game.moves[-1] if game.moves else None
    return ET.fromstring(board_svg(game.position, last, outcome or game.outcome))


def elements(root: ET.Element, tag: str, **attributes: str) -> list[ET.Element]:
    """Return the elements with this tag and these attributes."""
    wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
    return [each for each in root.iter(NAMESPACE + tag) if wanted.items() <= each.attrib.items()]


def marks(root: ET.Element) -> dict[str, ET.Element]:
    """Return the element of each mark by its cell."""
    return {name: each for each in root.iter() if (name := each.get("data-cell"))}


def positions(key: str, seed: int) -> Iterator[Game]:
    """Yield each game on the way to the end of a random one."""
    rng, game = random.Random(f"{key} {seed}"), replay(VARIANTS[key], ())
    yield game
    while game.outcome is None:
        game = game.play(rng.choice(game.legal()))
        yield game


@pytest.mark.parametrize("key", list(VARIANTS))
def test_every_position_has_a_picture_of_its_marks(key: str) -> None:
    for game in (game for seed in range(2) for game in positions(key, seed)):
        last = game.moves[-1] if game.moves else None
        scene = scene_svg(game.position, last, game.outcome, "A sentence.")
        assert len(scene) < MAX_CHARACTERS
        for root in (picture(game), ET.fromstring(scene)):
            cells = {game.variant.names[cell] for cell in range(game.variant.cells) if position_has(game, cell)}
            assert set(marks(root)) == cells


def position_has(game: Game, cell: int) -> bool:
    return bool((game.position.x | game.position.o) >> cell & 1)


@pytest.mark.parametrize("key", list(VARIANTS))
def test_a_picture_refers_to_nothing_outside_itself(key: str) -> None:
    *_, before_end, end = positions(key, 1)
    for game in (before_end, end):
        text = scene_svg(game.position, game.moves[-1], game.outcome, "A sentence.") + board_svg(
            game.position, game.moves[-1], game.outcome
        )
        assert "url(" not in text
        for each in ET.fromstring(f"<all>{text}</all>").iter():
            assert each.tag == "all" or each.tag.removeprefix(NAMESPACE) in TAGS
            assert set(each.attrib) <= ATTRIBUTES


def test_names_and_sentences_are_escaped() -> None:
    name = "<script>\"&'\x00\ud800</script>"
    position = start(replace(VARIANTS["classic"], name=name))
    board = ET.fromstring(board_svg(position, None, None))
    assert board.get("aria-label") == "<script>\"&'</script>"
    scene = ET.fromstring(scene_svg(position, None, None, "<b>&</b>"))
    assert [each.text for each in elements(scene, "text")] == ["<script>\"&'</script>", "<b>&</b>", "Noughts"]


def test_the_newest_mark_has_a_patch_until_a_line_is_complete() -> None:
    game = Game.of("classic", "b2 a1 c1 a2")
    assert len(elements(picture(game), "rect", fill="#fbe6dc", transform="matrix(1 0 0 1 0 100)")) == 1
    assert not elements(picture(game.play("a3")), "rect", fill=TINT)


def test_a_completed_line_is_highlighted_and_the_other_marks_are_faded() -> None:
    root = picture(Game.of("classic", "b2 a1 c1 a2 a3"))
    (line,) = elements(root, "path", stroke=HIGHLIGHT)
    assert line.get("d") in ("M250 50L50 250", "M50 250L250 50")
    assert {cell for cell, mark in marks(root).items() if mark.get("opacity")} == {"a1", "a2"}


def test_a_line_that_loses_is_crossed_out() -> None:
    root = picture(Game.of("misere", "b2 a1 c1 a2 c3 a3"))
    assert len(elements(root, "path", stroke=INK)) == 1
    assert not [mark for mark in marks(root).values() if mark.get("opacity")]


def test_the_mark_that_leaves_next_is_hollow_until_the_end() -> None:
    game = Game.of("vanishing", "b1 a1 a2 c3 c2 b3")
    hollow = {cell for cell, mark in marks(picture(game)).items() if len(mark) == 2}
    assert hollow == {"b1"}
    ended = picture(game, Outcome("X", "resignation"))
    assert {len(mark) for mark in marks(ended).values()} == {1}


def test_a_rack_has_holes_and_a_ring_around_the_newest_disc() -> None:
    root = picture(Game.of("four-in-a-row", "d6"))
    assert len(elements(root, "circle", r="43", fill=SURFACE)) == 42
    (ring,) = elements(root, "circle", r="47")
    assert (ring.get("cx"), ring.get("cy")) == ("366", "566")
    assert len(elements(root, "circle", r="41", fill=MARK)) == 1


def test_stones_lie_on_crossings_and_the_newest_has_a_dot() -> None:
    root = picture(Game.of("gomoku", "h8 a1"))
    assert len(elements(root, "circle", r="41", fill=MARK)) == 1
    assert len(elements(root, "circle", r="13", fill="#c9420f")) == 1
    assert len(elements(picture(Game.of("gomoku", "h8")), "circle", r="13", fill=SURFACE)) == 1
    won = picture(Game.of("gomoku", "h8 a1 i8 a2 j8 a3 k8 a5 l8"))
    assert len(elements(won, "path", stroke=HIGHLIGHT, stroke_width="99")) == 1


def test_a_line_through_layers_has_dots_between_its_cells() -> None:
    game = Game.of("qubic", "a1.1 b1.1 b2.2 c1.1 c3.3 d1.1 d4.4")
    root = picture(game)
    assert len(elements(root, "rect", fill=HIGHLIGHT)) == 4
    heights = [float(dot.get("cy") or 0) for dot in elements(root, "circle", r="6", fill=MARK)]
    assert len(heights) >= 3
    assert heights == sorted(heights)


def test_small_boards_that_may_be_played_in_have_frames() -> None:
    assert len(frames(Game.of("ultimate"))) == 9
    (frame,) = frames(Game.of("ultimate", "e5 d4"))
    assert (frame.get("x"), frame.get("y"), frame.get("stroke")) == ("5", "5", MARK)
    assert not elements(picture(Game.of("ultimate", "e5"), Outcome("X", "resignation")), "rect", stroke_width="9")


def frames(game: Game) -> list[ET.Element]:
    """Return the frames of small boards."""
    return elements(picture(game), "rect", fill="none", stroke_width="9")


def test_a_small_board_that_is_won_has_a_large_mark() -> None:
    game = Game.of("ultimate", "h7 f3 h8 f6")
    large = re.compile(r"matrix\(2\.52 ")
    assert not [each for each in picture(game).iter() if large.match(each.get("transform", ""))]
    root = picture(game.play("h9"))
    assert [each.tag for each in root.iter() if large.match(each.get("transform", ""))] == [NAMESPACE + "path"]
    assert marks(root)["h7"].get("opacity") == ".3"
    assert len(elements(root, "rect", fill=TINT, width="316")) == 1


def test_a_large_line_is_highlighted_and_the_other_large_marks_are_faded() -> None:
    for game in (game for seed in range(40) for game in positions("ultimate", seed)):
        if game.outcome is not None and game.outcome.cells:
            break
    root = picture(game)
    assert len(elements(root, "path", stroke_width="198")) == 1
    large = [each for each in root.iter() if (each.get("transform") or "").startswith("matrix(2.52 ")]
    assert sum(each.get("opacity") is None for each in large) == 3


def test_a_notebook_shows_the_board_of_a_game() -> None:
    game = Game.of("classic", "b2 a1")
    assert game._repr_svg_() == board_svg(game.position, 0, None)
    assert Game.of("classic")._repr_svg_() == board_svg(start(VARIANTS["classic"]), None, None)
