"""Find puzzles in games of weak levels, grade them and write them into ``server/noughts/puzzles/collections/``.

Call ``python -m tools.puzzles VARIANT --count N``. It takes from seconds to an hour, and prints what it finds.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

import noughts.puzzles
from noughts.engine.budget import Budget
from noughts.engine.engine import analyse, choose
from noughts.engine.levels import level_names
from noughts.engine.solvable import is_exact
from noughts.engine.symmetry import cell_permutations
from noughts.engine.verdict import Analysis, Proof
from noughts.puzzles.collection import FORM, Head, Record
from noughts.puzzles.puzzle import KINDS, Step
from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS, Variant, variant_named
from tools.puzzle_finding import Line, find_line, punishments

COLLECTIONS: Final = Path(noughts.puzzles.__path__[0]) / "collections"
WHOLE: Final = ("classic", "misere")
"""The variants of which every puzzle is finds."""
WEAK_LEVELS: Final = ("novice", "beginner", "casual", "regular", "skilled")
"""The levels whose games are looked through."""
GRADING_LEVELS: Final = ("novice", "casual", "skilled")
TRIES: Final = 64
LENGTH_PART: Final = 0.04
"""What each further step adds to the share of misses."""
GRADE_BOUNDS: Final = (0.3, 0.55, 0.75, 0.92)
"""The hardness above which a grade ends."""
MAX_BYTES: Final = 100_000


def file_text(variant: Variant, records: Iterable[Record]) -> str:
    """Return the text of a variant's file."""
    body = "".join(f"{msgspec.json.encode(record).decode()}\n" for record in records)
    head = Head(FORM, variant.key, sha256(body.encode()).hexdigest())
    return f"{msgspec.json.encode(head).decode()}\n{body}"


def mistakes_text(variant: Variant, step: Step, others: Iterable[int], proof: Proof) -> str:
    """Return the text of the moves in ``others``, all legal ones that neither are the answer nor end the game."""
    parts: dict[str, list[int]] = {}
    for cell in others:
        punishment = step.mistakes.get(cell)
        if punishment is None:
            parts.setdefault("unknown - -", []).append(cell)
            continue
        value, plies, how = punishment.verdict
        reply = "-" if punishment.reply is None else variant.names[punishment.reply]
        head = f"{value} {'-' if plies is None else plies} {reply}{'' if how == proof else f' {how}'}"
        parts.setdefault(head, []).append(cell)
    most = max(parts, key=lambda head: len(parts[head]), default=None)
    texts = []
    for head, cells in parts.items():
        names = "*" if head == most and len(cells) > 2 else " ".join([variant.names[cell] for cell in cells])
        texts.append(f"{head}: {names}")
    return "; ".join(texts)


