"""The queue before the workers: its order, its bounds, and what leaves it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from noughts.app.search.line_protocol import VerdictRequest
from noughts.app.search.search_queue import MAX_QUEUE, MAX_WAITING_ANALYSES, Search, SearchQueue
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS
from tests.support.player import WAIT_S


def new_search(*, urgent: bool = True, wait_s: float | None = None) -> Search:
    request = VerdictRequest(1, VARIANTS["classic"], (), 1.0)
    return Search(request, urgent, wait_s, asyncio.get_running_loop().create_future())


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


async def test_urgent_searches_go_first_each_kind_in_order() -> None:
    queue = SearchQueue(kept_free=0)
    searches = [new_search(urgent=urgent) for urgent in (False, True, False, True)]
    for search in searches:
        queue.put(search)
    assert len(queue) == 4
    order = [await search_for(queue) for _ in searches]
    assert [searches.index(search) for search in order if search is not None] == [1, 3, 0, 2]
    assert len(queue) == 0


async def test_an_idle_worker_takes_a_search_at_once() -> None:
    queue = SearchQueue(kept_free=0)
    worker = await idle_worker(queue)
    search = new_search(urgent=False)
    queue.put(search)
    assert len(queue) == 0
    assert await worker.turn is search


async def test_a_worker_is_kept_free_of_patient_searches() -> None:
    queue = SearchQueue(kept_free=1)
    patient, urgent = new_search(urgent=False), new_search()
    first = await idle_worker(queue)
    queue.put(patient)
    assert len(queue) == 1
    queue.put(urgent)
    assert await first.turn is urgent
    await idle_worker(queue)
    await idle_worker(queue)
    assert len(queue) == 0


@pytest.mark.parametrize(("urgent", "most"), [(True, MAX_QUEUE), (False, MAX_WAITING_ANALYSES)])
async def test_a_full_queue_is_unavailable(urgent: bool, most: int) -> None:
    queue = SearchQueue(kept_free=0)
    for _ in range(most):
        queue.put(new_search(urgent=urgent))
    with pytest.raises(Rejection) as caught:
        queue.put(new_search(urgent=urgent))
    assert (caught.value.code, caught.value.retry_ms) == ("unavailable", 2_000)
    assert len(queue) == most
    queue.put(new_search(urgent=not urgent))  # the other kind has a bound of its own


async def test_a_search_put_back_is_the_next_one() -> None:
    queue = SearchQueue(kept_free=0)
    queue.put(new_search())
    search = new_search()
    queue.put_back(search)
    assert await search_for(queue) is search


async def test_a_search_leaves_the_queue_once() -> None:
    queue = SearchQueue(kept_free=0)
    search, other = new_search(), new_search()
    queue.put(search)
    queue.put(other)
    queue.remove(search)
    queue.remove(search)
    assert await search_for(queue) is other


async def test_a_search_waits_for_a_worker_no_longer_than_it_may() -> None:
    """Also when it is put back after its worker was lost."""
    queue = SearchQueue(kept_free=0)
    for put in (queue.put, queue.put_back):
        search = new_search(wait_s=0.01)
        put(search)
        async with asyncio.timeout(WAIT_S):
            rejection = await search.answer
        assert isinstance(rejection, Rejection)
        assert (rejection.code, rejection.retry_ms) == ("unavailable", 2_000)
        assert len(queue) == 0


async def test_a_search_that_a_worker_has_is_not_given_up() -> None:
    queue = SearchQueue(kept_free=0)
    searches = [new_search(wait_s=0.01), new_search(wait_s=0.01)]
    queue.put(searches[0])
    assert await search_for(queue) is searches[0]
    queue.put(searches[1])
    async with asyncio.timeout(WAIT_S):
        await searches[1].answer  # its time ends after that of the first
    assert not searches[0].answer.done()


async def test_a_worker_that_ends_while_it_waits_gets_nothing() -> None:
    queue = SearchQueue(kept_free=0)
    worker = await idle_worker(queue)
    worker.ended.set_result(None)
    assert await worker.turn is None
    queue.put(new_search())
    assert len(queue) == 1


@pytest.mark.parametrize("how", ["ends", "stops"])
async def test_a_search_given_to_a_lost_worker_is_put_back(how: str) -> None:
    """The worker ends, or its task is cancelled, in the very moment when it gets a search."""
    queue = SearchQueue(kept_free=0)
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
    queue = SearchQueue(kept_free=0)
    first, second, third = new_search(), new_search(urgent=False, wait_s=WAIT_S), new_search()
    queue.put(first)
    queue.put(second)
    queue.close()
    queue.put_back(third)
    for search in (first, second, third):
        rejection = search.answer.result()
        assert isinstance(rejection, Rejection)
        assert (rejection.code, rejection.retry_ms) == ("unavailable", 1_000)
    with pytest.raises(Rejection):
        queue.put(new_search())
    assert len(queue) == 0
