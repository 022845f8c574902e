"""What a client knows of the lobby."""

from __future__ import annotations

import pytest

from noughts.client.errors import RoomGone
from noughts.client.lobby import LobbyState
from noughts.protocol.messages import Lobby, Pong


async def test_only_the_newest_lobby_is_handed_out() -> None:
    state = LobbyState()
    state.connected()
    for players in (1, 2, 3):
        state.receive(Lobby((), (), players, 0))
        state.receive(Pong("a", 1))
    assert (await state.next_lobby()).players == 3


async def test_the_end_is_raised_after_the_last_lobby() -> None:
    state = LobbyState()
    state.receive(Lobby((), (), 1, 0))
    state.ended(RoomGone("This server has no lobby."))
    assert (await state.next_lobby()).players == 1
    with pytest.raises(RoomGone):
        await state.next_lobby()
