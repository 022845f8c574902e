"""The lines between a program and its processes."""

from __future__ import annotations

from noughts.bots.game_views import view_of
from noughts.bots.line_messages import (
    ChooseMove,
    Chosen,
    Failed,
    Judged,
    JudgeGame,
    Ready,
    decode_answer,
    decode_request,
    line,
)
from noughts.rules.game import Game


def test_a_message_is_one_line() -> None:
    for request in (ChooseMove(view_of(Game.of("ultimate", "e5 e4"), 1)), JudgeGame("classic", ("a1",), 0.5)):
        text = line(request)
        assert text.count(b"\n") == 1
        assert decode_request(text) == request
    for answer in (Ready(), Chosen("a1"), Failed("It failed.", "line 1\nline 2\n"), Judged(("draw", None))):
        text = line(answer)
        assert text.count(b"\n") == 1
        assert decode_answer(text) == answer
