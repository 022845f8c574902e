"""Whose turn it is among the searches that wait."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from noughts.app.search.line_protocol import VerdictRequest
from noughts.app.search.search import Caller, Search
from noughts.app.search.search_queue import Turns
from noughts.rules.variant import VARIANTS


def new_search(network: str, player: str = "p_ann") -> Search:
    loop = asyncio.new_event_loop()
    try:
        request = VerdictRequest(1, VARIANTS["classic"], (), 1.0)
        return Search(request, Caller(network, player), 0.0, None, loop.create_future())
    finally:
        loop.close()


def order(turns: Turns) -> list[Search]:
    return [turns.pop() for _ in range(len(turns))]


def test_players_of_a_network_take_turns() -> None:
    turns = Turns()
    ann = [new_search("home", "p_ann") for _ in range(3)]
    ben = new_search("home", "p_ben")
    for search in (*ann, ben):
        turns.put(search)
    assert order(turns) == [ann[0], ben, *ann[1:]]


def test_all_leave_at_once() -> None:
    turns = Turns()
    searches = {new_search(network, player) for network in "ab" for player in "cd"}
    for search in searches:
        turns.put(search)
    assert set(turns.clear()) == searches
    assert (len(turns), turns.networks, turns.clear()) == (0, 0, [])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("de"))), st.data())
def test_no_network_has_two_turns_while_another_waits(callers: list[tuple[str, str]], data: st.DataObject) -> None:
    """Of any searches, some of them removed: networks alternate, and each player's are taken in order."""
    turns = Turns()
    searches = [new_search(*caller) for caller in callers]
    for search in searches:
        turns.put(search)
    for search in data.draw(st.lists(st.sampled_from(searches), unique=True)) if searches else ():
        turns.remove(search)
        turns.remove(search)
        searches.remove(search)
    assert turns.networks == len({search.caller.network for search in searches})
    for network in "abz":
        assert turns.waiting_of(network) == sum(search.caller.network == network for search in searches)
    taken = order(turns)
    assert set(taken) == set(searches)
    for network, player in set(callers):
        mine = [search for search in searches if search.caller == Caller(network, player)]
        assert [search for search in taken if search.caller == Caller(network, player)] == mine
    for index, search in enumerate(taken[1:], 1):
        if search.caller.network == taken[index - 1].caller.network:
            assert {later.caller.network for later in taken[index:]} == {search.caller.network}
