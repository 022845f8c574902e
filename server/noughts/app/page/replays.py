"""A replay in a URL: the variant with its moves, and how the game ended if its moves do not end it.

A path such as ``/replay/classic/b2,a1`` and a query such as ``classic=b2,a1`` give the link a preview. A fragment stays in
the browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, cast, get_args

from noughts.errors import Rejection
from noughts.rules.game import Game, replay_names
from noughts.rules.outcome import MARKS, Mark, Outcome, Reason
from noughts.rules.variant import VARIANTS

MAX_MOVES_TEXT: Final = 4_000
"""Characters of the longest list of moves that is read."""
_ENDS: Final = frozenset(get_args(Reason)) - {"line", "full_board", "repetition", "ply_limit"}
"""The reasons that do not follow from the moves."""


class Replay(NamedTuple):
    """A game without a room. ``spelling`` is its variant's key, its moves, and its other end if it has one."""

    game: Game
    outcome: Outcome | None
    spelling: tuple[str, str, str | None]


def replay_in(query: Mapping[str, str]) -> Replay | None:
    """Return the replay in a query; None if there is none, or if it is not a legal game."""
    key = next((name for name in query if name in VARIANTS), None)
    return None if key is None else replay_of(key, query[key], query.get("over"))


def replay_of(key: str, moves: str, over: str | None) -> Replay | None:
    """Return the replay of moves with commas between them; None if it is not a legal game."""
    if key not in VARIANTS or len(moves) > MAX_MOVES_TEXT:
        return None
    try:
        game = replay_names(VARIANTS[key], moves.split(",") if moves else [])
    except Rejection:
        return None
    if game.outcome is not None:
        return Replay(game, game.outcome, (key, moves, None))
    outcome = None if over is None else _other_end(over)
    return Replay(game, outcome, (key, moves, over if outcome is not None else None))


def _other_end(text: str) -> Outcome | None:
    """Return the outcome in a text: a reason, and after a comma the winner's mark if there is one. Return None otherwise."""
    reason, _, winner = text.partition(",")
    if reason not in _ENDS or winner not in ("", *MARKS):
        return None
    return Outcome(cast(Mark, winner) if winner else None, cast(Reason, reason))
