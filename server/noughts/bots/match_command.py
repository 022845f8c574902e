"""``noughts match``: let levels and bots play against each other, and print who is stronger."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import combinations
from pathlib import Path
from typing import IO

from noughts.bots.bot_file import BotError
from noughts.bots.match import BotPlayer, GameLine, LevelPlayer, Player, Standing, play
from noughts.command_line import Parser, UsageError, choice, command_parser
from noughts.engine.levels import level_names
from noughts.protocol.codec import encode
from noughts.rules.by_mark import ByMark
from noughts.rules.variant import VARIANTS, Variant


def main(arguments: Sequence[str]) -> int:
    """Play the match. Return the exit status."""
    parsed = _parser().parse_args(arguments[1:])
    variant = choice("variant", parsed.variant, VARIANTS)
    if len(parsed.players) < 2:
        raise UsageError("a match needs two players: name levels or bot files, such as: noughts match novice FILE.py")
    if parsed.games < 1 or not parsed.seconds > 0:
        raise UsageError("--games and --seconds must be more than 0.")
    players = [player(text, variant, parsed.seconds) for text in parsed.players]
    give_names(players)
    try:
        out = nullcontext() if parsed.out is None else parsed.out.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{parsed.out} cannot be written: {error.strerror}. Choose another --out.") from None
    with out as file:
        standings = asyncio.run(_play(players, variant, parsed.games, parsed.seed, file, quiet=parsed.json))
    if parsed.json:
        print(json.dumps(as_json(variant, standings), indent=2))
    else:
        print(as_table(variant, standings), end="")
    return 0


def player(text: str, variant: Variant, seconds: float) -> Player:
    """Return the player that an argument names: a level of the variant, or a bot file."""
    if text in level_names(variant):
        return LevelPlayer(text)
    if text.endswith(".py") or Path(text).exists():
        return BotPlayer(Path(text), seconds)
    raise UsageError(
        f"{text!r} is no level of {variant.name} and no bot file. The levels are: {', '.join(level_names(variant))}."
    )


def give_names(players: Sequence[Player]) -> None:
    """Give each player a name of its own: the second of the same name gets a number."""
    names: dict[str, int] = {}
    for each in players:
        names[each.name] = names.get(each.name, 0) + 1
        if names[each.name] > 1:
            each.name = f"{each.name} {names[each.name]}"


async def _play(
    players: Sequence[Player], variant: Variant, games: int, seed: int, out: IO[str] | None, *, quiet: bool
) -> list[Standing]:
    standings = []
    try:
        for each in players:
            if isinstance(each, BotPlayer):
                await each.start()
        for first, second in combinations(players, 2):
            standing = Standing(first.name, second.name)
            standings.append(standing)
            seeded = f"{seed} {variant.key} {first.name} {second.name}"
            for number in range(games):
                sides = ByMark(second, first) if number % 2 else ByMark(first, second)
                game = await play(sides, variant, number, seeded)
                standing.add(game)
                if out is not None:
                    out.write(encode(game).decode() + "\n")
                    out.flush()
                _progress(standing, game, games, quiet)
    except BotError as error:  # at the start: afterwards a bot only loses its game
        print(error.detail, end="", file=sys.stderr)
        raise UsageError(error.reason) from None
    finally:
        for each in players:
            await each.stop()
    return standings


def _progress(standing: Standing, game: GameLine, games: int, quiet: bool) -> None:
    """Print a failure whole, and the count of games where somebody looks."""
    if game.failure is not None:
        print(f"game {game.number}: {game.failure.player} loses: {game.failure.reason}", file=sys.stderr)
        print(game.failure.detail, end="", file=sys.stderr)
    if not quiet and sys.stderr.isatty():
        end = "\n" if standing.games == games else "\r"
        text = f"{standing.first} - {standing.second}: game {standing.games} of {games}"
        counts = f"+{standing.wins} ={standing.draws} -{standing.losses}"
        print(f"{text}, {counts}   ", end=end, file=sys.stderr, flush=True)


def as_json(variant: Variant, standings: Sequence[Standing]) -> dict[str, object]:
    """Return what a match says, for programs. An infinite Elo difference is null."""
    return {
        "variant": variant.key,
        "pairings": [
            {
                "players": [standing.first, standing.second],
                "games": standing.games,
                "wins": standing.wins,
                "draws": standing.draws,
                "losses": standing.losses,
                "elo": [value if math.isfinite(value) else None for value in standing.elo()],
                "thrown_away": standing.thrown,
            }
            for standing in standings
        ],
    }


def as_table(variant: Variant, standings: Sequence[Standing]) -> str:
    """Return what a match says, for people: a line for each pairing, and the moves that gave a game away."""
    width = max(len(f"{each.first} - {each.second}") for each in standings)
    lines = [f"{variant.name}", f"{'':{width}}  games  wins draws losses  Elo difference (95 %)"]
    for standing in standings:
        elo = standing.elo()
        names = f"{standing.first} - {standing.second}"
        lines.append(
            f"{names:{width}}  {standing.games:5} {standing.wins:5} {standing.draws:5} {standing.losses:6}"
            f"  {_signed(elo.value)} ({_signed(elo.low)} to {_signed(elo.high)})"
        )
    lines.append("Moves that threw a won or a drawn game away:")
    lines += [
        f"  {name}: {count}" + (f" (against {_opponent(standing, name)})" if len(standings) > 1 else "")
        for standing in standings
        for name, count in standing.thrown.items()
    ]
    return "\n".join(lines) + "\n"


def _opponent(standing: Standing, name: str) -> str:
    return standing.second if name == standing.first else standing.first


def _signed(value: float) -> str:
    return f"{value:+.0f}" if math.isfinite(value) else "+∞" if value > 0 else "-∞"


def _parser() -> Parser:
    parser = command_parser("match")
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="a level, such as novice, or a bot file")
    parser.add_argument("--variant", default="classic", metavar="KEY", help="the variant (%(default)s)")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="games of each two players (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="another number gives other openings (%(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, default=30.0, metavar="S", help="time of a bot for a move (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else on standard output")
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep the games, one a line as JSON")
    return parser
