"""Check posts against a push service of the test's own, over TLS."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from noughts.app.push import posts
from noughts.app.push.lookups import Lookups
from noughts.app.push.posts import Answer, CheckedResolver, Pause, Poster, PostQueue, PrivateAddressError
from noughts.app.runtime.tasks import Tasks
from tests.support.player import WAIT_S
from tests.support.push_service import PushService, statuses


@pytest.fixture
async def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PushService]:
    """Return a running push service whose certificate the server trusts."""
    async with PushService(tmp_path) as running:
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        yield running


class Pauses:
    """Notes the pauses between tries instead of waiting."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def sent(service: PushService, *, private: bool = True) -> tuple[Answer, list[float]]:
    """Return what a post came to, and the pauses between its tries."""
    pauses = Pauses()
    poster = Poster(random.Random(1), private=private, resolve=Lookups().addresses)
    try:
        return await poster.post(service.url(), b"body", {"TTL": "60"}, pauses), pauses.seconds
    finally:
        await poster.close()


async def test_a_post_carries_body_and_headers_once(service: PushService) -> None:
    answer, pauses = await sent(service)
    assert answer[:2] == (201, 1)
    assert answer.accepted
    assert pauses == []
    (post,) = service.posts
    assert (post.path, post.body, post.headers["TTL"]) == ("/p/1", b"body", "60")


async def test_a_post_that_is_not_wanted_any_more_is_not_tried_again(service: PushService) -> None:
    service.answers = statuses(429)

    async def is_wanted() -> bool:
        return False

    poster = Poster(random.Random(1), private=True, resolve=Lookups().addresses)
    assert (await poster.post(service.url(), b"body", {}, Pauses(), is_wanted))[:2] == (429, 1)
    await poster.close()


@pytest.mark.parametrize(("text", "obeyed"), [("7", True), ("0", True), ("60", True), ("61", False), ("soon", False)])
async def test_a_short_retry_after_is_obeyed(service: PushService, text: str, obeyed: bool) -> None:
    service.answers = [(429, {"Retry-After": text})]
    _, (pause,) = await sent(service)
    assert pause == float(text) if obeyed else 2.0 <= pause <= 3.0


@pytest.mark.parametrize(
    ("date", "pause_s"),
    [
        ("Wed, 25 Nov 2026 12:00:42 GMT", 42.0),
        ("Wed, 25 Nov 2026 11:59:00 GMT", 0.0),
        ("Wed, 25 Nov 2026 12:01:01 GMT", None),
        ("Wed, 25 Nov 2026", None),
    ],
)
async def test_a_retry_after_may_be_a_date(service: PushService, date: str, pause_s: float | None) -> None:
    service.answers = [(503, {"Retry-After": date, "Date": "Wed, 25 Nov 2026 12:00:00 GMT"})]
    _, (pause,) = await sent(service)
    assert 2.0 <= pause <= 3.0 if pause_s is None else pause == pause_s


async def test_a_redirect_is_not_followed(service: PushService) -> None:
    service.answers = [(307, {"Location": service.url("elsewhere")})]
    answer, _ = await sent(service)
    assert answer[:2] == (307, 1)
    assert not answer.accepted
    assert [post.path for post in service.posts] == ["/p/1"]


async def test_a_silent_service_is_given_up(service: PushService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posts, "POST_S", 0.2)
    service.silent = True
    assert (await sent(service))[0][:2] == (0, 3)


async def test_a_name_that_leads_to_a_private_address_gets_no_connection(service: PushService) -> None:
    assert (await sent(service, private=False))[0][:2] == (0, 3)
    assert service.posts == []


async def test_an_unknown_certificate_gets_no_post(tmp_path: Path) -> None:
    async with PushService(tmp_path) as service:
        assert (await sent(service))[0].status == 0
        assert service.posts == []


