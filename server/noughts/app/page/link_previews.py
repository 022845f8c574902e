"""What a chat program shows of a link: title, description and picture. It never names the players of an unlisted room.

The invite is in the fragment of a link, which no program sends, so a preview cannot contain it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, urlencode

from noughts.app.page.html import Head
from noughts.app.page.replays import Replay
from noughts.puzzles.puzzle import Kind, Puzzle
from noughts.room.room import Room
from noughts.room.seat import Names, shown_name
from noughts.rules.endings import ending
from noughts.rules.game import Game
from noughts.rules.outcome import Outcome
from noughts.rules.variant import VARIANTS
from noughts.tournament.standings import winners
from noughts.tournament.tournament import Mode, Tournament

SITE: Final = "Play tic-tac-toe and its variants: share a link to play a friend, or play the built-in engine."
PUZZLE_TASKS: Final[Mapping[Kind, str]] = MappingProxyType(
    {"win": "Only one move wins.", "hold": "Only one move draws.", "defend": "Only one move holds out longest."}
)
TOURNAMENT_MODES: Final[Mapping[Mode, str]] = MappingProxyType(
    {"arena": "an arena", "round_robin": "a round robin", "knockout": "a knockout"}
)
MOST_NAMED: Final = 3
"""If more entrants share the first place of a tournament, the text says how many they are."""
PICTURE: Final = "preview.png"
"""The name of every preview's picture, below the URL of the page that it belongs to."""


def site_head(base: str, path: str = "") -> Head:
    """Return the head of a page about no game. ``base`` is the server's own URL."""
    return Head("", SITE, f"{base}/{path}", f"{base}/{PICTURE}", "A game of tic-tac-toe.")


def missing_head(base: str, title: str) -> Head:
    """Return the head of the page for an unknown address."""
    return site_head(base)._replace(title=title)


def room_head(base: str, room: Room, names: Names) -> Head:
    """Return the head of a room's page."""
    url = f"{base}/r/{room.id}"
    variant = VARIANTS[room.game.history.variant.key if room.game is not None and room.playing else room.variant]
    seats = (room.seats.X, room.seats.O)
    title = variant.name
    if room.visibility == "public" and None not in seats:
        title = f"{shown_name(seats[0], names)} against {shown_name(seats[1], names)}: {variant.name}"
    state = room_sentence(room)
    picture = f"{url}/{PICTURE}?v={room.version}"
    return Head(title, f"{state} {variant.rules}", url, picture, f"{variant.name}. {state}")


def replay_head(base: str, replay: Replay) -> Head:
    """Return the head of a replay. Its URL is the path with the moves, or the query of a game without a move."""
    game, variant = replay.game, replay.game.variant
    key, moves, over = replay.spelling
    state = game_sentence(game, replay.outcome)
    query = replay_query(key, moves, over)
    picture = f"{base}/{PICTURE}?{query}"
    end = "?" + urlencode({"over": over}, safe=",") if over else ""
    url = f"{base}/replay/{key}/{quote(moves, safe=',')}{end}" if moves else f"{base}/replay?{query}"
    return Head(variant.name, state, url, picture, f"{variant.name}. {state}")


def puzzle_head(base: str, puzzle: Puzzle) -> Head:
    """Return the head of a puzzle's page: its picture shows the position, and no text shows the answer."""
    variant, task, url = puzzle.variant, puzzle_task(puzzle), f"{base}/puzzle/{puzzle.id}"
    return Head(f"Puzzle: {variant.name}", task, url, f"{url}/{PICTURE}", f"{variant.name}. {task}")


def puzzle_task(puzzle: Puzzle) -> str:
    """Return a sentence about what a puzzle asks."""
    return f"{puzzle.game.turn} to move. {PUZZLE_TASKS[puzzle.kind]}"


def tournament_head(base: str, tournament: Tournament) -> Head:
    """Return the head of a tournament's page: once it is over, with the winner."""
    variant = VARIANTS[tournament.variant]
    count = len(tournament.entrants)
    mode = TOURNAMENT_MODES[tournament.mode].partition(" ")[2].capitalize()
    about = f"{mode}, {variant.name}, {count} {'entrant' if count == 1 else 'entrants'}."
    names = [entrant.name for entrant in winners(tournament)]
    if tournament.state == "over" and names:
        about = f"{first_place(names)}. {about}"
    elif tournament.state == "open":
        about = f"Open the link to join. {about}"
    return site_head(base, f"t/{tournament.id}")._replace(title=tournament.name, description=about)


def first_place(names: list[str]) -> str:
    """Return a sentence without its full stop about the entrants who have the first place."""
    if len(names) == 1:
        return f"{names[0]} won"
    if not names:
        return "Nobody won"
    subject = f"{len(names)} players" if len(names) > MOST_NAMED else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{subject} share the first place"


def replay_query(variant: str, moves: str, over: str | None) -> str:
    """Return the query of a replay's URL, in one spelling."""
    return urlencode({variant: moves, **({"over": over} if over else {})}, safe=",")


def game_sentence(game: Game, outcome: Outcome | None) -> str:
    """Return a sentence about a game without a room."""
    if outcome is not None:
        return ending(outcome)
    return f"The position after {game.ply} {'move' if game.ply == 1 else 'moves'}."


def room_sentence(room: Room) -> str:
    """Return a sentence about where the game stands, without any verdict."""
    game = room.game
    if room.closed:
        return "This room is closed."
    if not room.playing and not room.full:
        return "A game is waiting for you: open the link to play."
    if game is None:
        return "The game has not begun."
    if game.outcome is not None:
        return ending(game.outcome)
    return f"Move {game.history.ply + 1}: {game.turn} to play. Open the link to watch."
