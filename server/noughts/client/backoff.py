"""The delays between two tries to connect: exponential, with full jitter.

Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. A delay is drawn evenly between zero
and a maximum that doubles, so that the clients of a server that comes back do not all arrive at the same moment.
"""

from __future__ import annotations

import random
from typing import Final

FIRST_S: Final = 0.2
"""The longest delay before the second try, in seconds."""
LONGEST_S: Final = 10.0
"""The longest delay before any try, in seconds."""


def delay_s(tries: int, rng: random.Random) -> float:
    """Return the seconds to wait after a number of failed tries, from 1."""
    return rng.uniform(0.0, min(LONGEST_S, FIRST_S * 2.0 ** min(tries - 1, 10)))
