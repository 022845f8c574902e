"""A game in one process, played through a console without a terminal."""

from __future__ import annotations

import random

import pytest

from noughts.rules.game import Game
from noughts.rules.variant import VARIANTS
from noughts.terminal.local_game import Choice, LocalGame, Plan

CLASSIC = VARIANTS["classic"]


class Script:
    """A console whose answers are known beforehand. After the last one the input ends."""

    keys = ""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.said: list[str] = []
        self.questions: list[tuple[Game, str]] = []
        self.shown: list[Game] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def show(self, game: Game) -> None:
        self.shown.append(game)

    def ask(self, game: Game, question: str) -> str:
        self.questions.append((game, question))
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)


class Anyone(Script):
    """Plays any legal cell, until the game is over."""

    def ask(self, game: Game, question: str) -> str:
        self.questions.append((game, question))
        return random.Random(game.ply).choice(game.legal_names())


def play(script: Script, variant: str = "classic", level: str | None = "novice", mark: Choice = "X") -> Script:
    LocalGame(Plan(VARIANTS[variant], level, mark, 0.02), script).run()
    return script


def left(script: Script, **plan: str | None) -> Script:
    """Play until the script ends in mid-game."""
    with pytest.raises(EOFError):
        play(script, **plan)  # type: ignore[arg-type]
    return script


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("level", ["casual", None])
def test_every_variant_can_be_played_to_its_end(variant: str, level: str | None) -> None:
    script = play(Anyone(), variant, level)
    assert script.shown[-1].outcome is not None
    assert script.said[-1].endswith(".")


def test_two_people_play_in_turn() -> None:
    script = play(Script("a1", "a2", "b1", "b2", "c1"), level=None)
    assert [question for _, question in script.questions] == ["X to move:", "O to move:"] * 2 + ["X to move:"]
    assert script.said[-1] == "X wins with a1 b1 c1."


def test_the_engine_begins_if_the_person_plays_o() -> None:
    script = left(Script(), mark="O")
    assert script.said[-1].startswith("Otto (X) plays ")
    assert script.questions[0][0].ply == 1


def test_a_random_mark_is_either() -> None:
    first_plies = {left(Script(), mark="random").questions[0][0].ply for _ in range(40)}
    assert first_plies == {0, 1}


@pytest.mark.parametrize(
    ("answer", "words"),
    [("b2", "b2 is taken."), ("z9", "There is no cell z9"), ("?!", "A cell is"), ("", "Type a")],
)
def test_a_bad_answer_is_explained_and_asked_again(answer: str, words: str) -> None:
    script = left(Script("b2", answer), level=None)
    assert script.said[-1].startswith(words)
    assert [game.ply for game, _ in script.questions] == [0, 1, 1]


def test_undo_goes_back_to_this_persons_move() -> None:
    script = left(Script("b2", "undo"), mark="X")
    assert [game.ply for game, _ in script.questions] == [0, 2, 0]
    script = left(Script("b2", "undo", "undo"), level=None)
    assert [game.ply for game, _ in script.questions] == [0, 1, 0, 0]
    assert script.said[-1] == "There is no move to take back."


@pytest.mark.parametrize("answers", ["b2 a1 resign", "resign"])
def test_resigning_ends_the_game(answers: str) -> None:
    assert play(Script(*answers.split()), level=None).said[-1] == "O won by resignation."


def test_words_of_help() -> None:
    script = left(Script("help", "?", "moves", "board", "hint", "quit", "never read"), level=None)
    assert script.said[-4].startswith("Type the name of a cell to play there, such as b2.")
    assert script.said[-2] == "a1 b1 c1 a2 b2 c2 a3 b3 c3"
    assert script.said[-1].startswith("Otto would play ")
    assert script.answers == ["never read"]
    assert len(script.shown) == 1


def test_help_names_a_cell_of_the_board() -> None:
    script = left(Script("help"), variant="qubic", level=None)
    assert "such as a1.3." in script.said[-1]


def test_rules_and_hints_are_told() -> None:
    script = Script("e5")
    script.keys = "press any key"
    left(script, variant="ultimate", level=None)
    assert 'Type a cell such as e5, or press any key. "help"' in script.said[1]
    assert "Play in the middle board:" in script.questions[1][1]
    assert script.said[0].startswith("Ultimate. Your move sends")
