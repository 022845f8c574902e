"""The exceptions that reach the handler of the running event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loop_errors() -> Iterator[list[BaseException]]:
    """Collect the exceptions that the handler of the running loop is called with, instead of logging them."""
    loop = asyncio.get_running_loop()
    errors: list[BaseException] = []
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: errors.append(context["exception"]))
    try:
        yield errors
    finally:
        loop.set_exception_handler(before)
