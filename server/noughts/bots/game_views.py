"""The view of a game that is played here, without a server. A bot sees what it would see in a room."""

from __future__ import annotations

from typing import Final

from noughts.protocol.messages import View
from noughts.protocol.views import game_view
from noughts.room.room import RoomGame
from noughts.room.seat import HumanSeat, Seat
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game

_X, _O = HumanSeat("p_x", "X", bot=True), HumanSeat("p_o", "O", bot=True)
_PLAYERS: Final[ByMark[Seat]] = ByMark(_X, _O)
_SEATS: Final[ByMark[Seat | None]] = ByMark(_X, _O)
_NO_TIME: Final = ByMark(0, 0)


def view_of(game: Game, number: int) -> View:
    """Return the view of game ``number`` of a match, as a room shows it to everybody."""
    over = game.outcome is not None
    room_game = RoomGame(number, game, _PLAYERS, 0, 0, _NO_TIME, outcome=game.outcome)
    return View(
        id=f"match-{number}",
        version=game.ply + 1,
        variant=game.variant.key,
        visibility="unlisted",
        join=None,
        owner="p_x",
        phase="finished" if over else "playing",
        seats=_SEATS,
        game=game_view(room_game, not over),
        clock=None,
        offers=(),
        score=(),
        draws=0,
        spectator_chat="off",
        created_ms=0,
        expires_ms=0,
    )
