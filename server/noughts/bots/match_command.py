"""``noughts match``: let levels and bots play against each other, and print who is stronger."""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import IO, Final

from noughts.bots.bot_file import BotError
from noughts.bots.chooser_process import ChooserProcess
from noughts.bots.elo import elo_difference
from noughts.bots.match import Contestant, GameLine, Standing, pairings_of, play_pairing
from noughts.command_line import Parser, UsageError, choice, command_parser
from noughts.engine.levels import level_names
from noughts.protocol.codec import encode
from noughts.rules.variant import VARIANTS, Variant

LEVEL_S: Final = 1.0
"""Seconds that a level may search for a move, as on a server."""
_SLACK_S: Final = 60.0
"""Seconds by which a level may be later than that, on a busy machine."""


def main(arguments: Sequence[str]) -> int:
    """Play the match. Return the exit status."""
    parsed = _parser().parse_args(arguments[1:])
    variant = choice("variant", parsed.variant, VARIANTS)
    if len(parsed.players) < 2:
        raise UsageError("a match needs two players: name levels or bot files, such as: noughts match novice FILE.py")
    if parsed.games < 1 or not parsed.seconds > 0:
        raise UsageError("--games and --seconds must be more than 0.")
    contestants = named([contestant(text, variant, parsed.seconds) for text in parsed.players])
    try:
        out = parsed.out.open("w", encoding="utf-8") if parsed.out is not None else None
    except OSError as error:
        raise UsageError(f"{parsed.out} cannot be written: {error.strerror}. Choose another --out.") from None
    try:
        standings = asyncio.run(_play(contestants, variant, parsed.games, parsed.seed, out, quiet=parsed.json))
    finally:
        if out is not None:
            out.close()
    if parsed.json:
        print(json.dumps(as_json(variant, standings), indent=2))
    else:
        print(as_table(variant, standings), end="")
    return 0


def contestant(text: str, variant: Variant, seconds: float) -> Contestant:
    """Return the player that an argument names: a level of the variant, or a bot file."""
    if text in level_names(variant):
        return Contestant(text, ("level", text, "{seed} " + text, str(LEVEL_S)), LEVEL_S + _SLACK_S)
    if text.endswith(".py") or Path(text).exists():
        return Contestant(Path(text).stem, ("bot", text), seconds)
    raise UsageError(
        f"{text!r} is no level of {variant.name} and no bot file. The levels are: {', '.join(level_names(variant))}."
    )


def named(contestants: Sequence[Contestant]) -> list[Contestant]:
    """Return the players with names of their own: the second of the same name gets a number."""
    names: dict[str, int] = {}
    out = []
    for each in contestants:
        names[each.name] = names.get(each.name, 0) + 1
        out.append(each if names[each.name] == 1 else each._replace(name=f"{each.name} {names[each.name]}"))
    return out


async def _play(
    contestants: Sequence[Contestant], variant: Variant, games: int, seed: int, out: IO[str] | None, *, quiet: bool
) -> list[Standing]:
    for each in contestants:
        if each.arguments[0] == "bot":
            await _check(each)
    standings = []
    for pairing in pairings_of(contestants, games):
        standing = Standing(pairing)
        standings.append(standing)
        seeded = f"{seed} {variant.key} {pairing.first.name} {pairing.second.name}"
        async with aclosing(play_pairing(pairing, variant, seeded, os.cpu_count() or 1)) as played:
            async for game in played:
                standing.add(game)
                if out is not None:
                    out.write(encode(game).decode() + "\n")
                    out.flush()
                _progress(standing, game, quiet)
    return standings


async def _check(each: Contestant) -> None:
    """Raise UsageError for a bot file that cannot be used."""
    process = ChooserProcess(each.arguments, each.seconds)
    try:
        await process.start()
    except BotError as error:
        print(error.detail, end="", file=sys.stderr)
        raise UsageError(error.reason) from None
    finally:
        await process.stop()


def _progress(standing: Standing, game: GameLine, quiet: bool) -> None:
    """Print a failure whole, and the count of games where somebody looks."""
    if game.failure is not None:
        print(f"game {game.number}: {game.failure.player} loses: {game.failure.reason}", file=sys.stderr)
        print(game.failure.detail, end="", file=sys.stderr)
    if not quiet and sys.stderr.isatty():
        pairing, tally = standing.pairing, standing.tally
        end = "\n" if tally.games == pairing.games else "\r"
        text = f"{pairing.first.name} - {pairing.second.name}: game {tally.games} of {pairing.games}"
        print(f"{text}, +{tally.wins} ={tally.draws} -{tally.losses}   ", end=end, file=sys.stderr, flush=True)


def as_json(variant: Variant, standings: Sequence[Standing]) -> dict[str, object]:
    """Return what a match says, for programs. An infinite Elo difference is null."""
    return {
        "variant": variant.key,
        "pairings": [
            {
                "players": [standing.pairing.first.name, standing.pairing.second.name],
                "games": standing.tally.games,
                "wins": standing.tally.wins,
                "draws": standing.tally.draws,
                "losses": standing.tally.losses,
                "elo": [value if math.isfinite(value) else None for value in elo_difference(standing.tally)],
                "thrown_away": standing.thrown,
            }
            for standing in standings
        ],
    }


def as_table(variant: Variant, standings: Sequence[Standing]) -> str:
    """Return what a match says, for people: a line for each pairing, and the moves that gave a game away."""
    width = max(len(f"{each.pairing.first.name} - {each.pairing.second.name}") for each in standings)
    lines = [f"{variant.name}", f"{'':{width}}  games  wins draws losses  Elo difference (95 %)"]
    for standing in standings:
        pairing, tally = standing.pairing, standing.tally
        elo = elo_difference(tally)
        names = f"{pairing.first.name} - {pairing.second.name}"
        lines.append(
            f"{names:{width}}  {tally.games:5} {tally.wins:5} {tally.draws:5} {tally.losses:6}"
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
    pairing = standing.pairing
    return pairing.second.name if name == pairing.first.name else pairing.first.name


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
