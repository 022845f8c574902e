"""``noughts match``: let two levels or bots play against each other, and count who wins."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from noughts.bots.bot_file import BotError
from noughts.bots.chooser import Chooser
from noughts.command_line import Parser, UsageError, choice, command_parser
from noughts.engine.levels import level_names
from noughts.library import choose
from noughts.protocol.messages import View
from noughts.protocol.views import game_view, seats_view
from noughts.room.room import RoomGame
from noughts.room.seat import HumanSeat, Seat
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game, new_game
from noughts.rules.outcome import Mark, other
from noughts.rules.variant import VARIANTS, Variant

SMALL_BOARD: Final = 9
"""Cells of the boards on which an opening has at most two plies. On larger ones it has at most four."""
_SEATS: Final[ByMark[Seat]] = ByMark(HumanSeat("p_x", bot=True), HumanSeat("p_o", bot=True))


class Player:
    """A level of the engine, or a bot file in a process of its own."""

    def __init__(self, text: str, variant: Variant, seconds: float) -> None:
        """Raise :class:`UsageError` if ``text`` names neither."""
        self._level = text if text in level_names(variant) else None
        if self._level is None and not text.endswith(".py") and not Path(text).exists():
            levels = ", ".join(level_names(variant))
            raise UsageError(f"{text!r} is no level of {variant.name} and no bot file. The levels are: {levels}.")
        self.name = self._level or Path(text).stem
        self._bot = Chooser(Path(text), seconds)

    async def start(self) -> None:
        """Raise :class:`UsageError` if a bot file cannot be used."""
        if self._level is not None:
            return
        try:
            await self._bot.start()
        except BotError as error:
            print(error.detail, end="", file=sys.stderr)
            raise UsageError(error.reason) from None

    async def choose(self, game: Game, number: int, rng: random.Random) -> str:
        """Return the cell to fill in game ``number``. Raise :class:`BotError` if there is none."""
        if self._level is not None:
            return choose(game, self._level, seed=rng.getrandbits(32))
        return await self._bot.choose(view_of(game, number))

    async def stop(self) -> None:
        await self._bot.stop()


def main(arguments: Sequence[str]) -> int:
    """Play the match. Return the exit status."""
    parsed = _parser().parse_args(arguments[1:])
    variant = choice("variant", parsed.variant, VARIANTS)
    if parsed.games < 1 or not parsed.seconds > 0:
        raise UsageError("--games and --seconds must be more than 0.")
    first, second = [Player(text, variant, parsed.seconds) for text in parsed.players]
    if first.name == second.name:
        second.name = f"{second.name} 2"
    asyncio.run(_match(first, second, variant, parsed.games, parsed.seed))
    return 0


async def _match(first: Player, second: Player, variant: Variant, games: int, seed: int) -> None:
    """Play all games. Print each of them, and then how often the first player won."""
    wins = losses = 0
    try:
        await first.start()
        await second.start()
        for number in range(1, games + 1):
            players = ByMark(first, second) if number % 2 else ByMark(second, first)
            game, winner = await play(players, opening(variant, seed, number), number, seed)
            wins += winner is not None and players.of(winner) is first
            losses += winner is not None and players.of(winner) is second
            words = f"{players.of(winner).name} wins as {winner}" if winner else "draw"
            print(f"game {number}: {words}: {' '.join(game.move_names)}", flush=True)
    finally:
        await first.stop()
        await second.stop()
    counts = f"wins {wins}, draws {games - wins - losses}, losses {losses}"
    print(f"{variant.name}, {first.name} against {second.name}: {counts}")


async def play(players: ByMark[Player], game: Game, number: int, seed: int) -> tuple[Game, Mark | None]:
    """Play a game from its opening on. Return it and the winner. A player that fails loses."""
    rng = random.Random(f"{seed} {number}")
    while game.outcome is None:
        player = players.of(game.turn)
        try:
            game = game.play(await player.choose(game, number, rng))
        except BotError as error:
            print(f"game {number}: {player.name} loses: {error.reason}\n{error.detail}", end="", file=sys.stderr)
            return game, other(game.turn)
    return game, game.outcome.winner


def opening(variant: Variant, seed: int, number: int) -> Game:
    """Return a few random moves that do not end the game. An odd game and the next one have the same."""
    rng = random.Random(f"{seed} {variant.key} {(number + 1) // 2}")
    while True:
        game = new_game(variant)
        for _ in range(rng.randint(0, 2 if variant.cells <= SMALL_BOARD else 4)):
            game = game.play(rng.choice(game.legal()))
        if game.outcome is None:
            return game


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
        seats=seats_view(ByMark(_SEATS.X, _SEATS.O), {"p_x": "X", "p_o": "O"}),
        game=game_view(room_game, not over),
        clock=None,
        offers=(),
        score=(),
        draws=0,
        spectator_chat="off",
        created_ms=0,
        expires_ms=0,
        series=None,
        swap=False,
    )


def _parser() -> Parser:
    parser = command_parser("match")
    parser.add_argument("players", nargs=2, metavar="PLAYER", help="a level, such as novice, or a bot file")
    parser.add_argument("--variant", default="classic", metavar="KEY", help="the variant (%(default)s)")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="how many games (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="another number gives other openings (%(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, default=30.0, metavar="S", help="time of a bot for a move (%(default)s)"
    )
    return parser
