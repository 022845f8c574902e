"""What a node posts with: to push services, and to the webhook of the operator."""

from __future__ import annotations

import random

from noughts.app.push.posts import FEW_AT_A_TIME, Poster, PostQueue
from noughts.app.push.server_keys import ServerKeys
from noughts.app.runtime.tasks import Tasks
from noughts.store.contract import PushStore


class PostOffice:
    """The server's keys, what posts to public addresses, what posts to any address, and the queue of both."""

    def __init__(self, store: PushStore, tasks: Tasks, rng: random.Random) -> None:
        self.keys = ServerKeys(store)
        self.posters = (Poster(rng, private=False), Poster(rng, private=True))
        self.queue = PostQueue(tasks)
        self.failing_queue = PostQueue(tasks, at_a_time=FEW_AT_A_TIME)
        """For devices that failed the last time."""
        self.webhook_queue = PostQueue(tasks, at_a_time=FEW_AT_A_TIME)

    async def close(self) -> None:
        """Close what is open."""
        for poster in self.posters:
            await poster.close()
