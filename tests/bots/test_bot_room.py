"""What a bot does in its room for each thing that it can do, in a room that a test sets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import cast

import pytest
from msgspec.structs import replace

from noughts.app.runtime.limits import MESSAGES_OF_PLAYER
from noughts.bots.bot_file import BotError
from noughts.bots.bot_room import AWAY_MS, BURST, PER_S, BotRoom, Pace
from noughts.bots.match_command import view_of
from noughts.client import Rejected, Room
from noughts.protocol.messages import Crowd, SeatPresence, View, You
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game
from noughts.rules.outcome import Mark
from tests.support.virtual_time import in_virtual_time

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


async def play(room: SetRoom, *, offers_rematch: bool = False, idle_s: float = 60.0) -> list[str]:
    """Let a bot play in a room until it waits for news. Return what it reported."""
    lines: list[str] = []

    def report(room: str, text: str, detail: str = "") -> None:
        lines.append(text + detail)

    await BotRoom(cast(Room, room), First(), report, Pace(), offers_rematch=offers_rematch, idle_s=idle_s).play()
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


@pytest.mark.parametrize(
    ("rejection", "tries"),
    [(Rejected("stale", "The room has gone on."), 1), (Rejected("rate_limited", "Slow down.", 1), 2)],
)
async def test_a_command_is_sent_again_after_a_limit_alone(rejection: Rejected, tries: int) -> None:
    """No news comes of a limit, so the bot must not wait for any. After a stale move, the newest view is on its way."""
    room = SetRoom(PLAYING, ("move",), "X")
    room.rejections = [rejection]
    await play(room)
    assert room.commands == [("move", "c1", PLAYING)] * tries


@pytest.mark.parametrize("code", ["unauthorized", "internal"])
async def test_what_the_server_cannot_do_ends_the_stay(code: str) -> None:
    room = SetRoom(PLAYING, ("move",), "X")
    room.rejections = [Rejected(code, "Come back.")]
    with pytest.raises(Rejected, match=code):
        await play(room)


async def test_a_bot_that_fails_resigns(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(chooser: First, view: View) -> str:
        raise BotError("it failed.", "Traceback\n")

    monkeypatch.setattr(First, "choose", fail)
    room = SetRoom(PLAYING, ("move",), "X")
    assert await play(room) == ["it failed. The bot resigns this game.Traceback\n"]
    assert room.commands == [("resign",)]


async def test_a_bot_gives_up_an_idle_room(monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_news(room: SetRoom) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(SetRoom, "news", no_news)
    assert (await play(SetRoom(OVER, (), "X"), idle_s=0.01))[-1] == "nobody wants a rematch: this room is given up"


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


# --- the pace ------------------------------------------------------------------------------------------------------


async def times_of(pace: Pace, rooms: int, commands: int) -> list[tuple[float, int]]:
    """Return when each command of each room was sent, and the room."""
    sent: list[tuple[float, int]] = []

    async def room(number: int) -> None:
        for _ in range(commands):
            await pace.turn()
            sent.append((asyncio.get_running_loop().time(), number))

    await asyncio.gather(*[room(number) for number in range(rooms)])
    return sent


def test_rooms_take_turns() -> None:
    """Each of fifty rooms that always want to move waits for as long as all others need."""
    sent = in_virtual_time(times_of(Pace(), 50, 12))
    for number in range(50):
        times = [at_s for at_s, room in sent if room == number]
        assert max(later - earlier for earlier, later in pairwise(times)) <= 50 / PER_S + 1e-6
    assert sent[-1][0] == pytest.approx((600 - BURST) / PER_S)


def test_a_pause_allows_a_burst_again() -> None:
    """After a pause, as many commands are sent at once as at the beginning, and no more."""

    async def run() -> list[float]:
        pace = Pace(10.0, 5)
        await times_of(pace, 1, 20)
        await asyncio.sleep(100.0)
        begun_s = asyncio.get_running_loop().time()
        return [at_s - begun_s for at_s, _ in await times_of(pace, 1, 7)]

    assert in_virtual_time(run()) == pytest.approx([0.0] * 5 + [0.1, 0.2])


def test_the_pace_is_below_the_limit_of_a_server() -> None:
    assert MESSAGES_OF_PLAYER.rate.per_s > PER_S
    assert MESSAGES_OF_PLAYER.rate.burst > BURST
