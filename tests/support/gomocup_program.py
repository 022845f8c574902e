"""A tiny gomoku program that speaks the protocol of Gomocup, for the tests of the driver.

    python gomocup_program.py LOG BEHAVIOUR

It fills the free cell with the smallest number, and writes each line that it gets to LOG. BEHAVIOUR is ``plain``,
``talkative`` (remarks before each answer), ``refuses`` (START), ``silent``, ``ends``, ``nonsense``, ``outside`` or
``occupied``.
"""

from __future__ import annotations

import sys
from pathlib import Path


def say(line: str) -> None:
    """Write a line of the protocol."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Answer until END or the end of the input."""
    log, behaviour = Path(sys.argv[1]), sys.argv[2]
    marks: set[tuple[int, int]] = set()
    size = 0
    in_board = False
    for line in map(str.strip, sys.stdin):
        with log.open("a") as file:
            file.write(f"{line}\n")
        word, _, rest = line.partition(" ")
        if word == "END":
            return
        if word == "START":
            size = int(rest)
            say("ERROR unsupported size" if behaviour == "refuses" else "OK")
        elif word == "BOARD":
            in_board = True
        elif in_board and word != "DONE":
            column, row, _ = line.split(",")
            marks.add((int(column), int(row)))
        elif word in ("BEGIN", "TURN", "DONE"):
            in_board = False
            if word == "TURN":
                column, row = rest.split(",")
                marks.add((int(column), int(row)))
            if behaviour == "ends":
                return
            if behaviour == "talkative":
                say("MESSAGE I think")
                say("DEBUG depth 1")
            free = next((x, y) for y in range(size) for x in range(size) if (x, y) not in marks)
            move = {"nonsense": "pass", "outside": f"{size},0", "occupied": "7,7"}.get(
                behaviour, f"{free[0]},{free[1]}"
            )
            if behaviour != "silent":
                marks.add(free)
                say(move)


if __name__ == "__main__":
    main()
