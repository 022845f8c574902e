"""Check what a webhook receives: one signed JSON object that chat services show as it is."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import random
from pathlib import Path

import pytest

from noughts.app.push import posts
from noughts.app.push.lookups import Lookups
from noughts.app.push.posts import Poster, PostQueue
from noughts.app.push.webhook import Webhook, plain_name, signature
from noughts.app.runtime.limits import WEBHOOK
from noughts.app.runtime.metrics import Deliveries
from noughts.app.runtime.tasks import Tasks
from tests.support.push_service import PushService, statuses


def test_the_signature_is_hmac_of_seconds_and_body() -> None:
    digest = hmac.new(b"secret", b'1000.{"a":1}', hashlib.sha256).hexdigest()
    assert signature("secret", b'{"a":1}', 1_000) == f"t=1000,v1={digest}"


@pytest.mark.parametrize("secret", ["", "secret"])
async def test_an_event_arrives_once_as_text_and_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    async with PushService(tmp_path) as service:
        monkeypatch.setenv("SSL_CERT_FILE", str(service.certificate))
        poster, tasks, counts = (
            Poster(random.Random(1), private=True, resolve=Lookups().addresses),
            Tasks(),
            Deliveries(),
        )
        ids = itertools.count(1)
        hook = Webhook(
            service.url("hook"), secret, poster, PostQueue(tasks), lambda: 1_000_500, lambda: f"e{next(ids)}", counts
        )
        monkeypatch.setattr(posts, "PAUSES_S", (0.0, 0.0))
        service.answers = statuses(500)
        hook.send("game_ended", "Anna won.", "https://games.example.org/r/x", {"room": "x", "type": "overridden"})
        await service.wait(2)
        await tasks.stop()
        await poster.close()
    first, second = service.posts
    assert first.body == second.body
    event = json.loads(first.body)
    text = "Anna won. https://games.example.org/r/x"
    assert event == {
        "id": "e1",
        "type": "game_ended",
        "at_ms": 1_000_500,
        "text": text,
        "content": text,
        "allowed_mentions": {"parse": []},
        "room": "x",
        "url": "https://games.example.org/r/x",
    }
    expected = signature(secret, first.body, 1_000) if secret else None
    assert first.headers.get("Noughts-Signature") == expected
    assert (counts.sent, counts.refused) == (1, 0)


async def test_a_webhook_that_refuses_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with PushService(tmp_path) as service:
        monkeypatch.setenv("SSL_CERT_FILE", str(service.certificate))
        poster, tasks, counts = (
            Poster(random.Random(1), private=True, resolve=Lookups().addresses),
            Tasks(),
            Deliveries(),
        )
        hook = Webhook(service.url("hook"), "", poster, PostQueue(tasks), lambda: 0, lambda: "e", counts)
        service.answers = statuses(400)
        hook.send("game_ended", "x", "https://games.example.org", {})
        await tasks.stop()
        await poster.close()
    assert (counts.sent, counts.refused, len(service.posts)) == (0, 1, 1)


async def test_events_beyond_a_rate_are_dropped_and_counted() -> None:
    tasks, counts = Tasks(), Deliveries()
    hook = Webhook(
        "http://localhost",
        "",
        Poster(random.Random(1), private=True, resolve=Lookups().addresses),
        PostQueue(tasks),
        lambda: 0,
        str,
        counts,
    )
    for _ in range(int(WEBHOOK.burst) + 7):
        hook.send("game_ended", "x", "https://games.example.org", {})
    assert counts.dropped == 7
    await tasks.stop(0)


def test_names_carry_no_markup_and_mention_nobody() -> None:
    assert plain_name("<!channel> *@all*") == r"\<!channel\> \*\@all\*"
    assert plain_name("Anna") == "Anna"
