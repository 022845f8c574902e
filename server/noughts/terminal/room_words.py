"""A room in words: what has changed between two views, who sits where, and what a person may type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from noughts.protocol.messages import GameView, View, You
from noughts.room.seat import EngineSeat, Seat
from noughts.rules.game import Game
from noughts.rules.outcome import MARKS, Mark, Outcome
from noughts.terminal.words import ending, hint_of, moved

ROOM_HELP: Final = """Type the name of a cell to play there, such as b2. You can also type:
  say TEXT  send a chat line
  who       show who is here
  board     show the board again
  moves     list the cells that you may fill
  draw, undo, rematch  offer it
  yes, no   answer an offer
  claim     end the game against an absent player
  sit, stand  take a seat, give it up
  resign    give the game up
  quit      leave the terminal (Ctrl-C does the same)"""

_OFFERS: Final = {"draw": "a draw", "takeback": "to take a move back", "rematch": "a rematch"}


def game_of(view: GameView) -> Game:
    """Return a game of a view, with its outcome. Raise Rejection for a variant that this program does not have."""
    game = Game.of(view.variant, view.moves)
    if view.outcome is None:
        return game
    cells = tuple(game.variant.index_of[cell] for cell in view.outcome.cells)
    return Game(game.moves, game.position, Outcome(view.outcome.winner, view.outcome.reason, cells), game.seen)


def seated(seat: Seat | None) -> str:
    """Return the name of a seat's holder, or the engine and its level, or that the seat is empty."""
    if seat is None:
        return "nobody"
    if isinstance(seat, EngineSeat):
        return f"the engine ({seat.level})" if seat.holding_for is None else f"the engine for {seat.holding_for.name}"
    return f"{seat.name} (a bot)" if seat.bot else seat.name


def seats(view: View) -> str:
    """Return who plays X and who plays O."""
    return f"X: {seated(view.seats.X)}. O: {seated(view.seats.O)}."


def news(before: View | None, after: View) -> Iterator[str]:
    """Yield what has changed, one sentence for each change. Views may have been missed in between."""
    if before is None or before.seats != after.seats:
        yield seats(after)
    old, new = before.game if before else None, after.game
    if new is not None:
        yield from _moves(old, new, after)
    for offer in after.offers:
        if before is None or offer not in before.offers:
            yield f"{seated(after.seats.of(offer.by))} ({offer.by}) offers {_OFFERS[offer.what]}."


def _moves(old: GameView | None, new: GameView, view: View) -> Iterator[str]:
    if old is None or old.number != new.number:
        yield f"Game {new.number} of {game_of(new).variant.name}."
        start = 0 if old is not None and old.number + 1 == new.number else len(new.moves)
    else:
        start = len(old.moves)
        if new.moves[:start] != old.moves:
            yield "A move was taken back."
            start = len(new.moves)
    for ply in range(start, len(new.moves)):
        mark = MARKS[ply & 1]
        yield moved(mark, new.moves[ply], _mover(view, mark))
    if new.outcome is not None and (old is None or old.number != new.number or old.outcome is None):
        game = game_of(new)
        assert game.outcome is not None
        yield ending(game, game.outcome)


def _mover(view: View, mark: Mark) -> str:
    name = seated(view.seats.of(mark))
    return name[0].upper() + name[1:] if name.startswith("the engine") else name


def question(view: View, you: You) -> str:
    """Return what to ask the person now."""
    if "move" in you.can and view.game is not None:
        hint = hint_of(game_of(view.game))
        return f"{hint}\nYour move ({you.mark}):" if hint else f"Your move ({you.mark}):"
    if view.phase == "waiting":
        return "Waiting for an opponent:" if you.mark else "Waiting for players:"
    if view.phase == "finished":
        return "rematch or quit:" if "offer:rematch" in you.can else "The game is over:"
    return f"Waiting for {view.game.turn}:" if you.mark and view.game else "Watching:"
