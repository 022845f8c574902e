"""The delays between two tries to connect."""

from __future__ import annotations

import random

from noughts.client.connection import FIRST_S, LONGEST_S, delay_s


def test_the_longest_delay_doubles_up_to_a_limit() -> None:
    class Longest(random.Random):
        def uniform(self, a: float, b: float) -> float:
            assert a == 0.0
            return b

    delays = [delay_s(tries, Longest()) for tries in (1, 2, 3, 7, 1_000_000)]
    assert delays == [FIRST_S, 2 * FIRST_S, 4 * FIRST_S, LONGEST_S, LONGEST_S]


def test_the_jitter_is_full() -> None:
    """Anything from zero to the longest delay may come, evenly."""
    rng = random.Random(1)
    delays = [delay_s(3, rng) / (4 * FIRST_S) for _ in range(1_000)]
    assert min(delays) < 0.05
    assert max(delays) > 0.95
    assert 0.45 < sum(delays) / len(delays) < 0.55
