"""Searches that wait, in turns: one network after another, and within a network one player after another."""

from __future__ import annotations

from collections import deque

from noughts.app.search.search import Search


class Turns:
    """Searches that wait. Of the searches of one network, however many, only one is taken before another network's turn."""

    def __init__(self) -> None:
        self._networks: dict[str, dict[str, deque[Search]]] = {}
        """Searches by network and player, in the order of their turns. No entry is empty."""
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def networks(self) -> int:
        """Return the number of networks that wait."""
        return len(self._networks)

    def waiting_of(self, network: str) -> int:
        """Return the number of searches of a network."""
        return sum(map(len, self._networks.get(network, {}).values()))

    def put(self, search: Search) -> None:
        """Add a search. It comes after its player's others."""
        caller = search.caller
        self._networks.setdefault(caller.network, {}).setdefault(caller.player, deque()).append(search)
        self._size += 1

    def pop(self) -> Search:
        """Remove and return the next search. At least one must wait. Its player and its network come last from now on."""
        network = next(iter(self._networks))
        players = self._networks.pop(network)
        player = next(iter(players))
        searches = players.pop(player)
        search = searches.popleft()
        if searches:
            players[player] = searches
        if players:
            self._networks[network] = players
        self._size -= 1
        return search

    def remove(self, search: Search) -> None:
        """Remove a search, if it is here."""
        network, player, _ = search.caller
        players = self._networks.get(network, {})
        if search not in players.get(player, ()):
            return
        players[player].remove(search)
        self._size -= 1
        if not players[player]:
            del players[player]
        if not players:
            del self._networks[network]

    def clear(self) -> list[Search]:
        """Remove and return every search."""
        searches = [search for players in self._networks.values() for waiting in players.values() for search in waiting]
        self._networks.clear()
        self._size = 0
        return searches
