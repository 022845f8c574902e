"""What the webhook of the operator is told about public rooms: each game that ends."""

from __future__ import annotations

from noughts.app.push.webhook import Webhook, plain_name
from noughts.room.room import Room, RoomGame
from noughts.room.seat import EngineSeat, Names, Seat, shown_name
from noughts.rules.by_mark import ByMark
from noughts.rules.endings import HOW
from noughts.rules.outcome import other


class GameAnnouncements:
    """Sends the end of each public game to the webhook. ``base`` is the server's own URL."""

    def __init__(self, webhook: Webhook, base: str) -> None:
        self._webhook = webhook
        self._base = base

    def game_ended(self, room: Room, game: RoomGame, names: Names) -> None:
        """Send the outcome of a game if its room is public, unless the game was aborted or has no move."""
        outcome, history = game.outcome, game.history
        if room.visibility != "public" or outcome is None or outcome.reason == "aborted" or not game.history.ply:
            return
        variant, moves = history.variant, history.ply
        length = f"{moves} {'move' if moves == 1 else 'moves'} of {variant.name}"
        players = ByMark(_name(game.sides.X, names), _name(game.sides.O, names))
        if outcome.winner is None:
            text = f"{players.X} and {players.O} drew{HOW[outcome.reason]}"
        else:
            text = f"{players.of(outcome.winner)} beat {players.of(other(outcome.winner))}{HOW[outcome.reason]}"
        cells = ",".join(variant.names[cell] for cell in history.moves)
        over = f"{outcome.reason},{outcome.winner}" if outcome.winner else outcome.reason
        query = "" if history.outcome is not None else f"&over={over}"
        details = {
            "room": room.id,
            "game": game.number,
            "variant": variant.key,
            "moves": moves,
            "winner": outcome.winner,
            "reason": outcome.reason,
        }
        url = f"{self._base}/replay#{variant.key}={cells}{query}"
        self._webhook.send("game_ended", f"{text} after {length}.", url, details)


def _name(seat: Seat, names: Names) -> str:
    return f"Otto ({seat.level})" if isinstance(seat, EngineSeat) else plain_name(shown_name(seat, names))
