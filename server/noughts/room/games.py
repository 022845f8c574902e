"""How a game of a room begins, goes on and ends: seats swap, clocks are charged, the score is kept."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.room.clock import OFF_CLOCK_PLIES, FischerClock, full_ms, left_after_move, spent_ms
from noughts.room.events import Ended, Event, Moved, Started, TookBack
from noughts.room.room import CurrentGame, Room, Score
from noughts.room.seat import EngineSeat, mover
from noughts.rules.game import new_game, replay
from noughts.rules.notation import cell_names
from noughts.rules.outcome import Mark, Outcome
from noughts.rules.variant import variant_named

MAX_SCORES = 40
"""A room remembers the wins of so many players; beyond, the longest without a game are forgotten."""


def start_game(room: Room, now_ms: int, events: list[Event], *, swap: bool = False) -> Room:
    """Begin the next game, with marks swapped for a rematch. Both seats must be held."""
    x, o = (room.o, room.x) if swap else (room.x, room.o)
    if x is None or o is None:
        raise ValueError("a game needs two held seats")
    presence = room.presence
    if swap:
        presence = replace(presence, x=presence.o, o=presence.x)
    number = room.games + 1
    each_ms = full_ms(room.clock) if room.clock is not None else 0
    game = CurrentGame(
        number=number,
        play=new_game(variant_named(room.variant)),
        x=x,
        o=o,
        started_ms=now_ms,
        turn_since_ms=now_ms,
        x_ms=each_ms,
        o_ms=each_ms,
        stand_in=any(isinstance(seat, EngineSeat) and seat.holding_for is not None for seat in (x, o)),
    )
    events.append(Started(number))
    return replace(room, x=x, o=o, game=game, games=number, offers=(), refused=(), claimable=(), presence=presence)


def make_move(room: Room, game: CurrentGame, cell: int, now_ms: int, events: list[Event]) -> Room:
    """The side to move fills ``cell``. Raises ``illegal_move`` and changes nothing when it is not legal."""
    mark = game.play.position.turn
    seat = room.seat(mark)
    if seat is None:
        raise ValueError("nobody sits at the side to move")
    play = game.play.play(cell)
    x_ms, o_ms = game.x_ms, game.o_ms
    if room.clock is not None and game.play.ply >= OFF_CLOCK_PLIES:
        left = left_after_move(
            room.clock, game.left_ms(mark), now_ms - game.turn_since_ms, room.presence.of(mark).give_back_ms
        )
        if mark == "X":
            x_ms = left
        else:
            o_ms = left
    by = mover(seat)
    after = replace(
        game,
        play=play,
        turn_since_ms=now_ms,
        x_ms=x_ms,
        o_ms=o_ms,
        by=(*game.by, by),
        at_ms=(*game.at_ms, now_ms),
    )
    offers = room.offers
    if offers:
        offers = tuple(offer for offer in offers if offer.what == "rematch")
    name = cell_names(play.variant.shape)[cell]
    room = replace(room, game=after, offers=offers)
    if play.outcome is not None:
        return end_game(room, play.outcome, now_ms, events, mark, name)
    events.append(Moved(mark, name, by))
    return room


def end_game(
    room: Room,
    outcome: Outcome,
    now_ms: int,
    events: list[Event],
    mark: Mark | None = None,
    cell: str | None = None,
) -> Room:
    """End the game that is on and keep the score, unless the game counts nowhere."""
    game = room.game
    if game is None or game.outcome is not None:
        raise ValueError("no game is on")
    x_ms, o_ms = game.x_ms, game.o_ms
    if room.clock is not None and mark is None and game.play.ply >= OFF_CLOCK_PLIES:
        # What the side to move had used up when it ended otherwise than by a move.
        left = max(0, game.left_ms(game.play.position.turn) - (now_ms - game.turn_since_ms))
        if outcome.reason == "timeout":
            left = 0
        if game.play.position.turn == "X":
            x_ms = left
        else:
            o_ms = left
    game = replace(game, outcome=outcome, ended_ms=now_ms, x_ms=x_ms, o_ms=o_ms, turn_since_ms=now_ms)
    events.append(Ended(game.number, outcome.winner, outcome.reason, mark, cell))
    score, draws = room.score, room.draws
    if outcome.reason != "aborted" and not game.stand_in:
        draws += outcome.winner is None
        wins = {entry.player: entry.wins for entry in score}
        for side, seat in (("X", game.x), ("O", game.o)):
            name = mover(seat)
            wins[name] = wins.pop(name, 0) + (outcome.winner == side)
        score = tuple(Score(player, won) for player, won in wins.items())[-MAX_SCORES:]
    return replace(room, game=game, score=score, draws=draws, offers=(), refused=(), claimable=())


def take_back(room: Room, by: Mark, now_ms: int, events: list[Event]) -> Room:
    """Return to before the last move of ``by``: one move when that was the last, else two."""
    game = room.game
    if game is None:
        raise ValueError("no game is on")
    to = takeback_ply(game, by)
    cells = game.play.moves[:to]
    running = game.play.position.turn
    x_ms, o_ms = game.x_ms, game.o_ms
    if isinstance(room.clock, FischerClock) and game.play.ply >= OFF_CLOCK_PLIES:
        spent = spent_ms(now_ms - game.turn_since_ms, room.presence.of(running).give_back_ms)
        left = max(0, game.left_ms(running) - spent)
        x_ms, o_ms = (left, o_ms) if running == "X" else (x_ms, left)
    after = replace(
        game,
        play=replay(game.play.variant, cells),
        by=game.by[:to],
        at_ms=game.at_ms[:to],
        turn_since_ms=now_ms,
        x_ms=x_ms,
        o_ms=o_ms,
    )
    events.append(TookBack(by, to))
    return replace(room, game=after, offers=())


def takeback_ply(game: CurrentGame, by: Mark) -> int:
    """The ply that a takeback of ``by`` returns to; below zero when that side has not moved yet."""
    ply = game.play.ply
    return ply - 2 if game.play.position.turn == by else ply - 1
