"""Sends a tournament's messages and the leaders' boards when they are due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import structlog

from noughts.app.delivery.frames import text_frame
from noughts.app.machines.repository import Repository
from noughts.app.node.node_state import NodeState
from noughts.app.rooms.actor import RoomRegistry
from noughts.app.tournaments.actor import TournamentActor, TournamentRegistry
from noughts.app.tournaments.publisher import TournamentPublisher
from noughts.errors import Rejection
from noughts.protocol.codec import encode
from noughts.protocol.tournament_messages import Boards, BoardView
from noughts.protocol.tournament_views import board_view, room_of
from noughts.room.room import Room
from noughts.tournament.standings import standings
from noughts.tournament.tournament import Match, Tournament, playing

BOARDS_INTERVAL_MS: Final = 1_000

log = structlog.get_logger()


class TournamentFeed:
    """Two tasks for the tournaments of this node."""

    def __init__(
        self,
        tournaments: TournamentRegistry,
        rooms: RoomRegistry,
        room_values: Repository[Room],
        publisher: TournamentPublisher,
        node: NodeState,
    ) -> None:
        self._tournaments = tournaments
        self._rooms = rooms
        self._room_values = room_values
        self._publisher = publisher
        self._node = node

    async def send_messages(self) -> None:
        """Send each tournament's message when it is due, until cancelled."""
        while True:
            for id in await self._publisher.messages.reached():
                actor = self._tournaments.held(id)
                if actor is not None:
                    try:
                        actor.visitors.send_due(actor.value)
                    except Exception:
                        log.exception("a tournament was not sent", tournament=id)

    async def send_boards(self) -> None:
        """Send the leaders' boards of each tournament once a second to the clients that watch, until cancelled."""
        while True:
            for id in await self._publisher.boards.reached():
                actor = self._tournaments.held(id)
                if actor is not None and actor.visitors.most_boards:
                    try:
                        await self._send_boards(actor)
                    except Rejection:
                        pass  # the store cannot be read now
                    except Exception:
                        log.exception("the boards of a tournament were not sent", tournament=id)
                    if not actor.closed:
                        self._publisher.send_boards(id, self._node.clock.now_ms() + BOARDS_INTERVAL_MS)

    async def _send_boards(self, actor: TournamentActor) -> None:
        value, visitors = actor.value, actor.visitors
        views = await self._views(value, leading_matches(value, visitors.most_boards))
        frames: dict[int, bytes] = {}
        for connection, guest in tuple(visitors.connections.items()):
            if guest.boards:
                frame = frames.get(guest.boards)
                if frame is None:
                    frame = frames[guest.boards] = text_frame(encode(Boards(tuple(views[: guest.boards]))))
                if guest.boards_frame != frame:  # a board on which nothing moves is not sent again
                    guest.boards_frame = frame
                    connection.push(frame, "crowd")

    async def _views(self, value: Tournament, matches: Sequence[Match]) -> list[BoardView]:
        views = []
        for match in matches:
            room_id = room_of(value, match.number)
            held = self._rooms.held(room_id)
            room = held.room if held is not None else await self._room_values.load(room_id)
            view = None if room is None else board_view(value, match, room)
            if view is not None:
                views.append(view)
        return views


def leading_matches(value: Tournament, most: int) -> list[Match]:
    """Return the matches that are on, first those with an entrant high in the standings."""
    on, matches = playing(value), []
    for row in standings(value):
        match = on.get(row.entrant.number)
        if match is not None and match not in matches and match.stage != "room":
            matches.append(match)
            if len(matches) == most:
                break
    return matches
