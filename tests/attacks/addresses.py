"""Addresses of this machine that no other attack has, so that the limits of an address do not matter."""

from __future__ import annotations

import itertools

_numbers = itertools.count()


def new_address() -> str:
    """Return an address of the loopback that was not returned before."""
    n = next(_numbers)
    return f"127.{9 + n // 62_500}.{n // 250 % 250}.{1 + n % 250}"
