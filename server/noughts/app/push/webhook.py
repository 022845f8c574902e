"""Signed posts to the operator's webhook about public games and tournaments, with a text that chat services display.

``text`` is read by Slack and Mattermost, ``content`` by Discord. ntfy shows the body if its URL asks for a template.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from typing import Final

from noughts.app.push.posts import Pause, Poster, PostQueue
from noughts.app.runtime.limits import WEBHOOK
from noughts.app.runtime.metrics import Deliveries
from noughts.store.coordination import Bucket

SIGNATURE: Final = "Noughts-Signature"
MAX_TEXT: Final = 300
_MARKUP: Final = str.maketrans({mark: f"\\{mark}" for mark in "\\*_~`|<>@#[]()"})


def signature(secret: str, body: bytes, now_s: int) -> str:
    """Return the value of the header ``Noughts-Signature``: HMAC-SHA256 of ``SECONDS.BODY`` with the secret."""
    digest = hmac.new(secret.encode(), b"%d.%b" % (now_s, body), hashlib.sha256).hexdigest()
    return f"t={now_s},v1={digest}"


def plain_name(name: str) -> str:
    """Return a player's name so that no chat service takes a part of it for markup or a mention."""
    return name.translate(_MARKUP)


class Webhook:
    """Sends each event once, from the node on which it happened. A post is tried three times, then dropped and counted."""

    def __init__(
        self,
        url: str,
        secret: str,
        poster: Poster,
        queue: PostQueue,
        now_ms: Callable[[], int],
        new_id: Callable[[], str],
        deliveries: Deliveries,
    ) -> None:
        self._url = url
        self._secret = secret
        self._poster = poster
        self._queue = queue
        self._now_ms = now_ms
        self._new_id = new_id
        self._deliveries = deliveries
        self._credit = Bucket(WEBHOOK, now_ms() / 1000)

    def send(self, kind: str, text: str, url: str, details: Mapping[str, object]) -> None:
        """Send an event in the background. ``url`` is where people can see it. ``details`` are further fields."""
        text = text[:MAX_TEXT]
        at_ms = self._now_ms()
        if self._credit.take(at_ms / 1000):
            self._deliveries.dropped += 1
            return
        event = {
            "id": self._new_id(),
            "type": kind,
            "at_ms": at_ms,
            "text": f"{text} {url}",
            "content": f"{text} {url}",
            "allowed_mentions": {"parse": []},  # Discord reads a mention behind a backslash too
        }
        body = json.dumps({**details, **event, "url": url}, ensure_ascii=False).encode()

        async def post(pause: Pause) -> None:
            headers = {"Content-Type": "application/json", "User-Agent": "Noughts"}
            if self._secret:
                headers[SIGNATURE] = signature(self._secret, body, at_ms // 1000)
            answer = await self._poster.post(self._url, body, headers, pause)
            if answer.accepted:
                self._deliveries.sent += 1
            else:
                self._deliveries.refused += 1

        if not self._queue.put(post):
            self._deliveries.dropped += 1
