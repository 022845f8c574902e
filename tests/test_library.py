"""The engine for programs: moves, verdicts and analyses by the names of cells."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable

import pytest

from noughts import library
from noughts.engine import engine
from noughts.engine.verdict import UNKNOWN
from noughts.errors import Rejection
from noughts.library import analyse, choose, levels, variants, verdict
from noughts.rules.game import Game

OVER = Game.of("classic", "a1 a2 b1 b2 c1")


@pytest.mark.parametrize("key", variants)
def test_the_engine_plays_every_variant(key: str) -> None:
    game = Game.of(key)
    cell = choose(game, seconds=0.05)
    assert cell in game.legal_names()


def test_the_strongest_level_is_the_default() -> None:
    assert levels("classic")[-1] == "perfect"
    assert levels(variants["gomoku"])[-1] == "strongest"
    assert choose(Game.of("classic", "a1 b2 b1")) == "c1"


def test_a_seed_decides_between_equal_moves() -> None:
    game = Game.of("classic")
    assert [choose(game, "novice", seed=seed) for seed in range(8)] == [
        choose(game, "novice", seed=seed) for seed in range(8)
    ]
    assert len({choose(game, "novice", seed=seed) for seed in range(30)}) > 3


def test_an_unknown_level_is_rejected() -> None:
    with pytest.raises(Rejection, match="Levels of Tic-tac-toe: novice, casual") as rejection:
        choose(Game.of("classic"), "godlike")
    assert rejection.value.code == "bad_message"


def test_without_the_programs_the_default_level_does_not_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "fault", lambda: "no right to make code")
    assert levels("gomoku") == ("novice", "beginner", "casual")
    assert levels("5x5")[-1] == "perfect"
    game = Game.of("gomoku", "h8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choose(game, seconds=60.0) in game.legal_names()
    with pytest.raises(Rejection, match="Levels of Gomoku"):
        choose(game, "godlike")


def test_unknown_variants_are_rejected() -> None:
    with pytest.raises(Rejection, match="Choose one of: classic"):
        levels("chess")


def test_nothing_is_chosen_after_the_end() -> None:
    for function in (choose, verdict):
        with pytest.raises(Rejection) as rejection:
            function(OVER)
        assert rejection.value.code == "game_over"


def test_an_analysis_has_every_position() -> None:
    plies = analyse(OVER)
    assert [ply.ply for ply in plies] == [0, 1, 2, 3, 4, 5]
    assert [ply.turn for ply in plies] == ["X", "O", "X", "O", "X", None]
    assert (plies[4].verdict, plies[4].best) == (verdict(Game.of("classic", "a1 a2 b1 b2")), ("c1",))
    assert plies[-1] == (5, None, None, (), False)


def test_without_time_a_verdict_is_unknown() -> None:
    assert verdict(Game.of("gomoku"), seconds=0.0) == UNKNOWN


SEARCHES: dict[str, Callable[[], object]] = {
    "choose": lambda: choose(Game.of("classic"), "perfect"),
    "analyse": lambda: verdict(Game.of("classic")),
    "analyse_game": lambda: analyse(Game.of("classic")),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_one_thread_searches_at_a_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first thread waits within its search for the second one to begin another. It must not."""
    search = getattr(engine, name)
    inside = 0
    both = threading.Event()

    def counted(*arguments: object) -> object:
        nonlocal inside
        inside += 1
        if inside == 2:
            both.set()
        both.wait(0.1)
        inside -= 1
        return search(*arguments)

    monkeypatch.setattr(engine, name, counted)
    threads = [threading.Thread(target=SEARCHES[name]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not both.is_set()
