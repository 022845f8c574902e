"""The watch over the store: outages and their end, a store that is lost, and the beats of a node."""

from __future__ import annotations

import pytest

from noughts.app.node.heartbeat import CUT_OFF_S, Heartbeat
from noughts.app.rooms.on_node import RoomOnNode
from noughts.protocol.close_codes import RESTART
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import Chat, Move
from tests.support.flaky_store import FlakyStore
from tests.support.node import ANN, EVE, Cluster, Node, game_of
from tests.support.pauses import run_through_pauses
from tests.support.player import WAIT_S
from tests.support.replies import code_of
from tests.support.statuses import STATUS

# --- downtime -------------------------------------------------------------------------------------------------------


async def test_every_room_goes_on_when_the_store_is_back(cluster: Cluster, node: Node) -> None:
    """Also one that asked nothing of the store. Its clock stood still."""
    timed, other = await node.timed_game(FischerClock(600_000, 0)), await node.game()
    cluster.clock.ms += 1_000
    cluster.store.down = True
    assert await code_of(other.request(EVE, Chat("a", "hello"))) == "unavailable"
    cluster.clock.ms += 5_000
    states = []
    for down in (True, False):
        cluster.store.down = down
        await node.probe_store()
        states.append(node.downtime.on)
        cluster.clock.ms += 5_000 if down else 0
    assert states == [True, False]
    assert timed.room.version == 5  # its clock is shown as it is by now
    await timed.request(ANN, Move("b", 2, "c3"))
    assert game_of(timed).left_ms.X == 599_000


async def test_a_room_that_fails_after_an_outage_stops_no_other(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, timed = await node.game(), await node.timed_game(MoveClock(60_000))
    wake = RoomOnNode.wake

    def failing(actor: RoomOnNode) -> None:
        if actor is broken:
            raise RuntimeError("a fault of ours")
        wake(actor)

    monkeypatch.setattr(RoomOnNode, "wake", failing)
    node.downtime.begin(node.clock.ms)
    node.clock.ms += 1_000
    await node.probe_store()
    assert (node.downtime.on, timed.room.version) == (False, 5)  # its clock is shown as it is by now


async def test_an_outage_that_is_not_counted_is_not_stored(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node began to serve during the beat that ended the outage, and held no room before."""

    async def beat(heartbeat: Heartbeat) -> None:
        node.downtime.discard()

    monkeypatch.setattr(Heartbeat, "beat", beat)
    node.downtime.begin(cluster.clock.ms)
    cluster.clock.ms += 1_000
    await node.probe_store()
    assert (node.downtime.on, node.downtime.spans) == (False, ())


async def test_a_lost_file_is_downtime_while_no_client_uses_it(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.store_watch.look()
    assert not node.downtime.on
    monkeypatch.setattr(cluster.store, "loss_reason", lambda: "the file was deleted")
    node.store_watch.look()
    assert node.downtime.on


# --- beats ----------------------------------------------------------------------------------------------------------


async def beats(cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether the node notes that it is up."""
    before = cluster.store.methods.count("beat")
    await run_through_pauses(node.store_watch.send_beats(), cluster.store, monkeypatch)
    return cluster.store.methods.count("beat") > before


async def last_beat_ms(cluster: Cluster) -> int:
    """Return the time of the last beat, as a restart finds it."""
    await cluster.store.close()
    again = FlakyStore(cluster.store.path)
    await again.open()
    downtimes = (await again.beat(STATUS, cluster.clock.ms + 1)).downtimes
    await again.close()
    await cluster.store.open()
    return downtimes[-1].from_ms


async def test_a_node_notes_that_it_is_up_while_a_clock_runs(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only then: an idle server writes nothing."""
    await node.game()
    await node.room(MoveClock(60_000), opponent="engines", engines=("novice", "novice"))
    assert not await beats(cluster, node, monkeypatch)
    await node.timed_game(MoveClock(60_000))
    assert await beats(cluster, node, monkeypatch)
    assert await last_beat_ms(cluster) == cluster.clock.ms


# --- several nodes --------------------------------------------------------------------------------------------------


async def test_a_node_beats_always_and_a_failed_beat_is_downtime(
    cluster: Cluster, pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also without a room. During the downtime, the probes of the store take the place of beats."""
    one, _ = pair
    await run_through_pauses(one.store_watch.send_beats(), cluster.store, monkeypatch)
    assert one.heartbeat.beats >= 4
    one.link.cut = True
    await run_through_pauses(one.store_watch.send_beats(), cluster.store, monkeypatch)
    assert one.downtime.on
    one.link.cut = False
    beats = one.heartbeat.beats
    await run_through_pauses(one.store_watch.send_beats(), cluster.store, monkeypatch)
    assert one.heartbeat.beats == beats


async def test_a_node_that_is_cut_off_sends_its_clients_away(
    cluster: Cluster, pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few with each probe of the store. Other nodes may reach it."""
    monkeypatch.setattr("noughts.app.node.store_watch.PROBE_S", WAIT_S)  # one probe each time, however slow the disk is
    one, two = pair
    for node in (one, two, one):
        await node.heartbeat.beat()
    clients = [one.screen(ANN) for _ in range(3)]
    one.link.cut = True
    codes = []
    for _ in range(2):
        one.downtime.begin(cluster.clock.ms)
        await one.probe_store()
        codes.append(sorted(str(screen.code) for screen in clients))
        cluster.clock.ms += int(CUT_OFF_S * 1000) + 1
    assert codes == [["None"] * 3, sorted([str(RESTART), "None", "None"])]
