"""Tries of resume codes from an address of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from noughts.app.runtime.limits import RESUME
from tests.attacks.addresses import new_address
from tests.support.raw_http import END, exchange, request
from tests.support.server import RunningServer

CREDIT_S: Final = 1 / RESUME.rate.per_s
"""After so many seconds an address has credit for one more try."""
ATTEMPTS: Final = 5
"""A machine may be too busy for the tries of one attempt, not for those of all."""


async def statuses_of(server: RunningServer, codes: Sequence[str], *headers: str) -> list[int]:
    """Try codes one after another, in less time than a credit takes to come back. Return the statuses.

    ``headers`` are added to each request, with ``{n}`` for its number.
    """
    for _ in range(ATTEMPTS):
        address, began_s, statuses = new_address(), time.monotonic(), []
        for n, code in enumerate(codes):
            lines = ["Content-Type: application/json", *[header.replace("{n}", str(n)) for header in headers]]
            data = request("POST /api/players/resume", *lines, body=f'{{"code":"{code}"}}'.encode())
            statuses.append((await exchange(server, data + END, address))[0].status)
        if time.monotonic() - began_s < CREDIT_S:
            return statuses
    raise AssertionError("the machine is too busy")
