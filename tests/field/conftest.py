"""Fixtures of the tests of what people saw: the browser tests' own."""

from tests.browser.conftest import browser, friends, open_window, pass_and_play, rival

__all__ = ["browser", "friends", "open_window", "pass_and_play", "rival"]
