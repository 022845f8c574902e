"""The operator's rules for rooms."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from noughts.values import Value


class Policy(Value):
    """Grace, pace, expiry and chat, the same for every room of a server. Durations are milliseconds.

    ``notices`` says whether players are sent notices about their turns. ``levels`` names the engine's levels for each
    variant, weakest first. It is given here because rooms do not import the engine.
    """

    levels: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    grace_ms: int = 30_000
    engine_pace_ms: int = 500
    engines_pace_ms: int = 1_000
    waiting_ms: int = 86_400_000
    unjoined_ms: int = 1_800_000
    finished_ms: int = 86_400_000
    playing_ms: int = 7 * 86_400_000
    abandoned_open_ms: int = 45_000
    chat: bool = True
    notices: bool = False
