"""Looks up the present names of players. Rooms and tournaments hold only ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from noughts.room.room import Room, players_of
from noughts.room.seat import SOMEONE, Names, holder
from noughts.store.contract import PlayerStore
from noughts.store.machine_store import Line, MachineStore
from noughts.tournament.storage import tournament_from


class NameLookup:
    """Reads names from the store. Each answer has a name for every player of the question.

    In the room of a match, both players have the names that they have in the tournament.
    """

    def __init__(self, players: PlayerStore, tournaments: MachineStore) -> None:
        self._players = players
        self._tournaments = tournaments
        self._newest: tuple[bytes, Names] = (b"", {})
        """The tournament that was read last, and the names in it. The rooms of a round are read one after the other."""

    async def of(self, players: Iterable[str]) -> Names:
        """Return the names of players. Raise ``StoreUnavailableError``."""
        distinct = list(dict.fromkeys(players))
        names = await self._players.names(distinct) if distinct else {}
        return {player: names.get(player, SOMEONE) for player in distinct}

    async def in_rooms(self, rooms: Sequence[Room], lines: Sequence[Line] = ()) -> Names:
        """Return the names of the players of rooms, and of the senders of chat lines. Raise ``StoreUnavailableError``."""
        players = [player for room in rooms for player in shown_players(room)]
        names = dict(await self.of([*players, *[line.player for line in lines]]))
        for room in rooms:
            if room.match is not None:
                entrants = await self._entrants(room.match.tournament)
                for player in entrants.keys() & {holder(room.seats.X), holder(room.seats.O)}:
                    if names[player] != SOMEONE:
                        names[player] = entrants[player]
        return names

    async def _entrants(self, tournament: str) -> Names:
        stored = await self._tournaments.load(tournament)
        if stored is None:
            return {}
        if self._newest[0] != stored.data:
            entrants = tournament_from(stored.data).entrants
            self._newest = stored.data, {entrant.player: entrant.name for entrant in entrants}
        return self._newest[1]


def shown_players(room: Room) -> tuple[str, ...]:
    """Return the players whose names a room shows: its owner, the holders of its seats, and those of its game."""
    seats = () if room.game is None else (holder(room.game.players.X), holder(room.game.players.O))
    return (*players_of(room), *[player for player in seats if player is not None])
