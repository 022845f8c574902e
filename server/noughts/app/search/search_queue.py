"""The queue of searches that wait for a worker: whose turn it is, and how long each search may take.

Networks take turns, and within a network its players do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from math import ceil
from typing import Final

from noughts.app.search.line_protocol import AnalysisRequest
from noughts.app.search.search import Search, busy, unavailable
from noughts.engine.solvable import is_exact, is_played_perfectly

PEOPLE_IN_A_ROW: Final = 4
"""After this many searches for people, one for two engines has its turn, if one waits."""
MIN_SEARCH_S: Final = 0.05
"""The shortest search, however many wait."""
ENGINES_SHARE: Final = 0.25
"""The least share of its time that a search for two engines gets. Such rooms become slower rather than much weaker."""


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


class SearchQueue:
    """Searches that wait for a worker, and workers that wait for a search.

    People go before engines that play each other. Both wait in turns (:class:`Turns`). A search lost with its worker goes
    first. The more searches wait, the shorter is each: a search shares the time up to its target with those that its
    network has waiting, and with the other networks.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lost: deque[Search] = deque()
        self._people = Turns()
        self._engines = Turns()
        self._people_in_a_row = 0
        self._idle: list[asyncio.Future[Search]] = []
        self._asleep: list[asyncio.Future[None]] = []
        self.closed = False

    def __len__(self) -> int:
        return len(self._lost) + len(self._people) + len(self._engines)

    def put(self, search: Search) -> None:
        """Add a search. Raise ``unavailable`` if the queue is closed."""
        if self.closed:
            raise unavailable()
        self._turns_of(search).put(search)
        self._added(search)

    def put_back(self, search: Search) -> None:
        """Add a search that has lost its worker, before all others."""
        if self.closed:
            search.finish(unavailable())
            return
        self._lost.append(search)
        self._added(search)

    def remove(self, search: Search) -> None:
        """Take a search out of the queue, if it still waits there."""
        self._stop_timer(search)
        if search in self._lost:
            self._lost.remove(search)
        else:
            self._turns_of(search).remove(search)

    async def filled(self) -> None:
        """Wait until a search waits for a worker that sleeps, and until it is the turn of this one to wake up."""
        if len(self):
            return
        call: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asleep.append(call)
        try:
            await call
        finally:
            if call in self._asleep:
                self._asleep.remove(call)

    async def take(self, ended: asyncio.Future[None], idle_s: float | None = None) -> Search | None:
        """Wait for the next search for an idle worker, ``idle_s`` seconds at most.

        Return None if none came, or once the worker has ended.
        """
        turn: asyncio.Future[Search] = asyncio.get_running_loop().create_future()
        self._idle.append(turn)
        self._hand_out()
        try:
            await asyncio.wait((turn, ended), timeout=idle_s, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._leave(turn)
            raise
        if turn.done() and not ended.done():
            search = turn.result()
            search.ends_s = self.end_s(search)  # now, not when it was handed out: more may have come in between
            return search
        self._leave(turn)
        return None

    def end_s(self, search: Search) -> float:
        """Return when a search that runs or begins now is to end, given the searches that wait now."""
        now_s, seconds, turns = asyncio.get_running_loop().time(), search.request.seconds, self._turns_of(search)
        others, networks = turns.waiting_of(search.caller.network), turns.networks
        if not others:
            networks += 1
        searches = networks * (others + 1)
        if search.expires_s is None:
            shares = max(1.0, searches / self._workers)
        else:  # its time and its target are the same: it leaves the next one of its worker as much as it takes
            shares = 1 + ceil((searches - 1) / self._workers)
        share_s = (search.target_s - now_s) / shares
        least_s = MIN_SEARCH_S
        if not search.caller.person:
            least_s = ENGINES_SHARE * seconds
            if len(self._people):
                share_s = 0.0
        # A whole game of five by five may take an analysis all its time.
        solved = is_exact if isinstance(search.request, AnalysisRequest) else is_played_perfectly
        if solved(search.request.variant):
            least_s = seconds  # it ends by itself, and a part of it would not be perfect
        if search.expires_s is not None:
            seconds = min(seconds, max(MIN_SEARCH_S, search.target_s - now_s))
        return now_s + min(seconds, max(least_s, share_s))

    def close(self) -> None:
        """Reject every search that waits, and every later one."""
        self.closed = True
        for search in (*self._lost, *self._people.clear(), *self._engines.clear()):
            self._stop_timer(search)
            search.finish(unavailable())
        self._lost.clear()

    def _turns_of(self, search: Search) -> Turns:
        return self._people if search.caller.person else self._engines

    def _added(self, search: Search) -> None:
        loop = asyncio.get_running_loop()
        if search.expires_s is not None:
            search.timer = loop.call_at(search.expires_s, self._give_up, search)
        if not self._hand_out() and self._asleep:
            self._asleep.pop(0).set_result(None)

    def _hand_out(self) -> bool:
        """Give searches to idle workers. Return whether no search waits any more."""
        while len(self) and self._idle:
            search = self._next()
            self._stop_timer(search)
            self._idle.pop().set_result(search)  # the worker that was busy last: its tables are warm
        return not len(self)

    def _next(self) -> Search:
        if self._lost:
            return self._lost.popleft()
        if len(self._people) and (not len(self._engines) or self._people_in_a_row < PEOPLE_IN_A_ROW):
            self._people_in_a_row += 1
            return self._people.pop()
        self._people_in_a_row = 0
        return self._engines.pop()

    def _leave(self, turn: asyncio.Future[Search]) -> None:
        """End an idle worker's wait. A search that it was just given goes to another."""
        if turn.done():
            self.put_back(turn.result())
        else:
            self._idle.remove(turn)

    @staticmethod
    def _stop_timer(search: Search) -> None:
        if search.timer is not None:
            search.timer.cancel()
            search.timer = None

    def _give_up(self, search: Search) -> None:
        self.remove(search)
        search.finish(busy())
