"""What a bot does in its room for each thing that it can do, in a room that a test sets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

import pytest
from msgspec.structs import replace

from noughts.bots.bot_room import AWAY_MS, BotRoom, Pace
from noughts.bots.match import view_of
from noughts.client import Rejected, Room
from noughts.protocol.messages import Crowd, SeatPresence, View, You
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game
from noughts.rules.outcome import Mark

PLAYING, OVER = view_of(Game.of("classic", "a1 b1"), 1), view_of(Game.of("classic", "a1 b1 a2 b2 a3"), 1)


class SetRoom:
    """Stands in for a room of the client. It records commands, and closes when the bot waits for news."""

    id = "a-room"

    def __init__(self, view: View, can: tuple[str, ...], mark: Mark | None, away_ms: int = 0) -> None:
        self.view = view
        self.you = You(mark, True, can)
        away = SeatPresence(False, away_ms, None)
        seats: ByMark[SeatPresence | None] = ByMark(away, away)
        self.crowd = Crowd(seats, 0, ()) if away_ms else None
        self.commands: list[tuple[object, ...]] = []
        self.rejections: list[Rejected] = []

    def __getattr__(self, name: str) -> Callable[..., Awaitable[None]]:
        async def command(*arguments: object) -> None:
            self.commands.append((name, *arguments))
            if self.rejections:
                raise self.rejections.pop()

        return command

    async def news(self) -> None:
        self.view = replace(self.view, phase="closed")


class First:
    """Chooses the first legal cell."""

    async def choose(self, view: View) -> str:
        assert view.game is not None
        return view.game.legal[0]


def lines_of() -> tuple[list[str], Callable[..., None]]:
    """Return a list, and a report that fills it."""
    lines: list[str] = []
    return lines, lambda room, text, detail="": lines.append(text)


async def play(room: SetRoom, *, offers_rematch: bool = False) -> list[str]:
    """Let a bot play in a room until it waits for news. Return what it reported."""
    lines, report = lines_of()
    await BotRoom(cast(Room, room), First(), report, Pace(), offers_rematch=offers_rematch).play()
    return lines


@pytest.mark.parametrize(
    ("can", "command"),
    [
        (("move", "answer:takeback"), ("answer", "takeback", False)),
        (("move", "answer:draw"), ("answer", "draw", False)),
        (("move", "claim:draw", "claim:win"), ("claim", "win")),
        (("resign", "move"), ("move", "c1", PLAYING)),
        (("resign",), None),
    ],
)
async def test_a_game_asks_for_one_command(can: tuple[str, ...], command: tuple[object, ...] | None) -> None:
    """An offer is answered before the move."""
    room = SetRoom(PLAYING, can, "X")
    await play(room)
    assert room.commands == ([] if command is None else [command])


@pytest.mark.parametrize(
    ("can", "offers_rematch", "command"),
    [
        (("answer:rematch", "offer:rematch"), False, ("answer", "rematch", True)),
        (("offer:rematch",), True, ("offer", "rematch")),
        (("offer:rematch",), False, None),
    ],
)
async def test_a_bot_wants_a_rematch(
    can: tuple[str, ...], offers_rematch: bool, command: tuple[object, ...] | None
) -> None:
    """It offers one only to the engine, which offers none."""
    room = SetRoom(OVER, can, "X")
    await play(room, offers_rematch=offers_rematch)
    assert room.commands == ([] if command is None else [command])


@pytest.mark.parametrize(("mark", "opponent"), [("X", "O"), ("O", "X")])
async def test_the_seat_of_an_absent_opponent_is_freed(mark: Mark, opponent: Mark) -> None:
    """Not before half a minute, nor before the room has said who is there."""
    for away_ms, commands in ((AWAY_MS, [("free", opponent)]), (AWAY_MS - 1, []), (0, [])):
        room = SetRoom(OVER, (f"free:{opponent}",), mark, away_ms)
        await play(room)
        assert room.commands == commands


@pytest.mark.parametrize(
    ("moves", "mark", "line"),
    [
        ("a1 b1 a2 b2 a3", "X", "game 1 won as X in 5 moves (line)"),
        ("a1 b1 a2 b2 a3", "O", "game 1 lost as O in 5 moves (line)"),
        ("b2 a1 c3 a3 a2 c2 b1 b3 c1", "X", "game 1 drawn as X in 9 moves (full board)"),
    ],
)
async def test_the_end_of_a_game_is_reported_once(moves: str, mark: Mark, line: str) -> None:
    """The view of the closed room has the game too."""
    assert await play(SetRoom(view_of(Game.of("classic", moves), 1), (), mark)) == [line]


async def test_a_bot_without_a_seat_leaves() -> None:
    room = SetRoom(PLAYING, ("move",), None)
    await play(room)
    assert (room.commands, room.view.phase) == ([], "playing")


async def test_a_command_that_came_too_late_is_not_sent_again() -> None:
    """The newest view is on its way. What the server cannot do ends the bot's stay."""
    room = SetRoom(PLAYING, ("move",), "X")
    room.rejections = [Rejected("stale", "The room has gone on.")]
    await play(room)
    assert room.commands == [("move", "c1", PLAYING)]
    for code in ("unauthorized", "internal"):
        room = SetRoom(PLAYING, ("move",), "X")
        room.rejections = [Rejected(code, "Come back.")]
        with pytest.raises(Rejected, match=code):
            await play(room)


@pytest.mark.parametrize("later", [OVER, view_of(Game.of("classic"), 2), view_of(Game.of("classic", "a1 b1 a2"), 1)])
async def test_a_move_for_an_older_position_is_not_made(later: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game ended, or went on, while the bot was choosing."""
    room = SetRoom(PLAYING, ("move",), "X")

    async def choose(chooser: First, view: View) -> str:
        room.view = later
        return "c1"

    monkeypatch.setattr(First, "choose", choose)
    await play(room)
    assert room.commands == []
