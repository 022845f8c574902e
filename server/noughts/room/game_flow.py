"""The start, the moves and the end of a room's games, with their clocks and the score."""

from __future__ import annotations

from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from noughts.room.clock import DaysClock, FischerClock, full_ms, is_off_clock, left_after_move
from noughts.room.events import Ended, Moved, Started, TookBack
from noughts.room.lag import lag_given, lag_of, quota_after_move
from noughts.room.room import Notice, Room, RoomGame, Score
from noughts.room.seat import EngineSeat, mover
from noughts.room.series import with_game_counted, with_series_begun
from noughts.room.transition import Moment, Transition
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game, new_game, replay
from noughts.rules.outcome import MARKS, Mark, Outcome
from noughts.rules.variant import variant_named

MAX_SCORES: Final = 40
"""The most players in a score. When there are more, the one whose last game is longest ago is dropped."""


def start_game(room: Room, now_ms: int, *, swap: bool = False, opening: Game | None = None) -> Transition:
    """Begin the next game; ``swap`` swaps the seats first. Raise ValueError unless both seats are held.

    ``opening`` has the moves that the game begins after, which have not ended it. None means the empty board.
    """
    # Marks are exchanged from what they were at the start of the game before, so the seats stay if its players swapped.
    swapped = swap and not (room.game is not None and room.game.swapped)
    seats = room.seats.swapped if swapped else room.seats
    x, o = seats.X, seats.O
    if x is None or o is None:
        raise ValueError("a game needs two held seats")
    number = room.games + 1
    each_ms = full_ms(room.clock) if room.clock is not None else 0
    game = RoomGame(
        number=number,
        history=opening or new_game(variant_named(room.variant)),
        players=ByMark(x, o),
        started_ms=now_ms,
        turn_since_ms=now_ms,
        left_ms=ByMark(each_ms, each_ms),
        stand_in=any(isinstance(seat, EngineSeat) and seat.holding_for is not None for seat in (x, o)),
        from_ply=opening.ply if opening is not None else 0,
    )
    room = with_series_begun(room, x, o)
    room = replace(room, seats=seats, game=game, games=number, offers=(), declined=(), claimable=(), notice=None)
    return Transition(room, (Started(number),))


def make_move(room: Room, game: RoomGame, cell: int, at: Moment) -> Transition:
    """Fill ``cell`` for the side to move. Raise ``illegal_move`` when the cell is not legal."""
    before = game.history
    mark = before.turn
    seat = room.seats.X if mark == "X" else room.seats.O
    if seat is None:
        raise ValueError("the side to move has an empty seat")
    history = before.play(cell)
    left_ms, lag_quota_ms = game.left_ms, game.lag_quota_ms
    if room.clock is not None and not is_off_clock(room.clock, before.ply):
        elapsed_ms = at.now_ms - game.turn_since_ms
        given_ms = lag_given(room.clock, elapsed_ms, left_ms.of(mark), lag_of(room, game, mark, at.presence))
        left_ms = left_ms.replaced(mark, left_after_move(room.clock, left_ms.of(mark), elapsed_ms - given_ms))
        lag_quota_ms = quota_after_move(game, mark, given_ms)
    by = mover(seat)
    game = replace(
        game,
        history=history,
        turn_since_ms=at.now_ms,
        left_ms=left_ms,
        by=game.by + (by,),
        at_ms=game.at_ms + (at.now_ms,),
        lag_quota_ms=lag_quota_ms,
    )
    name = history.variant.names[cell]
    # A draw or a takeback lapses with the move; an offer of a rematch cannot be open while a game is on.
    room = replace(room, game=game, offers=()) if room.offers else replace(room, game=game)
    if history.outcome is not None:
        return end_game(room, history.outcome, at.now_ms, mark, name)
    return Transition(room, (Moved(mark, name, by),))


def end_game(
    room: Room, outcome: Outcome, now_ms: int, mark: Mark | None = None, cell: str | None = None
) -> Transition:
    """End the game that is on and keep the score, unless the game was aborted, had a stand-in or began after moves.

    ``mark`` and ``cell`` are those of the move that ended it, None if no move did.
    """
    game = room.game
    if game is None or game.outcome is not None:
        raise ValueError("no game is on")
    left_ms = game.left_ms
    if room.clock is not None and mark is None and not is_off_clock(room.clock, game.history.ply):
        # The game did not end by a move, so the side to move has yet to be charged for its last turn.
        turn = game.history.position.turn
        spent = now_ms - game.turn_since_ms
        left_ms = left_ms.replaced(turn, 0 if outcome.reason == "timeout" else max(0, left_ms.of(turn) - spent))
    game = replace(game, outcome=outcome, ended_ms=now_ms, left_ms=left_ms, turn_since_ms=now_ms)
    score, draws = room.score, room.draws
    if outcome.reason != "aborted" and not game.stand_in and not game.from_ply:
        draws += outcome.winner is None
        score = _score_after(room.score, game, outcome)
        room = with_game_counted(replace(room, score=score, draws=draws))
    room = replace(room, game=game, offers=(), declined=(), claimable=())
    ends_series: bool | UnsetType = True if room.series is not None and room.series.over else UNSET
    return Transition(room, (Ended(game.number, outcome.winner, outcome.reason, mark, cell, ends_series),), game)


def _score_after(score: tuple[Score, ...], game: RoomGame, outcome: Outcome) -> tuple[Score, ...]:
    wins = {entry.player: entry.wins for entry in score}
    for mark in MARKS:
        player = mover(game.sides.of(mark))
        wins[player] = wins.pop(player, 0) + (outcome.winner == mark)
    return tuple([Score(player, count) for player, count in wins.items()])[-MAX_SCORES:]


def take_back(room: Room, by: Mark, at: Moment) -> Transition:
    """Take back the last move of ``by``, and the answer to it if there is one."""
    game = room.game
    if game is None:
        raise ValueError("no game is on")
    ply = takeback_ply(game, by)
    running = game.history.position.turn
    left_ms = game.left_ms
    if isinstance(room.clock, FischerClock) and not is_off_clock(room.clock, game.history.ply):
        elapsed_ms = at.now_ms - game.turn_since_ms
        spent = elapsed_ms - lag_given(
            room.clock, elapsed_ms, left_ms.of(running), lag_of(room, game, running, at.presence)
        )
        left_ms = left_ms.replaced(running, max(0, left_ms.of(running) - max(0, spent)))
    game = replace(
        game,
        history=replay(game.history.variant, game.history.moves[:ply]),
        by=game.by[: ply - game.from_ply],
        at_ms=game.at_ms[: ply - game.from_ply],
        turn_since_ms=at.now_ms,
        left_ms=left_ms,
    )
    return Transition(replace(room, game=game, offers=(), notice=notice_of_another_turn(room)), (TookBack(by, ply),))


def notice_of_another_turn(room: Room) -> Notice | None:
    """Return the notice of a room in which a ply becomes another turn: after a takeback or a swap."""
    notice, game = room.notice, room.game
    if game is None or not isinstance(room.clock, DaysClock):
        return notice
    return Notice(game.number, -1, 1 if notice is None else notice.takebacks + 1)


def takeback_ply(game: RoomGame, by: Mark) -> int:
    """Return the ply that a takeback of ``by`` leads to; less than the game's first ply when that side has not moved yet."""
    ply = game.history.ply
    return ply - 2 if game.history.position.turn == by else ply - 1
