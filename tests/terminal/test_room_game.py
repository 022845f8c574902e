"""A room in a terminal, on a real server, through a console without a terminal."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Callable
from unittest.mock import AsyncMock

import pytest
from msgspec.structs import replace

from noughts.client import Rejected, Room, connect
from noughts.printable import FORBIDDEN
from noughts.protocol.messages import (
    ChatLine,
    ClockView,
    EngineSeatView,
    GameView,
    HumanSeatView,
    OutcomeView,
    Speaker,
    View,
    You,
)
from noughts.room.clock import DAY_MS, DaysClock, FischerClock
from noughts.room.room import OpenOffer
from noughts.room.seat import Person
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game
from noughts.terminal.my_rooms import seated
from noughts.terminal.room_console import PlainRoomConsole
from noughts.terminal.room_game import RoomGame, game_of, news, question, seats, times
from tests.support.server import RunningServer


class Script:
    """A console whose answers are known beforehand. An answer may wait until something was said."""

    def __init__(self, *answers: str | Callable[[], bool], waits: bool = True) -> None:
        self.waits = waits
        self.said: list[str] = []
        self.questions: list[str] = []
        self.games: list[Game | None] = []
        self._answers = list(answers)
        self._news = asyncio.Event()

    def say(self, text: str) -> None:
        self.said.append(text)
        self._news.set()

    def follow(self, game: Game | None, question: str) -> None:
        self.games.append(game)
        self.questions.append(question)
        self._news.set()

    def has_said(self, words: str) -> Callable[[], bool]:
        """Return a function that says whether these words were said."""
        return lambda: any(words in text for text in self.said)

    async def answer(self) -> str:
        while self._answers:
            answer = self._answers.pop(0)
            if isinstance(answer, str):
                return answer
            while not answer():
                self._news.clear()
                await self._news.wait()
        raise EOFError


async def play(server: RunningServer, script: Script, mark: str = "X") -> Room:
    """Play a game against the engine by a script, until the script ends."""
    async with connect(server.url, name="Ann") as me:
        room = await me.create("classic", opponent="engine", level="perfect", mark=mark)  # type: ignore[arg-type]
        async with room:
            with pytest.raises(EOFError):
                await RoomGame(room, script).run(sits=True)
        return room


async def test_a_whole_game(server: RunningServer) -> None:
    """One of these cells is free at every move, and moves that are taken are explained."""
    cells = [f"{column}{row}" for _ in range(9) for row in (1, 2, 3) for column in "abc"]
    script = Script(*cells)
    await play(server, script)
    assert script.has_said("Ann (X) plays a1.")()
    assert script.has_said(" is taken.")()
    assert script.games[-1] is not None
    assert script.games[-1].outcome is not None


async def test_words_that_are_no_cells(server: RunningServer) -> None:
    script = Script("", "help", "who", "board", "moves", "z9", "?!", "yes", "say hello", "quit", "never read")
    greeted = script.has_said("Ann: hello")
    await play(server, script)
    assert script.said[2].startswith("Type the name of a cell")
    assert "X: Ann. O: Otto (perfect)." in script.said[3]
    assert script.has_said("a1 b1 c1 a2 b2 c2 a3 b3 c3")()
    assert script.has_said("There is no cell z9")()
    assert script.has_said("A cell is a letter")()
    assert script.has_said("There is no offer to answer.")()
    assert greeted()


async def test_offers_resigning_and_a_rematch(server: RunningServer) -> None:
    script = Script("a1", "undo", "resign", "rematch")
    await play(server, script)
    assert script.has_said("A move was taken back.")()
    assert script.has_said("O won by resignation.")()
    assert script.has_said("Game 2 of Tic-tac-toe.")()


async def test_a_friend_sits_down_and_a_spectator_watches(server: RunningServer) -> None:
    async with (
        connect(server.url, name="Ann") as ann,
        connect(server.url, name="Ben") as ben,
        connect(server.url, guest=False) as nobody,
    ):
        created = await ann.create("classic", mark="X")
        async with created, await ben.join(created.url) as friend, await nobody.join(created.watch_url) as watched:
            watching, playing = Script("say hi"), Script()
            with pytest.raises(EOFError):
                await RoomGame(friend, playing).run(sits=True)
            assert friend.you.mark == "O"
            async for view in watched:
                if view.game is not None:
                    break
            with pytest.raises(EOFError):
                await RoomGame(watched, watching).run(sits=False)
            assert watching.said[0] == "X: Ann. O: Ben."
            assert watching.said[-1] == "To take part, enter with --name."
            assert watching.questions[0] == "Watching:"


HOSTILE = "\x1b]0;TITLE\x07\x1b[2J\x9b5m\u202e\nAnn: I resign"


async def test_no_text_of_a_server_reaches_the_terminal_raw(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither names, cells and chat lines nor the words of a rejection may move a cursor or forge another line."""
    output = io.StringIO()
    async with connect(server.url, name="Ann") as me:
        created = await me.create("classic", opponent="engine", level="novice", mark="X")
        async with created as room:
            seats = replace(room.view.seats, O=HumanSeatView("p_eve", HOSTILE))
            game = room.view.game
            assert game is not None
            view = replace(room.view, seats=seats, game=replace(game, legal=(HOSTILE,)))
            monkeypatch.setattr(Room, "view", view)
            monkeypatch.setattr(Room, "lines", (ChatLine(1, 0, Speaker("p_eve", HOSTILE, "O"), HOSTILE, 0),))
            monkeypatch.setattr(Room, "say", AsyncMock(side_effect=Rejected("no", HOSTILE)))
            reading, writing = os.pipe()
            with os.fdopen(reading) as lines, os.fdopen(writing, "w") as typed:
                print("who\nmoves\nsay it", file=typed, flush=True)
                typed.close()
                with pytest.raises(EOFError):
                    await RoomGame(room, PlainRoomConsole(lines, output)).run(sits=False)
    printed = output.getvalue()
    assert printed.count("TITLE") == 6
    assert not FORBIDDEN.search(printed.replace("\n", ""))
    assert not [line for line in printed.splitlines() if line.startswith("Ann:")]


