"""A room in a terminal, on a real server, through a console without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from noughts.client import Room, RoomGone, connect
from noughts.rules.game import Game
from noughts.terminal.room_game import RoomGame
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
                await RoomGame(me, room, script).run(sits=True)
        return room


async def test_a_whole_game_and_its_review(server: RunningServer) -> None:
    """One of these cells is free at every move, and moves that are taken are explained."""
    cells = [f"{column}{row}" for _ in range(9) for row in (1, 2, 3) for column in "abc"]
    script = Script(*cells)
    await play(server, script)
    assert script.has_said("Ann (X) plays a1.")()
    assert script.has_said(" is taken.")()
    assert any(text.startswith("How the game went:") for text in script.said)
    assert script.games[-1] is not None
    assert script.games[-1].outcome is not None


async def test_words_that_are_no_cells(server: RunningServer) -> None:
    script = Script("", "help", "who", "board", "moves", "z9", "?!", "yes", "say hello", "quit", "never read")
    greeted = script.has_said("Ann: hello")
    await play(server, script)
    assert script.said[2].startswith("Type the name of a cell")
    assert "X: Ann. O: the engine (perfect)." in script.said[3]
    assert script.has_said("a1 b1 c1 a2 b2 c2 a3 b3 c3")()
    assert script.has_said("There is no cell z9")()
    assert script.has_said("A cell is a letter")()
    assert script.has_said("There is no offer to answer.")()
    assert greeted()


async def test_offers_resigning_and_a_rematch(server: RunningServer) -> None:
    script = Script("a1", "undo", "resign", "rematch")
    await play(server, script)
    assert script.has_said("A move was taken back.")()
    assert script.has_said("X resigned. O wins.")()
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
                await RoomGame(ben, friend, playing).run(sits=True)
            assert friend.you.mark == "O"
            async for view in watched:
                if view.game is not None:
                    break
            with pytest.raises(EOFError):
                await RoomGame(nobody, watched, watching).run(sits=False)
            assert watching.said[0] == "X: Ann. O: Ben."
            assert watching.said[-1] == "To take part, enter with --name."
            assert watching.questions[0] == "Watching:"


async def test_a_room_that_is_closed_ends_the_game(server: RunningServer) -> None:
    async with connect(server.url, name="Ann") as ann, connect(server.url, guest=False) as nobody:
        created = await ann.create("classic")
        async with created, await nobody.join(created.watch_url) as watched:
            script = Script(lambda: False)
            game = asyncio.create_task(RoomGame(nobody, watched, script).run(sits=False))
            await created.close()
            with pytest.raises(RoomGone):
                await game


async def test_seats_claims_and_moves_before_a_game(server: RunningServer) -> None:
    async with connect(server.url, name="Ann") as ann, await ann.create("classic", mark="X") as room:
        script = Script("moves", "b2", "claim", "claim draw", "stand", "sit", waits=False)
        with pytest.raises(EOFError):
            await RoomGame(ann, room, script).run(sits=True)
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
            await RoomGame(ann, room, script).run(sits=True)
        assert room.view.phase == "finished"
    assert script.has_said("The players agreed to a draw.")()
