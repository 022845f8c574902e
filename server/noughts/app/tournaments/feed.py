"""Sends the leaders' boards of tournaments when they are due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import structlog

from noughts.app.delivery.sender import text_frame
from noughts.app.rooms.parts import Rooms
from noughts.app.runtime.node_state import NodeState
from noughts.app.tournaments.on_node import ShownBoard, TournamentOnNode, TournamentRegistry, TournamentSurroundings
from noughts.app.tournaments.records import MatchRecords
from noughts.errors import Rejection
from noughts.protocol.codec import encode
from noughts.protocol.tournament_messages import Boards
from noughts.protocol.tournament_views import board_view, room_of
from noughts.tournament.standings import standings
from noughts.tournament.tournament import Match, Tournament

BOARDS_INTERVAL_MS: Final = 1_000
ENDED_MS: Final = 2_500
"""How long the last position of a game stays among the boards, although the next game has begun or the match is over."""

log = structlog.get_logger()


class TournamentFeed:
    """The boards of the tournaments of this node."""

    def __init__(
        self,
        node: NodeState,
        tournaments: TournamentRegistry,
        rooms: Rooms,
        records: MatchRecords,
        around: TournamentSurroundings,
    ) -> None:
        self._tournaments = tournaments
        self._rooms = rooms.registry
        self._room_values = rooms.values
        self._records = records
        self._boards = around.boards
        self._node = node

    async def send_boards(self) -> None:
        """Send the leaders' boards of each tournament once a second to the clients that watch, until cancelled."""
        while True:
            for id in await self._boards.reached():
                actor = self._tournaments.held(id)
                if actor is not None and actor.most_boards:
                    try:
                        await self._send_boards(actor)
                    except Rejection:
                        pass  # the store cannot be read now
                    except Exception:
                        log.exception("the boards of a tournament were not sent", tournament=id)
                    if not actor.closed:
                        self._boards.set_sooner(id, self._node.clock.now_ms() + BOARDS_INTERVAL_MS)

    async def _send_boards(self, actor: TournamentOnNode) -> None:
        value = actor.value
        ended = await self._ended(value, actor.shown)
        actor.shown = await self._shown(value, ended, actor.most_boards)
        views = [board.view for board in actor.shown.values()]
        frames: dict[int, bytes] = {}
        for connection, guest in tuple(actor.connections.items()):
            if guest.boards:
                frame = frames.get(guest.boards)
                if frame is None:
                    frame = frames[guest.boards] = text_frame(encode(Boards(tuple(views[: guest.boards]))))
                if guest.boards_frame != frame:  # a board on which nothing moves is not sent again
                    guest.boards_frame = frame
                    connection.push(frame, "crowd")

    async def _ended(self, value: Tournament, shown: Mapping[int, ShownBoard]) -> dict[int, ShownBoard]:
        """Return the boards on which a game has ended since they were sent, or not long ago, with the last position."""
        games = {match.number: match.game for match in value.matches}
        now_ms, ended = self._node.clock.now_ms(), {}
        for number, board in shown.items():
            if board.until_ms is not None and now_ms < board.until_ms:
                ended[number] = board
                continue
            number_of_game = board.view.number + (board.until_ms is not None)
            if games.get(number) != number_of_game:
                game = await self._records.ended_game(value.id, number, number_of_game)
                if game is not None:
                    ended[number] = ShownBoard(board.match, board_view(value, board.match, game), now_ms + ENDED_MS)
        return ended

    async def _shown(self, value: Tournament, ended: Mapping[int, ShownBoard], most: int) -> dict[int, ShownBoard]:
        """Return the leaders' boards in their order."""
        shown = {}
        for match in leading_matches(value, [board.match for board in ended.values()], most):
            board = ended.get(match.number) or await self._board(value, match)
            if board is not None:
                shown[match.number] = board
        return shown

    async def _board(self, value: Tournament, match: Match) -> ShownBoard | None:
        room_id = room_of(value, match.number)
        held = self._rooms.held(room_id)
        room = held.room if held is not None else await self._room_values.load(room_id)
        return None if room is None or room.game is None else ShownBoard(match, board_view(value, match, room.game))


def leading_matches(value: Tournament, ended: Sequence[Match], most: int) -> list[Match]:
    """Return the matches that have just ended or are on, first those with an entrant high in the standings.

    Each entrant has one match among them, so that the number of boards does not change when the next match begins.
    """
    match_of = {side: match for match in ended for side in match.sides}
    for match in value.matches:
        if match.stage != "room" and match_of.keys().isdisjoint(match.sides):
            match_of |= dict.fromkeys(match.sides, match)
    rows = standings(value) if match_of else []
    leading = [match_of[row.entrant.number] for row in rows if row.entrant.number in match_of]
    return list({match.number: match for match in leading}.values())[:most]
