"""Where the answer to a command goes."""

from __future__ import annotations

import pytest

from noughts.app.rooms.replies import UNANSWERED, AwaitedReply, unknown_room
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


def test_a_wake_up_needs_no_answer() -> None:
    UNANSWERED.accepted(7)
    UNANSWERED.rejected(unknown_room())
