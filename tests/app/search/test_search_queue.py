"""The queue before the workers: whose turn it is, how long a search may take, and what leaves the queue."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from noughts.app.search.line_protocol import AnalysisRequest, Rejected, VerdictRequest
from noughts.app.search.search import Caller, Search, busy
from noughts.app.search.search_queue import ENGINES_SHARE, MIN_SEARCH_S, PEOPLE_IN_A_ROW, SearchQueue
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS
from tests.support.player import WAIT_S
from tests.support.virtual_time import in_virtual_time

SECONDS = 1.0
TARGET_S = 1.5 * SECONDS


def new_search(
    network: str = "home",
    *,
    person: bool = True,
    target_s: float = TARGET_S,
    wait_s: float | None = None,
    variant: str = "gomoku",
    form: type[VerdictRequest | AnalysisRequest] = VerdictRequest,
) -> Search:
    """Return a search of one second, for a player of its own."""
    loop = asyncio.get_running_loop()
    request = form(1, VARIANTS[variant], (), SECONDS)
    expires_s = None if wait_s is None else loop.time() + wait_s
    caller = Caller(network, "p_ann", person)
    return Search(request, caller, loop.time() + target_s, expires_s, loop.create_future())


@dataclass
class Idle:
    """A worker that waits for a search."""

    ended: asyncio.Future[None]
    turn: asyncio.Task[Search | None]


async def idle_worker(queue: SearchQueue) -> Idle:
    ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    worker = Idle(ended, asyncio.create_task(queue.take(ended)))
    await asyncio.sleep(0)
    return worker


async def search_for(queue: SearchQueue) -> Search | None:
    """Return the search that a worker gets which has nothing to do now."""
    async with asyncio.timeout(WAIT_S):
        return await (await idle_worker(queue)).turn


# --- turns ----------------------------------------------------------------------------------------------------------


async def test_people_go_before_two_engines() -> None:
    """Now and then two engines have a turn, so that their room does not stand still."""
    queue = SearchQueue(1)
    engines = [new_search(person=False) for _ in range(2)]
    people = [new_search() for _ in range(PEOPLE_IN_A_ROW + 2)]
    for search in (*engines, *people):
        queue.put(search)
    order = [await search_for(queue) for _ in range(len(queue))]
    assert order == [*people[:PEOPLE_IN_A_ROW], engines[0], *people[PEOPLE_IN_A_ROW:], engines[1]]


@pytest.mark.parametrize("person", [True, False])
async def test_networks_take_turns(person: bool) -> None:
    queue = SearchQueue(1)
    crowd = [new_search("crowd", person=person) for _ in range(300)]
    for search in crowd:
        queue.put(search)
    assert await search_for(queue) is crowd[0]
    alone = new_search("alone", person=person)
    queue.put(alone)
    assert [await search_for(queue) for _ in range(2)] == [crowd[1], alone]


async def test_an_idle_worker_takes_a_search_at_once() -> None:
    """Of several workers, it is the one that was busy last."""
    queue = SearchQueue(2)
    first, second = await idle_worker(queue), await idle_worker(queue)
    search = new_search()
    queue.put(search)
    assert len(queue) == 0
    assert await second.turn is search
    assert not first.turn.done()
    first.turn.cancel()


async def test_a_search_put_back_is_the_next_one() -> None:
    queue = SearchQueue(1)
    queue.put(new_search())
    for person in (False, True):
        search = new_search(person=person)
        queue.put_back(search)
        assert await search_for(queue) is search


# --- how long a search may take -------------------------------------------------------------------------------------


async def run_searches(workers: int, searches: list[Search]) -> list[float]:
    """Let workers run these searches, which come at once. Shorten them as the pool does. Return when each ended."""
    queue, loop = SearchQueue(workers), asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    running: set[Search] = set()

    async def work() -> None:
        while search := await queue.take(ended):
            running.add(search)
            while search.ends_s > loop.time():  # noqa: ASYNC110 - it may be shortened meanwhile
                await asyncio.sleep(0.005)
            running.remove(search)
            search.finish(busy())

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    await asyncio.sleep(0)
    for search in searches:
        queue.put(search)
        await asyncio.sleep(0)
        for other in running:
            other.ends_s = min(other.ends_s, queue.end_s(other))
    await asyncio.wait([search.answer for search in searches])
    ended.set_result(None)
    await asyncio.wait(tasks)
    return [search.ends_s for search in searches]


@pytest.mark.parametrize("networks", [1, 3, 8])
@pytest.mark.parametrize("person", [True, False])
def test_eight_searches_on_two_workers_shrink(person: bool, networks: int) -> None:
    async def scenario() -> list[float]:
        return await run_searches(2, [new_search(str(n % networks), person=person) for n in range(8)])

    ends_s = in_virtual_time(scenario())
    assert max(ends_s) == pytest.approx(TARGET_S, abs=0.2)
    assert min(ends_s) > 0.2


def test_searches_that_expire_share_the_time_until_then() -> None:
    async def scenario() -> list[float]:
        return await run_searches(2, [new_search(target_s=1.2, wait_s=1.3) for _ in range(16)])

    ends_s = in_virtual_time(scenario())
    assert max(ends_s) <= 1.2 + MIN_SEARCH_S
    assert min(ends_s) > 0.1


async def test_searches_of_one_moment_share_the_first_workers_time() -> None:
    """The first is handed out before the others come, but its worker begins after them."""
    queue = SearchQueue(1)
    worker = await idle_worker(queue)
    began_s = asyncio.get_running_loop().time()
    for _ in range(15):
        queue.put(new_search())
    search = await worker.turn
    assert search is not None
    assert search.ends_s - began_s < 0.2 * SECONDS


def granted_s(queue: SearchQueue, search: Search) -> float:
    return queue.end_s(search) - asyncio.get_running_loop().time()


ANALYSIS: dict[str, Any] = {"target_s": SECONDS, "wait_s": WAIT_S}
EXPIRING: dict[str, Any] = {"target_s": 0.3, "wait_s": WAIT_S}
ENGINES: dict[str, Any] = {"person": False}
REVIEW: dict[str, Any] = {"form": AnalysisRequest}


@pytest.mark.parametrize(
    ("workers", "waiting", "kind", "running", "seconds"),
    [
        # An analysis leaves each behind it as much time as it takes. With two workers, a third of three waits behind one.
        *((2, waiting, ANALYSIS, ANALYSIS, SECONDS / (1 + (waiting + 1) // 2)) for waiting in range(7)),
        # Two engines become slower rather than weaker, and have less time while a person waits.
        (2, 400, ENGINES, ENGINES, ENGINES_SHARE * SECONDS),
        (2, 400, ENGINES, {}, SECONDS),
        (1, 0, {}, ENGINES, SECONDS),
        (1, 1, {}, ENGINES, ENGINES_SHARE * SECONDS),
        # A search that must be perfect is not shortened: it ends as soon as its position is solved. An analysis of a game on
        # 5x5 is, and one that expires must still be answered in time.
        (1, 100, {}, {"variant": "4x4"}, SECONDS),
        (1, 100, {}, {"variant": "5x5"}, SECONDS),
        (1, 100, {}, {"variant": "4x4", **REVIEW}, SECONDS),
        (1, 100, {}, {"variant": "5x5", **REVIEW}, MIN_SEARCH_S),
        (1, 100, {}, {"variant": "4x4", **EXPIRING}, 0.3),
        (1, 0, {}, EXPIRING, 0.3),
        (1, 0, {}, {**EXPIRING, "target_s": -0.3}, MIN_SEARCH_S),
    ],
)
def test_the_time_of_a_search_depends_on_what_waits(
    workers: int, waiting: int, kind: dict[str, Any], running: dict[str, Any], seconds: float
) -> None:
    async def scenario() -> float:
        queue, search = SearchQueue(workers), new_search(**running)
        for _ in range(waiting):
            queue.put(new_search(**kind))
        return granted_s(queue, search)

    assert in_virtual_time(scenario()) == pytest.approx(seconds)


def test_the_searches_of_one_network_do_not_shorten_anothers() -> None:
    async def scenario() -> None:
        queue, alone = SearchQueue(2), new_search("alone")
        for _ in range(400):
            queue.put(new_search("crowd"))
        assert granted_s(queue, alone) == SECONDS
        assert granted_s(queue, new_search("crowd")) == MIN_SEARCH_S

    in_virtual_time(scenario())


def test_a_running_search_has_less_time_the_more_wait() -> None:
    async def scenario() -> list[float]:
        queue, running = SearchQueue(2), new_search()
        times_s = []
        for _ in range(400):
            times_s.append(granted_s(queue, running))
            queue.put(new_search())
        return times_s

    times_s = in_virtual_time(scenario())
    assert times_s[:3] == [SECONDS, SECONDS, SECONDS]
    assert times_s[3] == pytest.approx(TARGET_S / 2)
    assert times_s == sorted(times_s, reverse=True)
    assert times_s[-1] == MIN_SEARCH_S


# --- what leaves the queue ------------------------------------------------------------------------------------------


async def test_a_search_leaves_the_queue_once() -> None:
    queue = SearchQueue(1)
    search, back, other = new_search(), new_search(), new_search()
    queue.put(search)
    queue.put_back(back)
    queue.put(other)
    for removed in (search, back):
        queue.remove(removed)
        queue.remove(removed)
    assert len(queue) == 1
    assert await search_for(queue) is other


async def test_a_search_that_expires_waits_until_then() -> None:
    """Also when it is put back after its worker was lost."""
    queue = SearchQueue(1)
    for put in (queue.put, queue.put_back):
        search = new_search(wait_s=0.01)
        put(search)
        async with asyncio.timeout(WAIT_S):
            rejection = await search.answer
        assert isinstance(rejection, Rejection)
        assert (rejection.code, rejection.retry_ms) == ("unavailable", 2_000)
        assert len(queue) == 0


async def test_a_search_that_a_worker_has_is_not_given_up() -> None:
    queue = SearchQueue(1)
    searches = [new_search(wait_s=0.01), new_search(wait_s=0.01)]
    queue.put(searches[0])
    assert await search_for(queue) is searches[0]
    queue.put(searches[1])
    async with asyncio.timeout(WAIT_S):
        await searches[1].answer  # its time ends after that of the first
    assert not searches[0].answer.done()


async def test_a_worker_that_ends_while_it_waits_gets_nothing() -> None:
    queue = SearchQueue(1)
    worker = await idle_worker(queue)
    worker.ended.set_result(None)
    assert await worker.turn is None
    queue.put(new_search())
    assert len(queue) == 1


def test_a_worker_waits_no_longer_than_it_may() -> None:
    async def scenario() -> None:
        queue, loop = SearchQueue(1), asyncio.get_running_loop()
        assert await queue.take(loop.create_future(), 60.0) is None
        assert loop.time() == pytest.approx(60.0)
        queue.put(new_search())
        assert len(queue) == 1

    in_virtual_time(scenario())


async def test_a_sleeping_worker_wakes_for_a_search() -> None:
    """One worker for each search that no idle worker takes. A search that waits already keeps a worker awake."""
    queue = SearchQueue(3)
    sleepers = [asyncio.create_task(queue.filled()) for _ in range(3)]
    await asyncio.sleep(0)
    idle = await idle_worker(queue)
    queue.put(new_search())
    await idle.turn
    assert not any(sleeper.done() for sleeper in sleepers)
    for number in (1, 2):
        queue.put(new_search())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert sum(sleeper.done() for sleeper in sleepers) == number
    async with asyncio.timeout(WAIT_S):
        await queue.filled()
    sleepers[2].cancel()
    await asyncio.wait(sleepers)
    queue.put(new_search())
    assert len(queue) == 3


@pytest.mark.parametrize("how", ["ends", "stops"])
async def test_a_search_given_to_a_lost_worker_is_put_back(how: str) -> None:
    """The worker ends, or its task is cancelled, in the very moment when it gets a search."""
    queue = SearchQueue(1)
    worker = await idle_worker(queue)
    search = new_search()
    queue.put(search)
    if how == "ends":
        worker.ended.set_result(None)
    else:
        worker.turn.cancel()
    await asyncio.wait((worker.turn,))
    assert len(queue) == 1
    assert await search_for(queue) is search


async def test_a_closed_queue_rejects_everything() -> None:
    queue = SearchQueue(1)
    searches = [new_search(), new_search(wait_s=WAIT_S), new_search(person=False), new_search()]
    for search in searches[:3]:
        queue.put(search)
    queue.put_back(new_search())
    queue.close()
    queue.put_back(searches[3])
    for search in searches:
        rejection = search.answer.result()
        assert not isinstance(rejection, Rejected)
        assert isinstance(rejection, Rejection)
        assert (rejection.code, rejection.retry_ms) == ("unavailable", 1_000)
    with pytest.raises(Rejection):
        queue.put(new_search())
    assert len(queue) == 0
