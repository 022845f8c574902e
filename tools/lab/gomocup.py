"""A referee for gomoku: a match of our top level against an engine that speaks the protocol of Gomocup.

    python -m tools.lab.gomocup [--games N] [--first N] [--seconds S] [--seed N] PROGRAM [ARGUMENT ...]

PROGRAM is an engine of your own choice, such as one from https://gomocup.org/download-gomocup-ai/. It plays freestyle on
15 x 15 cells. Both sides have the same time for a move: ours is processor time, and the program keeps its own clock, so let
nothing else run beside one that looks at the wall clock. Each of the balanced openings is played twice, and the sides
exchange X and O. A program that breaks the rules, answers late or ends loses the game. The match prints each game, and then
our score with its 95 % interval.

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
import math
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
from noughts.engine.engine import choose
from noughts.engine.levels import level_names
from noughts.rules.game import Game, replay_names
from noughts.rules.variant import VARIANTS

VARIANT: Final = VARIANTS["gomoku"]
START_S: Final = 30.0
"""Seconds that a program may take to start."""
GRACE_S: Final = 1.0
"""Seconds after the end of its time until a program without an answer has lost."""
END_S: Final = 1.0
"""Seconds after END until a program that still runs is killed."""
OPENINGS: Final = (
    "h9 i8 d11 c8 e6",
    "m9 h7 l3 m6 k7",
    "i11 g8 e13 h13 i8",
    "i8 g9 e9 f9 e8",
    "m4 m8 g7 n8 n10 f8",
    "g8 d7 g5 h9 d9",
    "e7 g5 e6 f7 e9 g9 g8",
    "i9 h8 f9 e9 e8",
    "h11 j9 j7 c11 d6",
    "e3 f4 g7 j5 j3 f8",
    "h11 i8 i9 g8 j11",
    "h11 g8 h7 j10 j9",
    "m12 l12 i13 j10",
    "j12 h7 e13 h11",
    "h10 c6 d12 g10 i8",
    "f11 h8 j7 j10",
    "e5 f5 f6 e4 f8",
    "h9 k10 m11 m5 m7",
    "f12 d11 e10 e9 e11 f13 i8",
    "l6 h10 i9 j9 l8",
    "g8 i10 e12 g12 e11",
    "h8 g8 g9 h9 h11",
    "j12 h7 e10 e11 e7 e9",
    "e10 j9 j13 d8 g7",
    "c10 b7 f10 f5 g5",
    "c4 f7 f4 g3 i6 g8",
    "f5 j8 i9 g9",
    "g9 g4 g5 j3 i4",
    "h5 g4 g9 g7 e7",
    "e8 e9 i12 h7",
)
"""Openings in which neither side is ahead: a search of 150,000 nodes or more found an estimate near none, and of four games
of the search with itself X won one, two or three."""
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
        """Return the program's move after these moves. The last of them is ours. Raise EngineFaultError."""
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


def opening(number: int) -> Game:
    """Return the game after one of the openings. After the last one they begin again."""
    return replay_names(VARIANT, OPENINGS[number % len(OPENINGS)].split())


def play(command: Sequence[str], game: Game, ours: str, seconds: float, rng: random.Random) -> tuple[Game, str | None]:
    """Return the game to its end with ``ours`` as our mark, and what the program did if that lost it the game."""
    level = level_names(game.variant)[-1]
    first = True
    try:
        with GomocupEngine(command, game.variant.columns, seconds) as engine:
            while game.outcome is None:
                if game.position.turn == ours:
                    cell = choose(game, level, Budget(time.process_time() + seconds, time.process_time), rng).cell
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


def match(command: Sequence[str], games: int, seconds: float, seed: int, first: int = 0) -> list[float]:
    """Print each game as it ends; return our points, 1 for a win and 0.5 for a draw. ``first`` is the first opening."""
    points: list[float] = []
    for number in range(games):
        rng = random.Random(f"{seed} {number // 2}")
        ours = "XO"[number % 2]
        game, fault = play(command, opening(first + number // 2), ours, seconds, rng)
        winner = ours if fault is not None or game.outcome is None else game.outcome.winner
        points.append(0.5 if winner is None else float(winner == ours))
        end = f"the program {fault}" if fault is not None else f"{winner or 'draw'} in {game.ply}"
        sys.stdout.write(f"game {number + 1}: {ours}, {end}, {sum(points):g}/{len(points)}\n")
        sys.stdout.flush()
    return points


def score_of(points: Sequence[float]) -> str:
    """Return the mean of the games' points (1 a win, 0.5 a draw) in per cent, with its 95 % interval.

    The interval is 1.96 standard errors of the mean. Raise ValueError for no games.
    """
    if not points:
        raise ValueError("a match without a game")
    mean = sum(points) / len(points)
    spread = math.sqrt(sum((point - mean) ** 2 for point in points) / max(1, len(points) - 1) / len(points))
    return f"{100 * mean:.1f} % +- {196 * spread:.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the match in the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the program and its arguments")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the number of the first opening, of each two games")
    parser.add_argument("--seconds", type=float, default=1.0, help="the time of both sides for a move")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if not options.program or options.games < 1:
        parser.error("name the program, and at least one game")
    level = level_names(VARIANT)[-1]
    points = match(options.program, options.games, options.seconds, options.seed, options.first)
    name = Path(options.program[0]).name
    sys.stdout.write(
        f"gomoku, {level} against {name}, {options.seconds:g} s a move, {options.games} games, seed {options.seed}: "
        f"{score_of(points)}\n"
    )


if __name__ == "__main__":
    main()