async def test_seats_claims_and_moves_before_a_game(server: RunningServer) -> None:
    async with connect(server.url, name="Ann") as ann, await ann.create("classic", mark="X") as room:
        script = Script("moves", "b2", "claim", "claim draw", "stand", "sit", waits=False)
        with pytest.raises(EOFError):
            await RoomGame(room, script).run(sits=True)
        assert room.you.mark == "X"
    assert script.questions[0] == "Waiting for an opponent:"
    assert script.has_said("None.")()
    assert script.has_said("No game has begun.")()
    assert script.has_said("X: nobody. O: nobody.")()


async def test_an_offer_is_answered(server: RunningServer) -> None:
    async with (
        connect(server.url, name="Ann") as ann,
        connect(server.url, name="Ben") as ben,
        await ann.create("classic", mark="X") as room,
        await ben.join(room.url) as friend,
    ):
        await friend.sit()
        await friend.offer("draw")
        while "answer:draw" not in room.you.can:
            await room.news()
        script = Script("yes")
        with pytest.raises(EOFError):
            await RoomGame(room, script).run(sits=True)
        assert room.view.phase == "finished"
    assert script.has_said("The game ended in a draw by agreement.")()


ANN, BEN = HumanSeatView("p_a", "Ann"), HumanSeatView("p_b", "Ben")
WIN = OutcomeView("X", "line", ("a1", "b1", "c1"))


def game(moves: str, number: int = 1, outcome: OutcomeView | None = None, variant: str = "classic") -> GameView:
    played = Game.of(variant, moves)
    return GameView(number, variant, played.move_names, {}, played.turn, played.legal_names(), outcome, False)


def view(game_view: GameView | None = None, phase: str = "playing", offers: tuple[OpenOffer, ...] = ()) -> View:
    room = View(
        "id", 1, "classic", "unlisted", None, "p_a", "playing", ByMark(ANN, BEN), game_view, None, offers, (), 0,
        "always", 0, 0, None, False,
    )  # fmt: skip
    return replace(room, phase=phase)


