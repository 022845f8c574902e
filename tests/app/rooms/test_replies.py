"""Where the answer to a command goes."""

from __future__ import annotations

import pytest

from noughts.app.rooms.replies import RETRY_MS, UNANSWERED, AwaitedReply, damaged, not_stored, too_busy, unknown_room
from noughts.errors import Rejection


async def test_a_coroutine_gets_the_version_or_the_rejection() -> None:
    accepted, rejected = AwaitedReply(), AwaitedReply()
    accepted.accepted(7)
    assert await accepted.future == 7
    rejected.rejected(unknown_room())
    with pytest.raises(Rejection) as caught:
        await rejected.future
    assert caught.value.code == "unknown_room"


async def test_a_caller_who_has_gone_away_is_not_answered() -> None:
    reply = AwaitedReply()
    reply.future.cancel()
    reply.accepted(7)
    reply.rejected(unknown_room())
    assert reply.future.cancelled()


@pytest.mark.parametrize(
    ("rejection", "retry_ms", "advice"),
    [
        (not_stored(), RETRY_MS, "send the same command again"),
        (too_busy(), 500, "send the same command again"),
        (damaged(), 60_000, "tell the operator of the server"),
    ],
)
def test_a_command_without_effect_says_what_to_do(rejection: Rejection, retry_ms: int, advice: str) -> None:
    assert (rejection.code, rejection.retry_ms) == ("unavailable", retry_ms)
    assert advice in rejection.message


def test_a_wake_up_needs_no_answer() -> None:
    UNANSWERED.accepted(7)
    UNANSWERED.rejected(unknown_room())
