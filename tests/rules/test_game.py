"""One play-through: legality, ends that depend on history, and move lists from outside."""

from __future__ import annotations

import random

import pytest

from noughts.errors import Rejection
from noughts.rules.game import Game, new_game, replay, replay_names
from noughts.rules.notation import cell_names
from noughts.rules.outcome import Outcome
from noughts.rules.variant import VARIANTS, Variant

CLASSIC, VANISHING = VARIANTS["classic"], VARIANTS["vanishing"]
# After these moves the only winning move brings a position for the third time.
ROUND_AND_ROUND = [
    "a2",
    "a1",
    "c2",
    "c1",
    "a3",
    "b3",
    "b1",
    "a2",
    "b2",
    "a1",
    "c2",
    "c1",
    "a3",
    "b3",
    "b1",
    "b2",
    "a2",
    "a1",
    "c2",
    "c1",
    "a3",
    "b3",
]


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_a_game_starts_empty_with_x_to_move(variant: Variant) -> None:
    game = new_game(variant)
    assert (game.ply, game.moves, game.outcome, game.position.turn) == (0, (), None, "X")
    assert game.variant is variant


def test_after_the_end_nothing_may_be_played() -> None:
    game = replay_names(CLASSIC, ["a1", "a2", "b1", "b2", "c1"])
    assert game.legal() == ()
    with pytest.raises(Rejection, match="over") as refused:
        game.play(8)
    assert (refused.value.code, refused.value.ply) == ("illegal_move", 5)


@pytest.mark.parametrize(
    ("key", "moves", "wrong", "why"),
    [
        ("classic", "b2", "b2", "taken"),
        ("four-in-a-row", "d6", "d4", "below"),
        ("ultimate", "a1", "e5", "sent"),
        ("vanishing", "a1 b2 c1 c3 b3 a2", "a1", "taken"),
    ],
)
def test_an_illegal_move_says_why_and_at_which_ply(key: str, moves: str, wrong: str, why: str) -> None:
    with pytest.raises(Rejection, match=why) as refused:
        replay_names(VARIANTS[key], [*moves.split(), wrong])
    assert (refused.value.code, refused.value.ply) == ("illegal_move", len(moves.split()))


def test_a_cell_of_another_board_is_illegal_at_its_ply() -> None:
    with pytest.raises(Rejection) as refused:
        replay_names(CLASSIC, ["a1", "d4"])
    assert (refused.value.code, refused.value.ply) == ("illegal_move", 1)
    with pytest.raises(Rejection) as refused:
        replay_names(CLASSIC, ["a1", "a1", "d4"])
    assert (refused.value.code, refused.value.ply) == ("illegal_move", 1)


def test_nonsense_is_a_bad_message_wherever_it_stands() -> None:
    with pytest.raises(Rejection) as refused:
        replay_names(CLASSIC, ["a1", "!"])
    assert refused.value.code == "bad_message"


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_a_list_longer_than_the_variant_can_last_is_a_bad_message(variant: Variant) -> None:
    with pytest.raises(Rejection) as refused:
        replay_names(variant, ["a1"] * (variant.ply_limit + 1))
    assert refused.value.code == "bad_message"


def test_replay_is_play_after_play() -> None:
    rng = random.Random(5)
    for variant in VARIANTS.values():
        game = new_game(variant)
        while not game.outcome and game.ply < 40:
            game = game.play(rng.choice(game.legal()))
        assert replay(variant, game.moves) == game
        assert replay_names(variant, [cell_names(variant.shape)[cell] for cell in game.moves]) == game


# -- history: only where marks vanish ---------------------------------------------------------------------------------


def test_a_position_for_the_third_time_is_a_draw() -> None:
    game = replay_names(VANISHING, ROUND_AND_ROUND)
    assert game.outcome is None
    assert game.play(1).outcome == Outcome(None, "repetition")


def test_for_the_second_time_it_is_not() -> None:
    seen: dict[object, int] = {}
    game = new_game(VANISHING)
    for name in [*ROUND_AND_ROUND]:
        game = game.play(cell_names((3, 3)).index(name))
        seen[game.position.key] = seen.get(game.position.key, 0) + 1
        assert game.outcome is None
    assert max(seen.values()) == 2


def test_the_empty_board_counts_as_seen() -> None:
    assert new_game(VANISHING).seen == (new_game(VANISHING).position.key,)
    assert new_game(CLASSIC).play(0).seen == ()


def test_ply_200_is_a_draw() -> None:
    game = wander(VANISHING, 200)
    assert game.ply == 200
    assert game.outcome == Outcome(None, "ply_limit")


def test_a_line_at_ply_200_wins_all_the_same() -> None:
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
    """A game of this many plies that neither line nor repetition has ended: back up wherever one would."""
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