def test_seats_have_names() -> None:
    assert seats(view()) == "X: Ann. O: Ben."
    assert seated(None) == "nobody"
    assert seated(HumanSeatView("p_c", "Bot", True)) == "Bot (a bot)"
    assert seated(EngineSeatView("novice")) == "Otto (novice)"
    assert seated(EngineSeatView("novice", Person("p_a", "Ann"))) == "Otto for Ann"


def test_a_game_of_a_view_has_its_outcome() -> None:
    assert game_of(game("b2 a1")).outcome is None
    ended = game_of(game("a1 a2 b1 b2 c1", outcome=WIN)).outcome
    assert ended is not None
    assert (ended.winner, ended.cells) == ("X", (0, 1, 2))
    resigned = game_of(game("b2", outcome=OutcomeView("X", "resignation", ()))).outcome
    assert resigned is not None
    assert resigned.reason == "resignation"


WON = view(game("a1 a2 b1 b2 c1", outcome=WIN))
OFFERED = view(game(""), offers=(OpenOffer("draw", "O"),))
FISCHER = FischerClock(300_000, 3_000)
ENGINE = replace(view(game("b2")), seats=ByMark(ANN, EngineSeatView("novice")))


@pytest.mark.parametrize(
    ("before", "after", "sentences"),
    [
        (None, view(game("b2")), ["X: Ann. O: Ben.", "Game 1 of Tic-tac-toe."]),
        (view(game("")), view(game("b2 a1")), ["Ann (X) plays b2.", "Ben (O) plays a1."]),
        (WON, view(game("b2", number=2)), ["Game 2 of Tic-tac-toe.", "Ann (X) plays b2."]),
        (view(game("a1 a2 b1 b2")), WON, ["Ann (X) plays c1.", "X wins with a1 b1 c1."]),
        (WON, WON, []),
        (view(game("b2 a1")), view(game("b2")), ["A move was taken back."]),
        (view(game("")), OFFERED, ["Ben (O) offers a draw."]),
        (OFFERED, OFFERED, []),
        (view(game("")), ENGINE, ["X: Ann. O: Otto (novice).", "Ann (X) plays b2."]),
        (ENGINE, replace(ENGINE, game=game("b2 a1")), ["Otto (novice) (O) plays a1."]),
    ],
)
def test_what_has_changed_is_told_once(before: View | None, after: View, sentences: list[str]) -> None:
    assert list(news(before, after)) == sentences


def test_questions() -> None:
    can_move, watching = You("X", False, ("move",)), You(None, False, ())
    assert question(view(game("")), can_move) == "Your move (X):"
    ultimate = view(game("e5", variant="ultimate"))
    assert question(ultimate, You("O", False, ("move",))).startswith("Play in the middle board: ")
    assert question(view(game("b2")), You("X", False, ())) == "Waiting for O:"
    assert question(view(game("b2")), watching) == "Watching:"
    assert question(view(phase="waiting"), You("X", True, ())) == "Waiting for an opponent:"
    assert question(view(phase="waiting"), watching) == "Waiting for players:"
    assert question(view(phase="finished"), You("X", True, ("offer:rematch",))) == "rematch or quit:"
    assert question(view(phase="finished"), watching) == "The game is over:"


@pytest.mark.parametrize(
    ("clock", "line"),
    [
        (None, ""),
        (ClockView("fischer", 299_999, 61_000, "X", 7, FISCHER, None), "Time: X 4:59, O 1:01."),
        (ClockView("fischer", 3_723_000, 0, "X", 7, FISCHER, None), "Time: X 1:02:03, O 0:00."),
        (ClockView("days", 3 * DAY_MS, 40_000, "O", 7, DaysClock(3), None), "Time: X 3 days, O 0:40."),
        (ClockView("fischer", 9, 9, None, 7, FISCHER, 30_007), "Time for your first move: 0:30."),
    ],
)
def test_a_question_names_the_times(clock: ClockView | None, line: str) -> None:
    assert times(clock) == line
    text = question(replace(view(game("")), clock=clock), You("X", False, ("move",)))
    assert text.splitlines() == [*filter(None, [line]), "Your move (X):"]
