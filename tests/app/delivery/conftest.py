"""The server of these tests runs in their own process, so that their coverage can be measured."""

from tests.support.local_server import server

__all__ = ["server"]
