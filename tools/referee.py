"""An independent referee: OpenSpiel, for the three of our games that it implements.

    python -m tools.referee rules  [VARIANT ...] [--games N]     random games: legal cells, turn and outcome agree
    python -m tools.referee match  VARIANT [--simulations N] [--games N] [--seconds S]

``match`` plays our top level against OpenSpiel's Monte Carlo tree search (random rollouts, exploration 2, its solver
on). The sides exchange X and O after each game. It prints the score with its 95 % interval. Our seconds a move are
processor time, so a busy machine does not weaken our side. The strength of OpenSpiel is a number of simulations, and its
time is not limited.

Needs ``pip install . open_spiel`` in an environment of its own; nothing else of the project needs OpenSpiel.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator

import pyspiel  # installed only to run this tool

from noughts.engine.budget import Budget
from noughts.engine.kernel import Kernel
from noughts.engine.kernels import kernel_for
from noughts.rules.game import Game, new_game
from noughts.rules.ultimate import BOARD_OF, PLACE_OF
from noughts.rules.variant import VARIANTS, Variant
from tools.scores import score_of

NAMES = {"classic": "tic_tac_toe", "four-in-a-row": "connect_four", "ultimate": "ultimate_tic_tac_toe"}


def show(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def actions(game: Game, cell: int) -> Iterator[int]:
    """Yield OpenSpiel's actions for filling ``cell``; in ultimate a free choice takes two, first the board."""
    if game.variant.nested:
        if game.position.forced is None:
            yield BOARD_OF[cell]
        yield PLACE_OF[cell]
    elif game.variant.gravity:
        yield cell % game.variant.columns
    else:
        yield cell


def legal_actions(state: pyspiel.State, game: Game) -> set[tuple[int, ...]]:
    """Return every sequence of actions that makes one move."""
    sequences: set[tuple[int, ...]] = set()
    for action in state.legal_actions():
        if game.variant.nested and game.position.forced is None:
            inner = state.clone()
            inner.apply_action(action)
            sequences.update((action, place) for place in inner.legal_actions())
        else:
            sequences.add((action,))
    return sequences


def disagreement(state: pyspiel.State, game: Game) -> str | None:
    """Return the first difference between the two sets of rules in this position, None if they agree."""
    if state.is_terminal() != (game.outcome is not None):
        return f"over: {state.is_terminal()} there, {game.outcome} here"
    if game.outcome is not None:
        ours = {"X": 1.0, "O": -1.0, None: 0.0}[game.outcome.winner]
        return None if state.returns()[0] == ours else f"outcome: {state.returns()} there, {game.outcome} here"
    if "XO"[state.current_player()] != game.position.turn:
        return f"turn: {state.current_player()} there, {game.position.turn} here"
    their_legal, legal = legal_actions(state, game), {tuple(actions(game, cell)) for cell in game.legal()}
    return None if their_legal == legal else f"legal: {sorted(their_legal)} there, {sorted(legal)} here"


def check_rules(variant: Variant, games: int, rng: random.Random) -> None:
    """Play random games and compare the rules after every move. Exit at the first difference."""
    spiel = pyspiel.load_game(NAMES[variant.key])
    positions = 0
    ends = {"X": 0, "O": 0, "draw": 0}
    for _ in range(games):
        game, state = new_game(variant), spiel.new_initial_state()
        while True:
            positions += 1
            difference = disagreement(state, game)
            if difference:
                sys.exit(f"{variant.key} after {game.moves}: {difference}")
            if game.outcome is not None:
                break
            cell = rng.choice(game.legal())
            for action in actions(game, cell):
                state.apply_action(action)
            game = game.play(cell)
        ends[game.outcome.winner or "draw"] += 1
    show(
        f"{variant.key}: {games} games, {positions} positions agree; "
        f"X won {ends['X']}, O {ends['O']}, {ends['draw']} drawn"
    )


def play(kernel: Kernel, spiel: pyspiel.Game, ours: str, simulations: int, seconds: float, seed: int) -> Game:
    """Play one game with ``ours`` as our mark."""
    rng = random.Random(seed)
    bot = pyspiel.MCTSBot(spiel, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, simulations, 2000, True, seed, False)
    game, state = new_game(kernel.variant), spiel.new_initial_state()
    while game.outcome is None:
        if game.position.turn == ours:
            budget = Budget(time.process_time() + seconds, time.process_time)
            cell = kernel.choose(game, budget, rng).cell
            for action in actions(game, cell):
                state.apply_action(action)
        else:
            actions_taken: list[int] = []
            while True:
                actions_taken.append(bot.step(state))
                state.apply_action(actions_taken[-1])
                matching = [cell for cell in game.legal() if list(actions(game, cell)) == actions_taken]
                if matching:
                    cell = matching[0]
                    break
        game = game.play(cell)
    return game


def match(kernel: Kernel, games: int, simulations: int, seconds: float, seed: int) -> None:
    """Print each game as it ends, then the score."""
    spiel = pyspiel.load_game(NAMES[kernel.variant.key])
    points: list[float] = []
    tally = {mark: [0, 0, 0] for mark in "XO"}  # won, drawn, lost
    for number in range(games):
        ours = "XO"[number % 2]
        game = play(kernel, spiel, ours, simulations, seconds, seed + number)
        assert game.outcome is not None
        winner = game.outcome.winner
        points.append(0.5 if winner is None else float(winner == ours))
        tally[ours][1 if winner is None else 0 if winner == ours else 2] += 1
        show(f"game {number + 1}: {ours}, {winner or 'draw'} in {game.ply}, {sum(points)}/{len(points)}")
    for mark, (won, drawn, lost) in tally.items():
        show(f"as {mark}: {won} won, {drawn} drawn, {lost} lost")
    show(
        f"{kernel.variant.key}, {seconds} s a move against {simulations} simulations, {games} games, seed {seed}: "
        f"{score_of(points)}"
    )


def main() -> None:
    """Run the command in the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("rules", "match"))
    parser.add_argument("variants", nargs="*", choices=[*NAMES, []])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for key in options.variants or NAMES:
        if options.command == "rules":
            check_rules(VARIANTS[key], options.games, random.Random(options.seed))
        else:
            match(kernel_for(VARIANTS[key]), options.games, options.simulations, options.seconds, options.seed)


if __name__ == "__main__":
    main()
