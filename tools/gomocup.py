"""A referee for gomoku: a match of our top level against an engine that speaks the protocol of Gomocup.

    python -m tools.gomocup [--games N] [--seconds S] [--seed N] PROGRAM [ARGUMENT ...]

PROGRAM is an engine of your own choice, such as one from https://gomocup.org/download-gomocup-ai/. It plays freestyle on
15 x 15 cells. Both sides have the same wall-clock time for a move, so let nothing else run. Each opening, a few random
marks near the middle, is played twice, and the sides exchange X and O. A program that breaks the rules, answers late or ends
loses the game. The match prints each game, and then our score with its 95 % interval.

The protocol is lines of text on standard input and output (https://plastovicka.github.io/protocl2en.htm)::

    START 15  -> OK                       INFO timeout_turn 1000
    BEGIN     -> 7,7                      the program makes the first move
    BOARD, "8,8,1" or "8,8,2" a mark (1 its own, 2 ours), DONE -> 7,7
    TURN 8,7  -> 9,9                      our move, and its answer
    END

A line of the program that begins with MESSAGE, DEBUG or SUGGEST is not an answer.
"""

from __future__ import annotations

import argparse
import contextlib
import queue
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.engine import choose, levels
from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS, Variant
from tools.scores import score_of

VARIANT: Final = VARIANTS["gomoku"]
START_S: Final = 30.0
"""Seconds that a program may take to start."""
GRACE_S: Final = 1.0
"""Seconds after the end of its time until a program without an answer has lost."""
END_S: Final = 1.0
"""Seconds after END until a program that still runs is killed."""
OPENING_PLIES: Final = 4
OPENING_RADIUS: Final = 2
"""The marks of an opening lie at most this far from the middle."""
_REMARKS: Final = ("MESSAGE", "DEBUG", "SUGGEST")


class EngineFaultError(Exception):
    """A program does not answer, ends, or breaks the protocol or the rules. The text says what it did."""


class GomocupEngine:
    """A running program that speaks the protocol, on a square board. Use it in a ``with`` statement."""

    def __init__(self, command: Sequence[str], size: int, seconds: float) -> None:
        """Start the program and a game with ``seconds`` for a move. Raise :class:`EngineFaultError` if it refuses."""
        self._size = size
        self._answer_s = seconds + GRACE_S
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        program = Path(shutil.which(command[0]) or command[0]).resolve()
        try:
            self._process = subprocess.Popen(
                [str(program), *command[1:]],
                cwd=program.parent,  # programs look for their files beside them
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise EngineFaultError(f"cannot be started: {error}") from error
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._send(f"START {size}")
            answer = self._answer(START_S)
            if answer != "OK":
                raise EngineFaultError(f"answers START with {answer!r}, not with OK")
            self._send(f"INFO timeout_turn {round(1000 * seconds)}", "INFO timeout_match 0", "INFO rule 0")
        except EngineFaultError:
            self.close()
            raise

    def __enter__(self) -> GomocupEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def begin(self) -> int:
        """Return the cell of the program's first move on an empty board. Raise EngineFaultError."""
        self._send("BEGIN")
        return self._cell()

    def board(self, cells: Sequence[int]) -> int:
        """Return the program's move after these moves, of which the last is ours. Raise EngineFaultError."""
        lines = [
            f"{cell % self._size},{cell // self._size},{2 if (len(cells) - ply) % 2 else 1}"
            for ply, cell in enumerate(cells)
        ]
        self._send("BOARD", *lines, "DONE")
        return self._cell()

    def turn(self, cell: int) -> int:
        """Return the program's answer to our move. Raise EngineFaultError."""
        self._send(f"TURN {cell % self._size},{cell // self._size}")
        return self._cell()

    def close(self) -> None:
        """End the program: politely, and after :data:`END_S` by force."""
        try:
            self._send("END")
            self._process.wait(END_S)
        except (EngineFaultError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # a line waits to be written, and nobody reads it any more
                    stream.close()

    def _send(self, *lines: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines))
            self._process.stdin.flush()
        except OSError as error:
            raise EngineFaultError("has ended") from error

    def _read(self) -> None:
        """Pass on each line that the program writes, and None at the end."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def _answer(self, seconds: float) -> str:
        end_s = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end_s - time.monotonic()))
            except queue.Empty:
                raise EngineFaultError(f"has not answered within {seconds:g} s") from None
            if line is None:
                raise EngineFaultError("has ended")
            if line and not line.startswith(_REMARKS):
                return line

    def _cell(self) -> int:
        answer = self._answer(self._answer_s)
        column, comma, row = answer.partition(",")
        if not (comma and column.strip().isdecimal() and row.strip().isdecimal()):
            raise EngineFaultError(f"answers {answer!r}, which is not a move")
        if int(column) >= self._size or int(row) >= self._size:
            raise EngineFaultError(f"answers {answer!r}, which is not on the board")
        return int(column) + self._size * int(row)


def opening(variant: Variant, rng: random.Random) -> Game:
    """Return a game with a few random marks near the middle, none of which completes a line."""
    columns, rows = variant.shape[0], variant.shape[1]
    near = range(-OPENING_RADIUS, OPENING_RADIUS + 1)
    cells = [columns // 2 + dx + columns * (rows // 2 + dy) for dx in near for dy in near]
    game = new_game(variant)
    for cell in rng.sample(cells, OPENING_PLIES):
        game = game.play(cell)
    return game


def play(command: Sequence[str], game: Game, ours: str, seconds: float, rng: random.Random) -> tuple[Game, str | None]:
    """Return the game to its end with ``ours`` as our mark, and what the program did if that lost it the game."""
    level = levels(game.variant)[-1]
    first = True
    try:
        with GomocupEngine(command, game.variant.columns, seconds) as engine:
            while game.outcome is None:
                if game.position.turn == ours:
                    cell = choose(game, level, Budget(time.monotonic() + seconds, time.monotonic), rng).cell
                elif first:
                    cell = engine.board(game.moves) if game.moves else engine.begin()
                    first = False
                else:
                    cell = engine.turn(game.moves[-1])
                if cell not in game.legal():
                    raise EngineFaultError(f"fills {game.variant.names[cell]}, which is not free")
                game = game.play(cell)
    except EngineFaultError as fault:
        return game, str(fault)
    return game, None


def match(command: Sequence[str], games: int, seconds: float, seed: int) -> list[float]:
    """Print each game as it ends; return our points, 1 for a win and 0.5 for a draw."""
    points: list[float] = []
    for number in range(games):
        rng = random.Random(f"{seed} {number // 2}")
        ours = "XO"[number % 2]
        game, fault = play(command, opening(VARIANT, rng), ours, seconds, rng)
        winner = ours if fault is not None or game.outcome is None else game.outcome.winner
        points.append(0.5 if winner is None else float(winner == ours))
        end = f"the program {fault}" if fault is not None else f"{winner or 'draw'} in {game.ply}"
        sys.stdout.write(f"game {number + 1}: {ours}, {end}, {sum(points):g}/{len(points)}\n")
        sys.stdout.flush()
    return points


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the match in the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the program and its arguments")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0, help="the time of both sides for a move")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if not options.program or options.games < 1:
        parser.error("name the program, and at least one game")
    level = levels(VARIANT)[-1]
    points = match(options.program, options.games, options.seconds, options.seed)
    name = Path(options.program[0]).name
    sys.stdout.write(
        f"gomoku, {level} against {name}, {options.seconds:g} s a move, {options.games} games, seed {options.seed}: "
        f"{score_of(points)}\n"
    )


if __name__ == "__main__":
    main()
