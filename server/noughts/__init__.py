"""Noughts: a tic-tac-toe server that you host yourself, and its rules and engine as a library.

>>> from noughts import Game, analyse, choose, variants
>>> game = Game.of(variants["classic"], "b2 a1")
>>> while game.outcome is None:
...     game = game.play(choose(game, "perfect"))
>>> print(game.outcome.reason, [ply.verdict.value for ply in analyse(game) if ply.verdict])
full_board ['draw', 'draw', 'draw', 'draw', 'draw', 'draw', 'draw', 'draw', 'draw']

These names are public, and so are the modules of :mod:`noughts.rules`, :mod:`noughts.engine` and :mod:`noughts.client`. All
else may change in any version. A name is imported when it is first used, so ``import noughts`` alone costs almost nothing.
``__init__.pyi`` tells type checkers and editors what the names are.
"""

from importlib import import_module

__version__ = "0.2.0.dev0"

_HOMES = {
    "AnalysedPly": "noughts.library",
    "Game": "noughts.rules.game",
    "Outcome": "noughts.rules.outcome",
    "Rejection": "noughts.errors",
    "Variant": "noughts.rules.variant",
    "Verdict": "noughts.engine.verdict",
    "analyse": "noughts.library",
    "choose": "noughts.library",
    "levels": "noughts.library",
    "variants": "noughts.library",
    "verdict": "noughts.library",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - every key is a string


def __getattr__(name: str) -> object:
    """Return a public name, imported at its first use. Raise AttributeError for any other name."""
    if name not in _HOMES:
        raise AttributeError(f"module 'noughts' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
