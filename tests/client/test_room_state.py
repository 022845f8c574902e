"""What a client knows of a room: which view is the newest, which lines are new, and who waits."""

from __future__ import annotations

import asyncio

import pytest

from noughts.client.errors import RoomGone
from noughts.client.room_state import MAX_LINES, RoomState
from noughts.protocol.messages import ChatLine, ChatMessage, Crowd, Pong, Reaction, Speaker
from noughts.rules.by_mark import ByMark
from tests.support.room_texts import VIEW, room_text

ANN = Speaker("p_ann", "Ann", "X")


def state_of_room() -> RoomState:
    state = RoomState(VIEW)
    state.connected()
    return state


def line(n: int) -> ChatLine:
    return ChatLine(n, 0, ANN, f"line {n}", 0)


def test_the_newest_view_stays() -> None:
    """A view of the same version may say other things about you."""
    state = state_of_room()
    assert (state.version, state.view.version, state.you, state.event) == (0, 1, None, None)
    for version in (3, 2):
        state.receive(room_text(version))
    assert (state.version, state.view.version) == (3, 3)
    state.receive(room_text(3, '{"type":"stood","mark":"X"}', "sit:X"))
    assert state.you is not None
    assert state.you.can == ("sit:X",)
    assert type(state.event).__name__ == "Stood"


def test_a_new_connection_begins_anew() -> None:
    """A store that failed over may have lost a change: then the newest version is lower."""
    state = state_of_room()
    state.receive(room_text(9))
    state.connected()
    state.receive(room_text(7))
    assert state.view.version == 7
    state.receive(room_text(6))
    assert state.view.version == 7


def test_chat_lines_come_once() -> None:
    state = state_of_room()
    state.receive(ChatMessage((line(1), line(2))))
    state.receive(ChatMessage((line(1), line(2), line(3))))
    state.receive(ChatMessage((line(3),)))
    assert [each.n for each in state.lines] == [1, 2, 3]
    state.receive(ChatMessage(tuple(line(n) for n in range(4, MAX_LINES + 10))))
    assert (len(state.lines), state.lines[-1].n) == (MAX_LINES, MAX_LINES + 9)


def test_the_crowd_and_reactions_are_kept() -> None:
    state = state_of_room()
    crowd, reaction = Crowd(ByMark(None, None), 3, ()), Reaction(ANN, "👍")
    state.receive(crowd)
    state.receive(reaction)
    news = state.news
    state.receive(Pong("a", 1))
    assert (state.crowd, state.reaction, state.news) == (crowd, reaction, news)


async def test_news_wake_everybody_who_waits() -> None:
    state = state_of_room()
    waiting = [asyncio.ensure_future(state.next_news()) for _ in range(3)]
    await asyncio.sleep(0)
    state.receive(room_text(1))
    state.receive(room_text(2))
    await asyncio.gather(*waiting)


async def test_the_end_is_raised_in_everybody_who_waits() -> None:
    state = state_of_room()
    waiting = asyncio.ensure_future(state.next_news())
    await asyncio.sleep(0)
    state.ended(RoomGone("The room was closed."))
    for _ in range(2):
        with pytest.raises(RoomGone):
            await waiting
        with pytest.raises(RoomGone):
            await state.next_news()
