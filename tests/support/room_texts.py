"""Messages about one room, as a client receives them."""

from __future__ import annotations

import msgspec

from noughts.client.decoding import RoomUpdate
from noughts.protocol.messages import View, You
from noughts.rules.by_mark import ByMark

VIEW = View(
    "id",
    1,
    "classic",
    "public",
    None,
    "p_ann",
    "waiting",
    ByMark(None, None),
    None,
    None,
    (),
    (),
    0,
    "always",
    0,
    0,
    None,
    False,
)


def room_text(version: int, event: str = "null", *can: str) -> RoomUpdate:
    view = msgspec.structs.replace(VIEW, version=version)
    return RoomUpdate(version, msgspec.Raw(event.encode()), You(None, False, can), view)
