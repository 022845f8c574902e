"""A game in this process: against the engine, or of two people at one keyboard. It needs no server and no network."""

from __future__ import annotations

import random
from typing import Literal, TypeAlias

from noughts.errors import Rejection
from noughts.library import choose
from noughts.rules.game import Game
from noughts.rules.outcome import Mark, Outcome, other
from noughts.rules.variant import Variant
from noughts.terminal.console import Console
from noughts.terminal.words import HELP, cell_answer, game_ending, help_for, hint_of, moved
from noughts.values import Value

Choice: TypeAlias = Literal["X", "O", "random"]


class Plan(Value):
    """What is played: the variant, the engine's level or None for two people, the person's mark, the seconds of a search."""

    variant: Variant
    level: str | None
    mark: Choice
    seconds: float


class LocalGame:
    """One game at a console, from the first question to the end."""

    def __init__(self, plan: Plan, console: Console) -> None:
        self._plan = plan
        self._console = console
        self._game = Game.of(plan.variant)
        self._mark: Mark = random.choice(("X", "O")) if plan.mark == "random" else plan.mark

    def run(self) -> None:
        """Play the game. Raise EOFError and KeyboardInterrupt when the person leaves."""
        self._greet()
        while self._game.outcome is None:
            if self._is_engines_turn():
                self._engine_moves()
            else:
                self._person_moves()
        outcome = self._game.outcome
        self._console.show(self._game)
        self._console.say(game_ending(self._game, outcome))

    def _greet(self) -> None:
        variant, level = self._plan.variant, self._plan.level
        if level is None:
            players = "Two people play at this keyboard. X begins."
        else:
            players = f"You play {self._mark}. Otto plays {other(self._mark)} at the level {level}. X begins."
        keys = f", or {self._console.keys}" if self._console.keys else ""
        example = variant.names[variant.cells // 2]
        self._console.say(f"{variant.name}. {variant.rules}\n{players}")
        self._console.say(f'Type a cell such as {example}{keys}. "help" lists what else you can type.')

    def _is_engines_turn(self) -> bool:
        return self._plan.level is not None and self._game.turn != self._mark

    def _engine_moves(self) -> None:
        mark = self._game.turn
        cell = choose(self._game, self._plan.level, seconds=self._plan.seconds)
        self._game = self._game.play(cell)
        self._console.say(moved(mark, cell, "Otto"))

    def _person_moves(self) -> None:
        hint = hint_of(self._game)
        question = f"{self._game.turn} to move:" if self._plan.level is None else f"Your move ({self._game.turn}):"
        answer = self._console.ask(self._game, f"{hint}\n{question}" if hint else question)
        match answer.lower():
            case "":
                self._console.say('Type a cell, or "help".')
            case "help" | "?":
                self._console.say(help_for(HELP, self._game))
            case "board":
                self._console.show(self._game)
            case "moves":
                self._console.say(" ".join(self._game.legal_names()))
            case "hint":
                self._console.say(f"Otto would play {choose(self._game, seconds=self._plan.seconds)}.")
            case "undo":
                self._undo()
            case "resign":
                self._resign()
            case "quit" | "exit":
                raise EOFError
            case _:
                self._play(answer)

    def _play(self, answer: str) -> None:
        try:
            self._game = self._game.play(cell_answer(self._game, answer))
        except Rejection as rejection:
            self._console.say(f"{rejection.message} Try again.")

    def _undo(self) -> None:
        """Go back to before this person's last move, which is two plies ago against the engine."""
        plies = 1 if self._plan.level is None else 2
        if self._game.ply < plies:
            self._console.say("There is no move to take back.")
            return
        self._game = Game.of(self._game.variant, self._game.move_names[:-plies])
        self._console.say("Taken back.")

    def _resign(self) -> None:
        game = self._game
        self._game = Game(game.moves, game.position, Outcome(other(game.turn), "resignation"), game.seen)
