"""What a node posts with: to push services, and to the webhook of the operator."""

from __future__ import annotations

import random
from collections import OrderedDict
from typing import Final

from noughts.app.push.lookups import Lookups
from noughts.app.push.posts import FEW_AT_A_TIME, Poster, PostQueue
from noughts.app.push.server_keys import ServerKeys
from noughts.app.runtime.addresses import enclosing_networks
from noughts.app.runtime.tasks import Tasks
from noughts.store.contract import PushStore

MAX_NETWORKS: Final = 10_000


class PostOffice:
    """The server's keys, what posts to public addresses, what posts to any address, and the queue of both."""

    def __init__(self, store: PushStore, tasks: Tasks, rng: random.Random) -> None:
        self.keys = ServerKeys(store)
        self.lookups = Lookups()
        resolve = self.lookups.addresses
        self.posters = (Poster(rng, private=False, resolve=resolve), Poster(rng, private=True, resolve=resolve))
        self.queue = PostQueue(tasks)
        self.failing_queue = PostQueue(tasks, at_a_time=FEW_AT_A_TIME)
        """For devices that failed the last time."""
        self.webhook_queue = PostQueue(tasks, at_a_time=FEW_AT_A_TIME)
        self._networks: OrderedDict[str, str] = OrderedDict()
        """The networks from which players subscribed since this node started."""

    def note_network(self, player: str, address: str) -> None:
        """Note from where a player subscribed, so that all players of a network take one turn."""
        self._networks[player] = enclosing_networks(address)[-1]
        self._networks.move_to_end(player)
        if len(self._networks) > MAX_NETWORKS:
            self._networks.popitem(last=False)

    def turn_of(self, player: str) -> str:
        """Return whose turn a post to a player takes: that of the network if it is known, else the player's own."""
        return self._networks.get(player, player)

    async def close(self) -> None:
        """Close what is open."""
        for poster in self.posters:
            await poster.close()
