"""A player on a server: identity, lists, and mistakes in words."""

from __future__ import annotations

import asyncio
import sys
import textwrap

import pytest

import noughts.client
from noughts.client.client import connect
from noughts.client.errors import ConnectError, Rejected, RoomGone
from noughts.protocol.messages import HumanSeatView
from noughts.room.clock import DAY_MS, DaysClock, FischerClock
from tests.conftest import StartServer
from tests.project.reading import text_of
from tests.support.player import WAIT_S
from tests.support.server import RunningServer
from tools.reference import CLIENT_EXAMPLE


async def test_a_player_comes_back_with_its_token(server: RunningServer) -> None:
    async with connect(server.url + "/", name="Ann") as me:
        assert (me.player.name, me.url) == ("Ann", server.url)
    async with connect(server.url, token=me.token) as again:
        assert again.player == me.player
    async with connect(server.url, name="Bea", token=me.token) as renamed:
        assert (renamed.player.id, renamed.player.name) == (me.player.id, "Bea")
        assert (await renamed.rename("Cleo")).name == renamed.player.name == "Cleo"


async def test_the_example_of_the_package_plays_a_game(start_server: StartServer) -> None:
    """It runs word for word, in a process of its own, on a server with the usual settings."""
    server = start_server(limits="on", engine_pace_ms=50)
    _, _, example = str(noughts.client.__doc__).partition("::\n")
    lines = textwrap.dedent(example).replace("http://127.0.0.1:8000", server.url)
    assert server.url in lines
    program = "\n".join(
        (
            "import asyncio",
            "from noughts.client import connect, Rejected, RoomGone",
            "async def main():",
            textwrap.indent(lines, "    "),
            "    print(view.game.outcome.reason)",
            "asyncio.run(main())",
        )
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-c", program),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(WAIT_S):
        out, err = await process.communicate()
    assert (process.returncode, err.decode()) == (0, "")
    assert out.decode().strip() in ("line", "full_board")


async def test_a_bot_is_a_bot(server: RunningServer) -> None:
    async with connect(server.url, bot=True) as bot, connect(server.url) as me:
        assert (bot.player.bot, me.player.bot) == (True, False)


async def test_a_client_without_a_player_only_watches(server: RunningServer) -> None:
    async with connect(server.url, guest=False) as nobody:
        assert await nobody.variants()
        for name in ("player", "token"):
            with pytest.raises(RuntimeError, match="connect without guest=False"):
                getattr(nobody, name)
        with pytest.raises(Rejected, match="unauthorized"):
            await nobody.create("classic")


async def test_rooms_are_made_listed_and_found(server: RunningServer) -> None:
    clock = FischerClock(60_000, 1_000)
    async with asyncio.timeout(WAIT_S), connect(server.url) as ann, connect(server.url) as ben:
        async with await ann.create("misere", opponent="anyone", clock=clock) as waiting:
            assert waiting.view.clock is not None
            assert waiting.id in [room.id for room in await ben.public_rooms("open", "misere")]
            async with await ben.quick_play("misere", clock) as meeting:
                assert meeting.id == waiting.id
                async for view in waiting:
                    if view.phase == "playing":
                        break
                live = await ben.public_rooms("live", "misere")
                assert waiting.id in [room.id for room in live]
        watched = await ann.create("classic", opponent="engines", levels=("novice", "casual"))
        assert watched.invite is None
        assert watched.url == watched.watch_url


async def test_a_room_with_a_series_and_a_fair_start(server: RunningServer) -> None:
    async with asyncio.timeout(WAIT_S), connect(server.url, name="Ann") as ann, connect(server.url, name="Ben") as ben:
        hers = await ann.create("vanishing", mark="X", clock=FischerClock(60_000, 0), first_to=3, swap=True)
        assert hers.view.series is not None
        assert (hers.view.series.first_to, hers.view.swap) == (3, True)
        async with hers, await ben.join(hers.url) as his:
            await his.sit("O")
            await hers.move("b1")
            async for view in his:
                if view.game is not None and view.game.moves:
                    break
            await his.give_time()
            await his.swap()
            assert his.view.game is not None
            assert his.view.game.swapped
            assert his.view.clock is not None
            assert (his.view.clock.X_ms, his.view.clock.O_ms) == (60_000, 75_000)


async def test_your_rooms_are_listed_your_turn_first(server: RunningServer) -> None:
    async with asyncio.timeout(WAIT_S), connect(server.url, name="Ann") as ann, connect(server.url, name="Ben") as ben:
        waiting = await ann.create("misere")
        hers = await ann.create("classic", mark="X", clock=DaysClock(3))
        async with await ben.join(hers.url) as his:
            await his.sit("O")
        assert [(room.id, room.yours) for room in await ann.rooms()] == [(hers.id, True), (waiting.id, False)]
        assert [room.id for room in await ann.rooms("mine")] == [hers.id]
        assert await ben.rooms("mine") == ()
        (room,) = await ben.rooms()
        assert (room.opponent, room.deadline_ms) == (HumanSeatView(ann.player.id, "Ann"), room.used_ms + 3 * DAY_MS)


async def test_analyses_and_variants_are_typed(server: RunningServer) -> None:
    async with connect(server.url) as me:
        assert [variant.key for variant in await me.variants()][:2] == ["classic", "misere"]
        positions = await me.analysis("classic", ["b2", "b1"])
        assert positions[2].verdict is not None
        assert positions[2].verdict.value == "win"
        assert len(await me.analysis("classic")) == 1


@pytest.mark.parametrize(
    ("variant", "options"),
    [("chess", {}), ("classic", {"opponent": "engine", "level": "strongest"}), ("classic", {"mark": "Z"})],
)
async def test_a_mistake_is_rejected_in_words(server: RunningServer, variant: str, options: dict[str, str]) -> None:
    async with connect(server.url) as me:
        with pytest.raises(Rejected) as rejected:
            await me.create(variant, **options)  # type: ignore[arg-type]
        assert rejected.value.code == "bad_message"
        assert len(rejected.value.message) > 10


async def test_a_room_that_is_gone_is_gone(server: RunningServer) -> None:
    async with connect(server.url) as me:
        for link in ("none", f"{server.url}/r/none#i=secret"):
            with pytest.raises(RoomGone):
                await me.join(link)
        with pytest.raises(ConnectError, match="is no link of a room"):
            await me.join("not a link")
        room = await me.create("classic")
        async with room:
            await room.close()
        with pytest.raises(RoomGone, match="exist"):
            async with room:
                raise AssertionError("it was entered")


async def test_the_example_of_the_reference_plays_a_game(server: RunningServer) -> None:
    program = CLIENT_EXAMPLE.replace("http://127.0.0.1:8000", server.url)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(WAIT_S):
        output, _ = await process.communicate()
    assert process.returncode == 0
    assert output
    assert " ".join(CLIENT_EXAMPLE.split()) in " ".join(text_of("docs/tutorial/python-client.md").split())
