"""The record of a game, move by move, from which a client can draw any position without knowing the rules."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.protocol.messages import Decided, GameRecord, MoveRecord
from noughts.protocol.views import outcome_view, seat_view
from noughts.room.room import RoomGame
from noughts.room.seat import Names
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game, start
from noughts.rules.position import Position


def game_record(game: RoomGame, names: Names) -> GameRecord:
    """Return the record of a game. ``names`` has the present name of each player that still exists."""
    players = ByMark(seat_view(game.players.X, names), seat_view(game.players.O, names))
    history = game.history
    given = (None,) * game.from_ply
    moves = _moves(history, given + game.by, given + game.at_ms)
    outcome = outcome_view(game.outcome, history.variant.names)
    return GameRecord(history.variant.key, game.number, players, moves, outcome, game.swapped)


def record_of_moves(history: Game) -> GameRecord:
    """Return the record of moves that belong to no room. Its outcome is null while the game would go on."""
    unknown = (None,) * history.ply
    outcome = outcome_view(history.outcome, history.variant.names)
    return GameRecord(
        history.variant.key, None, None, _moves(history, unknown, unknown), outcome, False, history.legal_names()
    )


def _moves(history: Game, by: Sequence[str | None], at_ms: Sequence[int | None]) -> tuple[MoveRecord, ...]:
    cells = history.variant.names
    moves = []
    before = start(history.variant)
    for ply, cell in enumerate(history.moves):
        after = before.play(cell)
        removed = (before.x | before.o) & ~(after.x | after.o)
        moves.append(
            MoveRecord(
                cells[cell],
                before.turn,
                by[ply],
                at_ms[ply],
                cells[removed.bit_length() - 1] if removed else None,
                _decided(before, after),
            )
        )
        before = after
    return tuple(moves)


def _decided(before: Position, after: Position) -> Decided | None:
    """Return the small board of ultimate that a move decided; None if it decided none."""
    if before.boards is None or after.boards is None:
        return None
    for board, (was, now) in enumerate(zip(before.boards, after.boards, strict=True)):
        if was != now and now is not None:
            return Decided(board, now)
    return None
