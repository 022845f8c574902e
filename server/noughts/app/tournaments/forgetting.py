"""Shows a deleted player as someone in the tournaments that the player entered: entrants have their names there."""

from __future__ import annotations

from noughts.app.tournaments.on_node import TournamentRegistry
from noughts.errors import Rejection
from noughts.store.machine_store import MachineStore
from noughts.tournament.commands import Forget


class TournamentForgetting:
    """Ends the part of deleted players in tournaments."""

    def __init__(self, store: MachineStore, registry: TournamentRegistry) -> None:
        self._store = store
        self._registry = registry

    async def forget(self, player: str) -> None:
        """Erase a player's name in every tournament. Raise ``unavailable`` if some may have it still."""
        for id in await self._store.ids_of(player):
            try:
                actor = await self._registry.open(id)
                await actor.tell(Forget(player))
            except Rejection as rejection:
                if rejection.code == "unavailable":
                    raise
