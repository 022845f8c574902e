"""Games between programs: a round robin of levels and bot files, each opening with either mark."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Final, NamedTuple

from noughts.bots.bot_file import BotError
from noughts.bots.chooser_process import ChooserProcess
from noughts.bots.elo import Tally
from noughts.bots.game_views import view_of
from noughts.engine.verdict import OPPOSITE
from noughts.engine.verdict import Value as VerdictValue
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game, new_game
from noughts.rules.outcome import MARKS, Mark, Outcome, other
from noughts.rules.variant import Variant
from noughts.values import Value

SMALL_BOARD: Final = 9
"""Cells of the boards on which an opening has at most two plies. On larger ones it has at most four."""
JUDGE_S: Final = 2.0
"""Seconds for the verdicts of one game."""


class Contestant(NamedTuple):
    """A player of a match: its name, the arguments of its process, and the seconds for a move."""

    name: str
    arguments: tuple[str, ...]
    seconds: float


class Failure(Value):
    """A bot that failed and lost its game by that."""

    player: str
    reason: str
    detail: str


class GameLine(Value):
    """One game of a match. ``replay`` is the path of a page on any server that shows it.

    ``thrown`` are the plies of moves after the opening that gave away a won or a drawn game, by exact verdicts.
    """

    variant: str
    number: int
    players: ByMark[str]
    opening: int
    moves: tuple[str, ...]
    winner: Mark | None
    reason: str
    thrown: tuple[int, ...]
    replay: str
    failure: Failure | None = None


class Pairing(NamedTuple):
    """Two players of a match, and how many games they play. Each opening is played twice, with the marks swapped."""

    first: Contestant
    second: Contestant
    games: int


class Standing:
    """What two players did against each other so far. ``thrown`` counts moves that gave away a won or a drawn game."""

    def __init__(self, pairing: Pairing) -> None:
        self.pairing = pairing
        self.tally = Tally()
        self.thrown = {pairing.first.name: 0, pairing.second.name: 0}

    def add(self, game: GameLine) -> None:
        """Count a game."""
        first_mark: Mark = "X" if self.pairing.first.name == game.players.X else "O"
        self.tally = self.tally.plus(0.5 if game.winner is None else 1.0 if game.winner == first_mark else 0.0)
        for ply in game.thrown:
            self.thrown[game.players.X if MARKS[ply & 1] == "X" else game.players.O] += 1


def pairings_of(contestants: Sequence[Contestant], games: int) -> list[Pairing]:
    """Return the pairings in which everybody plays ``games`` games against everybody else."""
    return [Pairing(first, second, games) for first, second in combinations(contestants, 2)]


def opening(variant: Variant, seed: str, number: int) -> Game:
    """Return the opening of games ``number`` and ``number + 1``: a few random moves that do not end the game."""
    rng = random.Random(f"{seed} {number // 2}")
    while True:
        game = new_game(variant)
        for _ in range(rng.randint(0, 2 if variant.cells <= SMALL_BOARD else 4)):
            game = game.play(rng.choice(game.legal()))
        if game.outcome is None:
            return game


def thrown_away(values: Sequence[VerdictValue | None], outcome: Outcome, first_ply: int) -> tuple[int, ...]:
    """Return the plies from ``first_ply`` on of moves after which a won game was no longer won, or a drawn one was lost.

    ``values`` are those of the positions for the side to move. The last position has the value of the outcome. A move counts
    only if the values before and after it are known.
    """
    thrown = []
    for ply in range(first_ply, len(values) - 1):
        before, after = values[ply], values[ply + 1]
        mover = MARKS[ply & 1]
        if after is None:
            kept: VerdictValue = "draw" if outcome.winner is None else "win" if outcome.winner == mover else "loss"
        else:
            kept = OPPOSITE[after]
        if (before == "win" and kept in ("draw", "loss")) or (before == "draw" and kept == "loss"):
            thrown.append(ply)
    return tuple(thrown)


def replay_path(variant: Variant, moves: Sequence[str], by_moves: bool, reason: str, winner: Mark | None) -> str:
    """Return the path of the page that replays a game. ``by_moves`` says whether the moves alone ended it."""
    over = "" if by_moves else f"&over={reason}{f',{winner}' if winner else ''}"
    return f"/replay#{variant.key}={','.join(moves)}{over}"


class _Lane:
    """One game at a time, between the processes of two players, with a judge."""

    def __init__(self, pairing: Pairing, seed: str) -> None:
        self._processes = {
            each.name: ChooserProcess([argument.replace("{seed}", seed) for argument in each.arguments], each.seconds)
            for each in (pairing.first, pairing.second)
        }
        self._judge = ChooserProcess(("judge",), 60.0)

    async def play(self, variant: Variant, number: int, names: ByMark[str], begun: Game) -> GameLine:
        """Play one game from an opening. A player that fails loses it."""
        game, failure = begun, None
        while game.outcome is None and failure is None:
            name = names.X if game.turn == "X" else names.O
            try:
                cell = await self._processes[name].choose(view_of(game, number))
                game = game.play(cell)
            except BotError as error:
                failure = Failure(name, error.reason, error.detail)
        outcome = game.outcome or Outcome(other(game.turn), "resignation")
        moves = game.move_names
        thrown: tuple[int, ...] = ()
        with suppress(BotError):  # without verdicts, nothing is counted
            values = await self._judge.judge(variant.key, moves, JUDGE_S)
            thrown = thrown_away(values, outcome, begun.ply)
        replay = replay_path(variant, moves, game.outcome is not None, outcome.reason, outcome.winner)
        return GameLine(
            variant.key, number + 1, names, begun.ply, moves, outcome.winner, outcome.reason, thrown, replay, failure
        )

    async def stop(self) -> None:
        for process in (*self._processes.values(), self._judge):
            await process.stop()


async def play_pairing(pairing: Pairing, variant: Variant, seed: str, lanes: int) -> AsyncGenerator[GameLine, None]:
    """Play the games of two players, several at once, and yield each as it ends."""
    numbers = iter(range(pairing.games))
    games: asyncio.Queue[GameLine | None] = asyncio.Queue()

    async def run(lane: _Lane) -> None:
        try:
            for number in numbers:
                swapped = number % 2 == 1
                x, o = (pairing.second, pairing.first) if swapped else (pairing.first, pairing.second)
                begun = opening(variant, seed, number)
                games.put_nowait(await lane.play(variant, number, ByMark(x.name, o.name), begun))
        finally:
            games.put_nowait(None)

    count = max(1, min(lanes, pairing.games))
    all_lanes = [_Lane(pairing, seed) for _ in range(count)]
    tasks = [asyncio.ensure_future(run(lane)) for lane in all_lanes]
    try:
        running = count
        while running:
            game = await games.get()
            if game is None:
                running -= 1
            else:
                yield game
        for task in tasks:
            await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for lane in all_lanes:
            await lane.stop()
