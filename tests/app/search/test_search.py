"""A search's caller and its answer."""

from __future__ import annotations

import asyncio

from noughts.app.search.line_protocol import VerdictRequest
from noughts.app.search.search import Caller, Search, busy, caller_at, unavailable
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS


def test_a_caller_has_the_turn_of_its_network() -> None:
    assert caller_at("127.0.0.1", "p_ann") == Caller("127.0.0.1", "p_ann", person=True)
    first, second, other = (caller_at(f"2001:db8:0:{part}::1", "p_ann") for part in ("1200", "12ff", "1300"))
    assert first == second
    assert first != other


async def test_the_first_answer_counts() -> None:
    """A caller that has cancelled its wait gets none."""
    request = VerdictRequest(1, VARIANTS["classic"], (), 1.0)
    first, second = (
        Search(request, caller_at("", ""), 0.0, None, asyncio.get_running_loop().create_future()) for _ in range(2)
    )
    first.finish(busy())
    first.finish(unavailable())
    rejection = first.answer.result()
    assert isinstance(rejection, Rejection)
    assert (rejection.code, rejection.retry_ms) == ("unavailable", 2_000)
    second.answer.cancel()
    second.finish(busy())
    assert second.answer.cancelled()
