"""A room in a terminal: shows what happens there in words, and sends what a person types."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from noughts.client import Rejected, Room
from noughts.errors import Rejection
from noughts.printable import printable
from noughts.protocol.messages import ClockView, GameView, View, You
from noughts.room.clock import DAY_MS
from noughts.room.commands import OfferKind
from noughts.rules.game import Game
from noughts.rules.outcome import MARKS, Outcome
from noughts.terminal.my_rooms import seated, time_left
from noughts.terminal.room_console import RoomConsole
from noughts.terminal.words import cell_answer, game_ending, help_for, hint_of, moved

_OFFERS: Final[dict[str, OfferKind]] = {"draw": "draw", "undo": "takeback", "rematch": "rematch"}


class RoomGame:
    """One person in one room, as a player or a spectator."""

    def __init__(self, room: Room, console: RoomConsole) -> None:
        self._room = room
        self._console = console
        self._view: View | None = None
        self._lines_shown = 0
        self._changed = asyncio.Event()
        """Set whenever a newer view was shown."""

    async def run(self, *, sits: bool) -> None:
        """Follow the room until the person leaves. Raise EOFError when they do, and RoomGone when the room is gone.

        ``sits`` says whether to take a seat that is free.
        """
        if sits and self._room.you.mark is None and any(command.startswith("sit") for command in self._room.you.can):
            with suppress(Rejected):  # somebody else was quicker: watch
                await self._room.sit()
        following = asyncio.create_task(self._follow())
        typing = asyncio.create_task(self._type())
        try:
            await asyncio.wait({following, typing}, return_when=asyncio.FIRST_COMPLETED)
            if self._console.waits and not following.done():
                self._refresh()  # the last line of a pipe may have ended the game
        finally:
            for task in (following, typing):
                if not task.done():
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
        for task in (following, typing):
            if not task.cancelled():
                task.result()

    async def _follow(self) -> None:
        while True:
            self._refresh()
            await self._room.news()

    def _refresh(self) -> None:
        """Say what is new, and show the board and the question of the newest view."""
        view, before = self._room.view, self._view
        for sentence in news(before, view) if before is None or before.version != view.version else ():
            self._say(sentence)
        self._view = view
        self._changed.set()
        for line in self._room.lines:
            if line.n > self._lines_shown:
                self._lines_shown = line.n
                self._say(f"{line.from_.name}: {line.text}")
        self._console.follow(self._game(), question(view, self._room.you))

    def _say(self, text: str) -> None:
        """Say one line, whatever the server put into it: a line break would forge a line of another speaker."""
        self._console.say(printable(text))

    async def _type(self) -> None:
        while True:
            answer = await self._console.answer()
            try:
                await self._do(answer)
            except Rejection as rejection:  # a name that no cell of this board has
                self._say(rejection.message)
            except Rejected as rejected:
                without_name = rejected.code == "unauthorized"
                self._say("To take part, enter with --name." if without_name else rejected.message)

    async def _do(self, answer: str) -> None:
        word, _, text = answer.partition(" ")
        match word.lower():
            case "":
                return
            case "help" | "?":
                self._console.say(help_for(ROOM_HELP, self._game()))
            case "quit" | "exit":
                raise EOFError
            case "say":
                await self._room.say(text)
            case "who":
                self._say(self._who())
            case "board":
                self._console.follow(self._game(), question(self._room.view, self._room.you))
            case "moves":
                self._say(" ".join(self._room.game.legal if self._room.game else ()) or "None.")
            case "draw" | "undo" | "rematch":
                await self._room.offer(_OFFERS[word.lower()])
            case "yes" | "no":
                await self._answer(accept=word.lower() == "yes")
            case "claim":
                await self._room.claim("draw" if text == "draw" else "win")
            case "sit":
                await self._room.sit()
            case "stand":
                await self._room.stand()
            case "resign":
                await self._room.resign()
            case "swap":
                await self._room.swap()
            case "time":
                await self._room.give_time()
            case _:
                await self._move(answer)

    async def _move(self, answer: str) -> None:
        while self._console.waits and "move" not in self._room.you.can and self._room.view.phase != "finished":
            self._changed.clear()
            await self._changed.wait()  # not for the room's news, which only one task may take
        game = self._game()
        if game is None:
            self._console.say("No game has begun.")
            return
        cell = cell_answer(game, answer)
        game.variant.index_of[cell]
        await self._room.move(cell)

    async def _answer(self, *, accept: bool) -> None:
        """Answer the offer of the other side."""
        for what in _OFFERS.values():
            if f"answer:{what}" in self._room.you.can:
                await self._room.answer(what, accept)
                return
        self._console.say("There is no offer to answer.")

    def _who(self) -> str:
        crowd = self._room.crowd
        watching = f" {crowd.spectators} watching." if crowd is not None and crowd.spectators else ""
        return f"{seats(self._room.view)}{watching}"

    def _game(self) -> Game | None:
        return None if self._room.game is None else game_of(self._room.game)


ROOM_HELP: Final = """Type the name of a cell to play there, such as {cell}. You can also type:
  say TEXT  send a chat line
  who       show who is here
  board     show the board again
  moves     list the cells that you may fill
  draw, undo, rematch  offer it
  yes, no   answer an offer
  claim     end the game against an absent player
  sit, stand  take a seat, give it up
  resign    give the game up
  swap      take X's side after the first move
  time      give your opponent more time
  quit      leave the terminal (Ctrl-C does the same)"""

_OFFER_WORDS: Final = {"draw": "a draw", "takeback": "to take a move back", "rematch": "a rematch"}


def game_of(view: GameView) -> Game:
    """Return a game of a view, with its outcome. Raise Rejection for a variant that this program does not have."""
    game = Game.of(view.variant, view.moves)
    if view.outcome is None:
        return game
    cells = tuple(game.variant.index_of[cell] for cell in view.outcome.cells)
    return Game(game.moves, game.position, Outcome(view.outcome.winner, view.outcome.reason, cells), game.seen)


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
            yield f"{seated(after.seats.of(offer.by))} ({offer.by}) offers {_OFFER_WORDS[offer.what]}."


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
        yield moved(mark, new.moves[ply], seated(view.seats.of(mark)))
    if new.outcome is not None and (old is None or old.number != new.number or old.outcome is None):
        game = game_of(new)
        assert game.outcome is not None
        yield game_ending(game, game.outcome)


def times(clock: ClockView | None) -> str:
    """Return the time that each side has left as of the view, or has for a first move; nothing without a clock."""
    if clock is None:
        return ""
    if clock.first_move_by_ms is not None:
        return f"Time for your first move: {_time(clock.first_move_by_ms - clock.at_ms)}."
    return f"Time: X {_time(clock.X_ms)}, O {_time(clock.O_ms)}."


def _time(ms: int) -> str:
    if ms >= DAY_MS:
        return time_left(ms).removesuffix(" left")
    hours, seconds = divmod(ms // 1_000, 3_600)
    return f"{hours}:{seconds // 60:02}:{seconds % 60:02}" if hours else f"{seconds // 60}:{seconds % 60:02}"


def question(view: View, you: You) -> str:
    """Return what to ask the person now."""
    if "move" in you.can and view.game is not None:
        lines = (hint_of(game_of(view.game)), times(view.clock), f"Your move ({you.mark}):")
        return "\n".join(filter(None, lines))
    if view.phase == "waiting":
        return "Waiting for an opponent:" if you.mark else "Waiting for players:"
    if view.phase == "finished":
        return "rematch or quit:" if "offer:rematch" in you.can else "The game is over:"
    return f"Waiting for {view.game.turn}:" if you.mark and view.game else "Watching:"
