"""One play-through: legality, ends that depend on history, and move lists from outside."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from noughts.errors import Rejection
from noughts.rules.game import Game, new_game, replay, replay_names
from noughts.rules.outcome import Outcome
from noughts.rules.variant import VARIANTS, Variant

CLASSIC, VANISHING = VARIANTS["classic"], VARIANTS["vanishing"]
NAMES = CLASSIC.names
BEFORE_THIRD_TIME = "a2 a1 c2 c1 a3 b3 b1 a2 b2 a1 c2 c1 a3 b3 b1 b2 a2 a1 c2 c1 a3 b3".split()
"""Moves of vanishing after which b1 brings a position for the third time."""


def test_a_game_knows_its_moves_and_its_turn() -> None:
    game = replay_names(CLASSIC, ["b2", "a1", "c3"])
    assert (game.ply, game.moves, game.move_names, game.turn) == (3, (4, 0, 8), ("b2", "a1", "c3"), "O")
    assert game.legal_names() == ("b1", "c1", "a2", "c2", "a3", "b3")
    assert repr(game) == "Game(classic: b2 a1 c3)"


def test_games_are_equal_when_variant_and_moves_are() -> None:
    game = replay_names(CLASSIC, ["b2", "a1"])
    assert game == new_game(CLASSIC).play(4).play(0)
    assert hash(game) == hash(new_game(CLASSIC).play(4).play(0))
    assert game != replay_names(CLASSIC, ["a1", "b2"])
    assert game != replay_names(VARIANTS["misere"], ["b2", "a1"])
    assert game != game.moves


def test_after_the_end_no_move_is_legal() -> None:
    game = replay_names(CLASSIC, ["a1", "a2", "b1", "b2", "c1"])
    assert (game.legal(), game.legal_names()) == ((), ())
    with pytest.raises(Rejection, match="over") as raised:
        game.play(8)
    assert (raised.value.code, raised.value.ply) == ("illegal_move", 5)
    with pytest.raises(Rejection, match="over") as raised:
        replay(CLASSIC, [*game.moves, 8])
    assert (raised.value.code, raised.value.ply) == ("illegal_move", 5)


@pytest.mark.parametrize(
    ("key", "moves", "illegal", "reason"),
    [
        ("classic", "b2", "b2", "b2 is taken"),
        ("four-in-a-row", "d6", "d4", "d4 has a free cell below"),
        ("ultimate", "a1", "e5", "e5 is not in the board that you were sent to"),
        ("ultimate", "g5 c5 h5 f5 i5", "g4", "g4 is in a board that is decided"),
        ("vanishing", "a1 b2 c1 c3 b3 a2", "a1", "a1 is taken"),
    ],
)
def test_an_illegal_move_is_rejected_with_reason_and_ply(key: str, moves: str, illegal: str, reason: str) -> None:
    with pytest.raises(Rejection, match=reason) as raised:
        replay_names(VARIANTS[key], [*moves.split(), illegal])
    assert (raised.value.code, raised.value.ply) == ("illegal_move", len(moves.split()))
    game = replay_names(VARIANTS[key], moves.split())
    with pytest.raises(Rejection, match=reason) as raised:
        game.play(game.variant.index_of[illegal])
    assert (raised.value.code, raised.value.ply) == ("illegal_move", len(moves.split()))


@pytest.mark.parametrize(
    ("names", "code", "ply"),
    [
        ("a1 d4", "illegal_move", 1),
        ("a1 a1 d4", "illegal_move", 1),
        ("a1 !", "bad_message", None),
        ("! a1", "bad_message", None),
        ("a1 a1 !", "bad_message", None),
    ],
)
def test_names_that_are_no_cells_of_the_board(names: str, code: str, ply: int | None) -> None:
    """A cell of another board is illegal at its ply. Other text is a bad message, also after an illegal move."""
    with pytest.raises(Rejection) as raised:
        replay_names(CLASSIC, names.split())
    assert (raised.value.code, raised.value.ply) == (code, ply)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_a_list_longer_than_any_game_is_a_bad_message(variant: Variant) -> None:
    with pytest.raises(Rejection) as raised:
        replay_names(variant, ["a1"] * (variant.ply_limit + 1))
    assert raised.value.code == "bad_message"


def test_replay_plays_one_move_after_another() -> None:
    rng = random.Random(5)
    for variant in VARIANTS.values():
        game = new_game(variant)
        while not game.outcome and game.ply < 40:
            game = game.play(rng.choice(game.legal()))
        again = replay(variant, iter(game.moves))
        assert again == game
        assert (again.position, again.outcome, again.seen) == (game.position, game.outcome, game.seen)
        assert replay_names(variant, game.move_names) == game


# -- history: only where marks vanish ---------------------------------------------------------------------------------


def test_a_position_for_the_third_time_is_a_draw() -> None:
    game = replay_names(VANISHING, BEFORE_THIRD_TIME)
    assert game.outcome is None
    assert max(Counter(game.seen).values()) == 2
    assert game.play(1).outcome == Outcome(None, "repetition")


def test_ply_200_is_a_draw_unless_it_completes_a_line() -> None:
    assert wander(VANISHING, 200).outcome == Outcome(None, "ply_limit")
    rng = random.Random(1)
    for _ in range(50):
        game = wander(VANISHING, 199, rng)
        wins = [cell for cell in game.legal() if game.position.play(cell).ended(cell) is not None]
        if wins:
            last = game.play(wins[0])
            assert last.outcome is not None
            assert (last.ply, last.outcome.reason) == (200, "line")
            return
    raise AssertionError("no game had a line to complete at ply 200")


def wander(variant: Variant, plies: int, rng: random.Random | None = None) -> Game:
    """Return a random game of this many plies that no line and no repetition has ended.

    Take back a few moves wherever each move would end it.
    """
    rng = rng or random.Random(3)
    games = [new_game(variant)]
    while games[-1].ply < plies:
        game = games[-1]
        open_moves = [cell for cell in game.legal() if game.play(cell).outcome is None]
        if plies == 200 and game.ply == 199:
            return game.play(
                rng.choice([cell for cell in game.legal() if game.position.play(cell).ended(cell) is None])
            )
        if open_moves:
            games.append(game.play(rng.choice(open_moves)))
        else:
            del games[max(1, len(games) - rng.randint(1, 6)) :]
    return games[-1]


def test_a_game_is_made_of_a_key_and_a_text() -> None:
    for moves in ("b2 a1,c3", ["b2", "a1", "c3"]):
        assert Game.of("classic", moves) == Game.of(CLASSIC, moves) == replay_names(CLASSIC, ["b2", "a1", "c3"])
    assert Game.of("classic") == new_game(CLASSIC)
    with pytest.raises(Rejection, match="no variant"):
        Game.of("chess")


def test_a_move_may_be_a_name() -> None:
    game = new_game(CLASSIC).play("b2")
    assert game == new_game(CLASSIC).play(4)
    for name, code in (("b2", "illegal_move"), ("z9", "illegal_move"), ("centre", "bad_message")):
        with pytest.raises(Rejection) as rejection:
            game.play(name)
        assert rejection.value.code == code


@pytest.mark.parametrize("cell", [-1, 9])
def test_a_cell_outside_the_board_is_an_index_error(cell: int) -> None:
    with pytest.raises(IndexError, match="the cells 0 to 8"):
        new_game(CLASSIC).play(cell)


def test_a_board_is_text() -> None:
    assert Game.of("classic", "b2 a1").board() == "  a b c\n1 O . .\n2 . X .\n3 . . ."
    rows = Game.of("gomoku", "o15").board().splitlines()
    assert (rows[0], rows[1][:6], rows[-1][-3:], len(rows)) == ("   a b c d e f g h i j k l m n o", " 1 . .", ". X", 16)
    assert len(Game.of("qubic").board().splitlines()) == 4 * 5


def test_a_notebook_shows_a_picture_as_html_too() -> None:
    html = getattr(Game.of("classic", "b2"), "_repr_html_")()  # noqa: B009 - a name of notebooks, not a private one
    assert html.startswith("<svg")
