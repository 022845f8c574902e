"""A replay in the query of a URL."""

from __future__ import annotations

import pytest

from noughts.app.page.replays import replay_in


@pytest.mark.parametrize(
    ("query", "over", "winner"),
    [
        ({"classic": "b2,a1"}, None, None),
        ({"v": "2", "classic": ""}, None, None),
        ({"classic": "b2,a1", "over": "timeout,X"}, "timeout,X", "X"),
        ({"classic": "b2,a1", "over": "agreement"}, "agreement", None),
        ({"classic": "b2,a1", "over": "line,X"}, None, None),
        ({"classic": "b2,a1", "over": "timeout,Z"}, None, None),
        ({"classic": "b2,a1,c1,a2,a3", "over": "timeout,O"}, None, "X"),
    ],
)
def test_a_replay_is_read(query: dict[str, str], over: str | None, winner: str | None) -> None:
    """How a game ended otherwise counts only where the moves do not end it."""
    replay = replay_in(query)
    assert replay is not None
    assert replay.spelling == ("classic", query["classic"], over)
    assert (replay.outcome.winner if replay.outcome is not None else None) == winner


@pytest.mark.parametrize(
    "query", [{}, {"chess": "e4"}, {"classic": "b2,b2"}, {"classic": "<script>"}, {"classic": "b2," * 5_000}], ids=ascii
)
def test_what_is_no_legal_game_is_no_replay(query: dict[str, str]) -> None:
    assert replay_in(query) is None
