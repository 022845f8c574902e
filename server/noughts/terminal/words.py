"""What a game says to the people at a terminal: whose turn it is, what a variant asks for, and how the game ended."""

from __future__ import annotations

from typing import Final

from noughts.rules.endings import ending
from noughts.rules.game import Game
from noughts.rules.outcome import Mark, Outcome, other

CLOCK_FORMS: Final = "30s for each move, 5+3 for 5 minutes and 3 more seconds with each move, 3d for 3 days a move"
"""The texts of clocks, for the help and for mistakes."""

HELP: Final = """Type the name of a cell to play there, such as {cell}. You can also type:
  board   show the board again
  moves   list the cells that you may fill
  hint    ask the engine for a move
  undo    take back your last move
  resign  give the game up
  quit    leave the game (Ctrl-C does the same)"""


def help_for(text: str, game: Game | None) -> str:
    """Return a help with the name of a cell of the game's own board."""
    return text.format(cell="b2" if game is None else game.variant.names[game.variant.cells // 2])


_BOARDS: Final = (
    "top left", "top middle", "top right",
    "middle left", "middle", "middle right",
    "bottom left", "bottom middle", "bottom right",
)  # fmt: skip


def hint_of(game: Game) -> str:
    """Return a sentence about what the next move must or will do, or nothing if the variant has no such rule."""
    position, names = game.position, game.variant.names
    if game.outcome is not None:
        return ""
    if position.fading is not None:
        return f"The mark at {names[position.fading]} leaves with the next move."
    if position.forced is not None:
        cells = game.legal_names()
        return f"Play in the {_BOARDS[position.forced]} board: {', '.join(cells)}."
    if game.variant.nested and game.moves:
        return "Play in any open board."
    return ""


def game_ending(game: Game, outcome: Outcome) -> str:
    """Return how a game ended, in one or two sentences."""
    winner = outcome.winner
    if winner is None or outcome.reason != "line":
        return ending(outcome)
    cells = " ".join(game.variant.names[cell] for cell in outcome.cells)
    if game.variant.misere:
        return f"{other(winner)} completed a line ({cells}) and loses. {winner} wins."
    return f"{winner} wins with {cells}."


def cell_answer(game: Game, answer: str) -> str:
    """Return the name of the cell that an answer means: capital letters count as small ones.

    Where marks fall, the letter of a column is enough.
    """
    name = answer.lower()
    if game.variant.gravity and len(name) == 1:
        return next((cell for cell in game.legal_names() if cell[0] == name), f"{name}1")
    return name


def moved(mark: Mark, cell: str, player: str) -> str:
    """Return that a player filled a cell."""
    return f"{player} ({mark}) plays {cell}."
