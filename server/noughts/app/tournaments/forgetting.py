"""Puts ``someone`` in place of a deleted player in tournaments, and a host's new name in place of the old one."""

from __future__ import annotations

from noughts.app.tournaments.actor import TournamentRegistry
from noughts.app.tournaments.match_keeper import MatchKeeper
from noughts.app.tournaments.records import MatchRecords
from noughts.errors import Rejection
from noughts.room.room import SOMEONE
from noughts.room.seat import Person
from noughts.store.machine_store import MachineStore
from noughts.tournament.commands import Renamed


class TournamentRenaming:
    """Changes a player's name in the tournaments that the player hosts or entered."""

    def __init__(
        self, store: MachineStore, registry: TournamentRegistry, records: MatchRecords, keeper: MatchKeeper
    ) -> None:
        self._store = store
        self._registry = registry
        self._records = records
        self._keeper = keeper

    async def rename(self, person: Person) -> None:
        """Put a player's new name into every tournament of the player. Raise ``unavailable`` if some may have the old one.

        Entrants keep the names that they have in a tournament, unless the account was deleted.
        """
        for id in await self._store.ids_of(person.player):
            try:
                actor = await self._registry.open(id)
                await actor.tell(Renamed(person))
                if person.name == SOMEONE:
                    matches = await self._records.all_matches(actor.value)
                    await self._keeper.forget_player(actor.value, matches, person.player)
            except Rejection as rejection:
                if rejection.code == "unavailable":
                    raise
