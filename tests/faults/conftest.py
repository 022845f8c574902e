"""The fixtures of tests that break what the server runs on."""

from tests.support.strace import traced

__all__ = ["traced"]
