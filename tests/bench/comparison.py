"""The table of servers that were measured alike: a row for each measure, a column for each server."""

from __future__ import annotations

from collections.abc import Sequence

from tests.bench.figures import Figure, short

WIDTH = 22


def print_comparison(figures: Sequence[Figure], durable: dict[str, str]) -> None:
    """Print the figures that have a subject. The number in brackets is the ratio to the bare server.

    ``durable`` says what each subject has stored when it acknowledges a move.
    """
    subjects = list(dict.fromkeys(figure.subject for figure in figures if figure.subject))
    if not subjects:
        return
    cells = {(figure.name, figure.subject): figure for figure in figures}
    print(f"{'':32}" + "".join(f"{subject:>{WIDTH}}" for subject in subjects))
    for name, unit in dict.fromkeys((figure.name, figure.unit) for figure in figures if figure.subject):
        row = [_cell(cells[name, subject]) if (name, subject) in cells else "" for subject in subjects]
        print(f"{name + (f', {unit}' if unit else ''):32}" + "".join(f"{cell:>{WIDTH}}" for cell in row))
    print("\nstored when a move is acknowledged")
    for subject in subjects:
        print(f"  {subject:20} {durable.get(subject, 'nothing')}")


def _cell(figure: Figure) -> str:
    ratio = "" if figure.ratio is None else f" ({figure.ratio:.2f})"
    return f"{short(figure.value)}{ratio}"
