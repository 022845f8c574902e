"""How a game ended, in English: for link previews, the operator's webhook and the terminal. The page has its own texts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from noughts.rules.outcome import Outcome, Reason

HOW: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        "line": "",
        "full_board": "",
        "resignation": " by resignation",
        "timeout": " on time",
        "abandoned": " because a player left",
        "agreement": " by agreement",
        "repetition": " by repetition",
        "ply_limit": " by the limit of moves",
        "aborted": "",
        "bell": " at the bell",
    }
)
"""What follows "won", "beat" or "drew" in a sentence about a game with this end."""


def ending(outcome: Outcome) -> str:
    """Return a sentence about the end of a game."""
    if outcome.reason == "aborted":
        return "The game was called off."
    end = "The game ended in a draw" if outcome.winner is None else f"{outcome.winner} won"
    return f"{end}{HOW[outcome.reason]}."