class Analyser:
    """Analyses games within a time, and remembers the latest positions."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.analysed: dict[object, Analysis] = {}

    def __call__(self, game: Game) -> Analysis:
        key = game.position.key
        analysis = self.analysed.get(key)
        if analysis is None:
            # A search that solves every position is left to do so: otherwise the first wrong moves would stay unknown.
            seconds = math.inf if is_exact(game.variant) else self.seconds
            budget = Budget(time.monotonic() + seconds, time.monotonic)
            analysis = analyse(game.position, budget)
            if len(self.analysed) > 200_000:
                self.analysed.clear()
            self.analysed[key] = analysis
        return analysis


def twin_key(variant: Variant, game: Game) -> tuple[object, ...]:
    """Return a key that is equal for positions that differ only by a symmetry of the board."""
    position = game.position
    ages = tuple(getattr(position, "ages", ()))
    forced = position.forced
    keys = []
    for image in cell_permutations(variant.shape, variant.gravity):
        x = sum(1 << image[cell] for cell in range(variant.cells) if position.x >> cell & 1)
        o = sum(1 << image[cell] for cell in range(variant.cells) if position.o >> cell & 1)
        last = -1
        if forced is not None:  # the image of a small board is that of its middle cell
            column, row = forced % 3 * 3 + 1, forced // 3 * 3 + 1
            last = image[row * 9 + column]
        keys.append((x, o, tuple(image[cell] for cell in ages), last))
    return (game.ply & 1, *min(keys))


def every_game(variant: Variant) -> Iterator[Game]:
    """Yield a game to each position, shortest first."""
    waiting, seen = [new_game(variant)], set()
    for game in waiting:
        yield game
        for cell in game.legal():
            after = game.play(cell)
            if after.outcome is None and after.position.key not in seen:
                seen.add(after.position.key)
                waiting.append(after)


def played_games(variant: Variant, chance: random.Random) -> Iterator[Game]:
    """Yield the positions of games between weak levels, without end."""
    names = [name for name in level_names(variant) if name in WEAK_LEVELS]
    while True:
        game, levels = new_game(variant), (chance.choice(names), chance.choice(names))
        games = []
        while game.outcome is None:
            budget = Budget(time.monotonic() + 0.05, time.monotonic)
            game = game.play(choose(game, levels[game.ply & 1], budget, chance).cell)
            if game.outcome is None:
                games.append(game)
        yield from reversed(games)


def misses(variant: Variant, game: Game, line: Line, level: str, chance: random.Random) -> float:
    """Return the share of tries in which a level leaves the line: ``TRIES`` at each step."""
    right = 1.0
    for step in line.steps:
        finds = 0
        for _ in range(TRIES):
            budget = Budget(time.monotonic() + 0.05, time.monotonic)
            finds += choose(game, level, budget, chance).cell == step.answer
        right *= finds / TRIES
        if step.reply is not None:
            game = game.play(step.answer).play(step.reply)
    return 1.0 - right


def grade(variant: Variant, game: Game, line: Line, chance: random.Random) -> int:
    """Return the grade, 1 to 5: how often three levels miss the line, and its length."""
    missed = sum(misses(variant, game, line, level, chance) for level in GRADING_LEVELS) / len(GRADING_LEVELS)
    hardness = missed + LENGTH_PART * (len(line.steps) - 1)
    return 1 + sum(hardness > bound for bound in GRADE_BOUNDS)


def record(variant: Variant, game: Game, line: Line, analyse: Analyser, chance: random.Random) -> Record:
    """Return the record of a puzzle, with its grade and what is analysed about wrong moves."""
    names, at, mistakes = variant.names, game, []
    for step in line.steps:
        going_on = [cell for cell in at.legal() if cell != step.answer and at.play(cell).outcome is None]
        analysed = step._replace(mistakes=punishments(at, step.answer, analyse))
        mistakes.append(mistakes_text(variant, analysed, going_on, line.proof))
        if step.reply is not None:
            at = at.play(step.answer).play(step.reply)
    cells = [cell for step in line.steps for cell in (step.answer, step.reply) if cell is not None]
    moves = " ".join(game.move_names)
    puzzle_id = f"{variant.key}-{sha256(moves.encode()).hexdigest()[:8]}"
    text = " ".join([names[cell] for cell in cells])
    level = grade(variant, game, line, chance)
    return Record(puzzle_id, line.kind, level, moves, text, tuple(mistakes), line.plies, line.proof)


def chosen(finds: Sequence[tuple[Game, Line]], count: int) -> list[tuple[Game, Line]]:
    """Return the best of what was finds: each kind in turn, its longest lines first."""
    of_kind = {kind: [pair for pair in finds if pair[1].kind == kind] for kind in KINDS}
    for pairs in of_kind.values():
        pairs.sort(key=lambda pair: -len(pair[1].steps))
    picked: list[tuple[Game, Line]] = []
    while len(picked) < count and any(of_kind.values()):
        picked += [pairs.pop(0) for pairs in of_kind.values() if pairs]
    return picked[:count]


def search(variant: Variant, analyse: Analyser, most: int, minutes: float) -> list[tuple[Game, Line]]:
    """Return the puzzles finds, without mirrored twins. In the smallest games these are all that there are."""
    finds: dict[tuple[object, ...], tuple[Game, Line]] = {}
    began, chance = time.monotonic(), random.Random(1)
    whole = variant.key in WHOLE
    for looked, game in enumerate(every_game(variant) if whole else played_games(variant, chance)):
        if not whole and (len(finds) >= most or time.monotonic() - began > 60 * minutes):
            break
        line = find_line(game, analyse)
        if line is not None:
            finds.setdefault(twin_key(variant, game), (game, line))
        if looked % 500 == 0:
            print(f"{variant.key}: {len(finds)} of {looked} positions", file=sys.stderr, flush=True)
    return list(finds.values())


def main(arguments: Sequence[str]) -> None:
    """Find puzzles, write their file, and print how many of each kind there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=list(VARIANTS))
    parser.add_argument("--count", type=int, default=100, help="puzzles in the file")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for the analysis of a position")
    parser.add_argument("--minutes", type=float, default=30.0, help="time to find puzzles")
    parsed = parser.parse_args(arguments)
    variant, analyse, chance = variant_named(parsed.variant), Analyser(parsed.seconds), random.Random(2)
    whole = variant.key in WHOLE
    finds = search(variant, analyse, 3 * parsed.count, parsed.minutes)
    picked = finds if whole else chosen(finds, parsed.count)
    records = [record(variant, game, line, analyse, chance) for game, line in picked]
    records.sort(key=lambda record: (record.grade, record.id))
    text = file_text(variant, records)
    while len(text) > MAX_BYTES:  # the puzzle with the longest text goes
        records.remove(max(records, key=lambda record: len("".join(record.mistakes))))
        text = file_text(variant, records)
    (COLLECTIONS / f"{variant.key}.jsonl").write_text(text)
    kinds = Counter(record.kind for record in records)
    grades = Counter(record.grade for record in records)
    print(f"{variant.key}: {len(records)} puzzles, {len(text)} bytes, {dict(kinds)}, grades {sorted(grades.items())}")


if __name__ == "__main__":
    main(sys.argv[1:])
