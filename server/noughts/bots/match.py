"""Games between programs: a round robin of levels and bot files, each opening with either mark."""

from __future__ import annotations

import math
import random
import time
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from noughts.bots.bot_file import BotError
from noughts.bots.chooser_process import ChooserProcess
from noughts.engine.budget import Budget
from noughts.engine.engine import analyse_game, choose
from noughts.engine.verdict import OPPOSITE
from noughts.engine.verdict import Value as VerdictValue
from noughts.protocol.messages import View
from noughts.protocol.views import game_view
from noughts.room.room import RoomGame
from noughts.room.seat import HumanSeat, Seat
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game, new_game
from noughts.rules.outcome import MARKS, Mark, Outcome, other
from noughts.rules.variant import Variant
from noughts.values import Value

SMALL_BOARD: Final = 9
"""Cells of the boards on which an opening has at most two plies. On larger ones it has at most four."""
LEVEL_S: Final = 1.0
"""Seconds that a level may search for a move, as on a server."""
JUDGE_S: Final = 2.0
"""Seconds for the verdicts of one game."""
Z_95: Final = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""
_X, _O = HumanSeat("p_x", "X", bot=True), HumanSeat("p_o", "O", bot=True)
_SEATS: Final[ByMark[Seat]] = ByMark(_X, _O)


class Player(Protocol):
    """A player of a match."""

    name: str

    async def choose(self, game: Game, number: int, seed: str) -> str:
        """Return the cell to fill in game ``number``. Raise :class:`BotError` if there is none."""
        ...

    async def stop(self) -> None: ...


class LevelPlayer:
    """The engine at a level. Its random numbers depend on the seed and the moves, so equal seeds give equal games."""

    def __init__(self, name: str) -> None:
        self.name = self._level = name

    async def choose(self, game: Game, number: int, seed: str) -> str:
        budget = Budget(time.monotonic() + LEVEL_S, time.monotonic)
        rng = random.Random(f"{seed} {self._level} match-{number} {game.moves}")
        return game.variant.names[choose(game, self._level, budget, rng).cell]

    async def stop(self) -> None:
        pass


class BotPlayer:
    """A bot file, in a process of its own."""

    def __init__(self, file: Path, seconds: float) -> None:
        self.name = file.stem
        self._process = ChooserProcess(file, seconds)

    async def start(self) -> None:
        """Raise :class:`BotError` if the file cannot be used."""
        await self._process.start()

    async def choose(self, game: Game, number: int, seed: str) -> str:
        return await self._process.choose(view_of(game, number))

    async def stop(self) -> None:
        await self._process.stop()


class Failure(Value):
    """A bot that failed and lost its game by that."""

    player: str
    reason: str
    detail: str


class GameLine(Value):
    """One game of a match. ``replay`` is the path of a page on any server that shows it.

    ``thrown_away`` are the plies of moves after the opening that gave away a won or a drawn game, by exact verdicts.
    """

    variant: str
    number: int
    players: ByMark[str]
    opening: int
    moves: tuple[str, ...]
    winner: Mark | None
    reason: str
    thrown_away: tuple[int, ...]
    replay: str
    failure: Failure | None = None


class EloDifference(NamedTuple):
    """How many Elo points one player is above another, with the ends of the 95 % interval. Each may be infinite."""

    value: float
    low: float
    high: float


class Standing:
    """What two players did against each other so far. ``thrown`` counts moves that gave away a won or a drawn game."""

    def __init__(self, first: str, second: str) -> None:
        self.first, self.second = first, second
        self.wins = self.draws = self.losses = 0
        """Those of the first player."""
        self.thrown = {first: 0, second: 0}

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def add(self, game: GameLine) -> None:
        """Count a game."""
        first_mark: Mark = "X" if self.first == game.players.X else "O"
        self.wins += game.winner == first_mark
        self.draws += game.winner is None
        self.losses += game.winner == other(first_mark)
        for ply in game.thrown_away:
            self.thrown[game.players.of(MARKS[ply & 1])] += 1

    def elo(self) -> EloDifference:
        """Return the Elo difference after at least one game.

        The interval is Wilson's for a share of wins, in which a draw counts half (E. B. Wilson, 1927). It is wide enough for
        draws too, because they vary less. It never collapses, not even after wins only.
        """
        share = (self.wins + self.draws / 2) / self.games
        weight = Z_95 * Z_95 / self.games
        centre = (share + weight / 2) / (1 + weight)
        reach = Z_95 / (1 + weight) * math.sqrt(share * (1 - share) / self.games + weight / (4 * self.games))
        return EloDifference(_elo(share), _elo(centre - reach), _elo(centre + reach))


def _elo(share: float) -> float:
    """Return the Elo difference at which a player wins this share of the points."""
    if share <= 1e-12:
        return -math.inf
    if share >= 1 - 1e-12:
        return math.inf
    return -400.0 * math.log10(1.0 / share - 1.0)


def view_of(game: Game, number: int) -> View:
    """Return the view of game ``number`` of a match, as a room shows it to everybody."""
    over = game.outcome is not None
    room_game = RoomGame(number, game, _SEATS, 0, 0, ByMark(0, 0), outcome=game.outcome)
    return View(
        id=f"match-{number}",
        version=game.ply + 1,
        variant=game.variant.key,
        visibility="unlisted",
        join=None,
        owner="p_x",
        phase="finished" if over else "playing",
        seats=ByMark(_X, _O),
        game=game_view(room_game, not over),
        clock=None,
        offers=(),
        score=(),
        draws=0,
        spectator_chat="off",
        created_ms=0,
        expires_ms=0,
    )


def opening(variant: Variant, seed: str, number: int) -> Game:
    """Return the opening of games ``number`` and ``number + 1``: a few random moves that do not end the game."""
    rng = random.Random(f"{seed} {number // 2}")
    while True:
        game = new_game(variant)
        for _ in range(rng.randint(0, 2 if variant.cells <= SMALL_BOARD else 4)):
            game = game.play(rng.choice(game.legal()))
        if game.outcome is None:
            return game


def thrown_away(values: list[VerdictValue | None], outcome: Outcome, first_ply: int) -> tuple[int, ...]:
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


async def play(players: ByMark[Player], variant: Variant, number: int, seed: str) -> GameLine:
    """Play one game. A player that fails loses it."""
    game, failure = opening(variant, seed, number), None
    first_ply = game.ply
    while game.outcome is None and failure is None:
        player = players.of(game.turn)
        try:
            game = game.play(await player.choose(game, number, seed))
        except BotError as error:
            failure = Failure(player.name, error.reason, error.detail)
    outcome = game.outcome or Outcome(other(game.turn), "resignation")
    budget = Budget(time.monotonic() + JUDGE_S, time.monotonic)
    verdicts = [ply.verdict for ply in analyse_game(variant, game.moves, budget)]
    thrown = thrown_away([None if verdict is None else verdict.value for verdict in verdicts], outcome, first_ply)
    moves, names = game.move_names, ByMark(players.X.name, players.O.name)
    winner = f",{outcome.winner}" if outcome.winner else ""
    over = "" if game.outcome is not None else f"&over={outcome.reason}{winner}"
    replay = f"/replay#{variant.key}={','.join(moves)}{over}"
    return GameLine(
        variant.key, number + 1, names, first_ply, moves, outcome.winner, outcome.reason, thrown, replay, failure
    )