async def test_a_name_is_resolved_once_for_a_connection(service: PushService) -> None:
    names: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        names.append(host)
        return ["127.0.0.1"]

    poster = Poster(random.Random(1), private=True, resolve=resolve)
    answer = await poster.post(service.url(host="a.push.test"), b"", {}, Pauses())
    await poster.close()
    assert answer.accepted
    assert names == ["a.push.test"]


async def test_one_private_address_of_several_is_enough_to_refuse() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["8.8.8.8", "10.0.0.1"]

    with pytest.raises(PrivateAddressError):
        await CheckedResolver(resolve).resolve("push.example.org", 443)


async def test_ten_posts_run_at_a_time_and_the_rest_wait() -> None:
    tasks, running, most, go_on = Tasks(), 0, 0, asyncio.Event()

    async def post(pause: Pause) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await go_on.wait()
        running -= 1

    queue = PostQueue(tasks)
    assert all(queue.put(post) for _ in range(25))
    for _ in range(5):
        await asyncio.sleep(0)
    assert most == running == 10
    go_on.set()
    await tasks.stop()
    assert (most, running) == (10, 0)


async def test_a_post_between_two_tries_holds_no_slot() -> None:
    tasks, done = Tasks(), asyncio.Event()

    async def dead(pause: Pause) -> None:
        await pause(3_600)

    async def alive(pause: Pause) -> None:
        done.set()

    queue = PostQueue(tasks)
    assert all(queue.put(dead, "dead") for _ in range(3 * posts.AT_A_TIME))
    assert queue.put(alive, "alive")
    async with asyncio.timeout(WAIT_S):
        await done.wait()
    await tasks.stop(0)
    assert all(queue.put(alive, f"{n}") for n in range(3 * posts.AT_A_TIME))
    await tasks.stop()


async def test_turns_alternate() -> None:
    """A player with many posts delays those of another by one post."""
    tasks, order = Tasks(), list[str]()

    async def post(name: str, pause: Pause) -> None:
        order.append(name)
        await asyncio.sleep(0)

    queue = PostQueue(tasks, at_a_time=1)
    for name in (*("a" for _ in range(20)), "b", "c", "b"):
        queue.put(partial(post, name), name)
    await tasks.stop()
    assert "".join(order[:7]) == "aabcaba"
    assert len(order) == 23


async def test_a_host_that_is_silent_leaves_slots_to_others() -> None:
    """Whatever waits for it, and in whose turn."""
    tasks, done = Tasks(), asyncio.Event()

    async def silent(pause: Pause) -> None:
        await asyncio.sleep(3_600)

    async def answered(pause: Pause) -> None:
        done.set()

    queue = PostQueue(tasks)
    for n in range(3 * posts.AT_A_TIME):
        queue.put(silent, f"{n}", "silent.test")
    await asyncio.sleep(0)
    queue.put(answered, "0", "other.test")
    async with asyncio.timeout(WAIT_S):
        await done.wait()
    await tasks.stop(0)


async def test_posts_beyond_a_number_are_refused() -> None:
    """Of one turn, and of all."""

    async def post(pause: Pause) -> None: ...

    queue = PostQueue(tasks := Tasks())
    assert [queue.put(post, "one") for _ in range(posts.MAX_OF_TURN + 2)].count(False) == 2
    others = [queue.put(post, f"{n}") for n in range(posts.MAX_WAITING)]
    assert others.count(False) == posts.MAX_OF_TURN
    await tasks.stop()
    assert queue.put(post, "one")
    await tasks.stop()


async def test_a_post_that_fails_does_not_end_the_queue() -> None:
    done: list[int] = []

    async def fail(pause: Pause) -> None:
        raise RuntimeError

    async def post(pause: Pause) -> None:
        done.append(1)

    queue = PostQueue(tasks := Tasks())
    for _ in range(posts.AT_A_TIME * 2):
        queue.put(fail)
    await tasks.stop()
    queue.put(post)
    await tasks.stop()
    assert done == [1]
