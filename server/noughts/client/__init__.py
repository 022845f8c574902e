"""A client for Python: everything that the page can do, in a short program.

``connect`` makes a player, the player makes and joins rooms, and a room hands out whole views::

    async with connect("http://127.0.0.1:8000", name="Ann") as me:
        room = await me.create("classic", opponent="engine", level="novice", mark="X")
        async with room:
            async for view in room:
                if "move" in room.you.can:
                    await room.move(view.game.legal[0])
                if view.phase == "finished":
                    break
"""

from noughts.client.client import Client, connect
from noughts.client.errors import ClientError, ConnectError, Rejected, RoomGone
from noughts.client.room import Room
from noughts.client.tournament import Tournament
from noughts.room.clock import DaysClock, FischerClock, MoveClock

__all__ = [
    "Client",
    "ClientError",
    "ConnectError",
    "DaysClock",
    "FischerClock",
    "MoveClock",
    "Rejected",
    "Room",
    "RoomGone",
    "Tournament",
    "connect",
]
