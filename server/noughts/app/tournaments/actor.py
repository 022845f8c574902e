"""The actor of a tournament: the generic one, with the words of tournaments for its callers."""

from __future__ import annotations

from typing import TypeAlias

from noughts.app.machines.actor import Actor
from noughts.app.machines.registry import Registry
from noughts.app.tournaments.visitors import TournamentVisitors
from noughts.tournament.tournament import Tournament


class TournamentActor(Actor[Tournament]):
    """A tournament that this node holds."""

    visitors: TournamentVisitors

    __slots__ = ()


TournamentRegistry: TypeAlias = Registry[TournamentActor]
"""The tournaments that this node holds."""
