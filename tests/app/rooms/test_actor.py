"""One command at a time, from the step to the commit to every screen; and what happens while the store is away."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.app.rooms.actor import MAX_CONFLICTS, RETRY_MS, RoomActor
from noughts.app.rooms.publisher import LOBBY
from noughts.app.rooms.search import Search
from noughts.app.rooms.visitors import CROWD_INTERVAL_MS
from noughts.protocol.close_codes import ROOM_CLOSED
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import Chat, Close, Move, Offer, Ping, React, Resign, Set, Sit, Wake
from noughts.room.seat import HumanSeat, Person
from noughts.room.storage import room_bytes
from noughts.store.contract import Change, Stored
from tests.support.node import ANN, BEN, EVE, Cluster, Node, raise_version
from tests.support.replies import Answer, code_of, submit

# --- one command at a time ------------------------------------------------------------------------------------------


async def test_a_command_is_shown_and_answered_once_it_is_stored(cluster: Cluster, node: Node) -> None:
    """Nobody sees a change that a power cut could take back."""
    actor = await node.game()
    screen = node.join(actor, ANN)
    await node.settle()
    screen.clear()
    cluster.store.hold_commits()
    answer = submit(actor, ANN, Move("a", 0, "b2"))
    await node.settle()
    assert (answer.count, screen.messages, actor.room.version) == (0, [], 2)
    cluster.store.release_commits()
    await node.settle()
    assert (answer.version, answer.count, screen.events, screen.room["game"]["moves"]) == (3, 1, ["moved"], ["b2"])


async def test_commands_wait_while_a_commit_is_under_way(cluster: Cluster, node: Node) -> None:
    """They are carried out one at a time, in the order in which they came, each from what the one before left."""
    actor = await node.game()
    cluster.store.hold_commits()
    order: list[Answer] = []
    answers = [
        submit(actor, person, command, order)
        for person, command in (
            (ANN, Move("a", 0, "b2")),
            (BEN, Move("b", 1, "a1")),
            (BEN, Move("c", 1, "a2")),
            (ANN, Move("d", 2, "c3")),
            (EVE, Chat("e", "hello")),
        )
    ]
    for count in range(1, 5):
        assert cluster.store.held == 1
        cluster.store.release_commits(1)
        await node.settle()
        assert len(cluster.store.changes) == 2 + min(4, count + 1)
    cluster.store.release_commits()
    await node.settle()
    assert [answer.version for answer in answers] == [3, 4, None, 5, 5]
    assert answers[2].code == "stale"
    assert order == answers
    assert [change.expected for change in cluster.store.changes] == [0, 1, 2, 3, 4, 5]


async def test_a_rejection_changes_nothing(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    screen = node.join(actor, ANN)
    await node.settle()
    room, changes = actor.room, list(cluster.store.changes)
    screen.clear()
    for person, command, code in (
        (BEN, Move("a", 0, "b2"), "not_your_turn"),
        (ANN, Move("a", 0, "z9"), "illegal_move"),
        (EVE, Resign("a"), "not_seated"),
        (BEN, Close("a"), "forbidden"),
    ):
        assert submit(actor, person, command).code == code
    await node.settle()
    assert actor.room is room
    assert (cluster.store.changes, screen.messages) == (changes, [])
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3  # a rejected id is not remembered


async def test_a_wake_up_with_nothing_to_do_is_no_change(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    changes = len(cluster.store.changes)
    assert await actor.tell(Wake()) == 2
    actor.wake()
    await node.settle()
    assert len(cluster.store.changes) == changes


async def test_a_step_that_fails_is_our_fault(node: Node) -> None:
    """The client is told one word, and the room goes on."""
    actor = await node.game()
    assert submit(actor, ANN, Ping("w")).code == "internal"  # type: ignore[arg-type]
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3


# --- ids that were answered ok --------------------------------------------------------------------------------------


async def test_an_id_that_was_answered_ok_has_no_second_effect(cluster: Cluster, node: Node) -> None:
    """It gets the same answer whatever has happened since, and in whatever command it comes."""
    actor = await node.game()
    await actor.request(ANN, Move("a", 0, "b2"))
    await actor.request(BEN, Move("b", 1, "a1"))
    changes = len(cluster.store.changes)
    assert submit(actor, ANN, Move("a", 0, "b2")).version == 3
    assert submit(actor, ANN, Chat("a", "hello")).version == 3
    assert submit(actor, BEN, Chat("a", "hello")).version is None  # ids are a player's own
    await node.settle()
    assert len(cluster.store.changes) == changes + 1


async def test_an_id_sent_twice_at_once_is_carried_out_once(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    answers = [submit(actor, ANN, Move("a", 0, "b2")) for _ in range(3)]
    await node.settle()
    assert [answer.version for answer in answers] == [3, 3, 3]
    assert len(cluster.store.changes) == 3


async def test_ids_outlive_the_actor(cluster: Cluster, node: Node) -> None:
    """They are stored with the change itself: a chat line's and a reaction's too, which are no change of the room."""
    actor = await node.game()
    await actor.request(ANN, Move("a", 0, "b2"))
    await actor.request(ANN, Chat("b", "hello"))
    await actor.request(ANN, React("c", "👍"))
    restarted = await Node(cluster, "two").registry.open(actor.id)
    for command in (Move("a", 0, "b2"), Chat("b", "hello"), React("c", "👍")):
        assert submit(restarted, ANN, command).version == 3


# --- conflicts ------------------------------------------------------------------------------------------------------


async def test_a_change_of_another_node_is_taken_over(cluster: Cluster, node: Node) -> None:
    """The command is tried again from there, and everybody here is shown the other change."""
    actor = await node.game()
    other = await Node(cluster, "two").registry.open(actor.id)
    screen = node.join(actor)
    await other.request(ANN, Move("a", 0, "b2"))
    screen.clear()
    assert await actor.request(ANN, Offer("b", "draw")) == 4
    await node.settle()
    assert screen.versions == [3, 4]
    assert (screen.room["game"]["moves"], screen.room["offers"]) == (["b2"], [{"what": "draw", "by": "X"}])


async def test_a_command_may_be_rejected_by_what_came_first(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    other = await Node(cluster, "two").registry.open(actor.id)
    await other.request(ANN, Move("a", 0, "b2"))
    order: list[Answer] = []
    answers = [
        submit(actor, person, command, order)
        for person, command in (
            (ANN, Move("b", 0, "c3")),
            (BEN, Move("c", 1, "c3")),
            (ANN, Chat("d", "hello")),
        )
    ]
    await node.settle()
    assert [(answer.code, answer.version) for answer in answers] == [("stale", None), (None, 4), (None, 4)]
    assert order == answers  # what waited kept its turn


async def test_an_id_that_another_node_answered_is_known(cluster: Cluster, node: Node) -> None:
    """Its effect is shown here too."""
    actor = await node.game()
    screen = node.join(actor)
    other = await Node(cluster, "two").registry.open(actor.id)
    await other.request(ANN, Move("a", 0, "b2"))
    await other.request(BEN, Move("b", 1, "a1"))
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3
    await node.settle()
    assert screen.room["game"]["moves"] == ["b2", "a1"]


async def test_a_room_that_changes_all_the_time_is_too_busy(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    cluster.store.hold_commits()
    answer = submit(actor, ANN, Chat("a", "hello"))
    for _ in range(MAX_CONFLICTS):
        assert answer.count == 0
        await raise_version(cluster, actor.id)
        cluster.store.release_commits(1)
        await node.settle()
    assert (answer.code, answer.count) == ("unavailable", 1)
    assert answer.rejection is not None
    assert answer.rejection.retry_ms
    cluster.store.release_commits()
    assert await actor.request(ANN, Chat("a", "hello")) == actor.room.version == 2 + MAX_CONFLICTS


async def test_a_room_that_another_node_closed_is_unknown(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    other = await Node(cluster, "two").registry.open(actor.id)
    await other.request(ANN, Close("a"))
    answers = [submit(actor, ANN, Chat("b", "hello")), submit(actor, BEN, Chat("c", "hello"))]
    await node.settle()
    assert [answer.code for answer in answers] == ["unknown_room", "unknown_room"]
    assert actor.closed


# --- a store that is away -------------------------------------------------------------------------------------------


async def test_a_failed_commit_is_unavailable_and_can_be_sent_again(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    screen = node.join(actor)
    await node.settle()
    screen.clear()
    cluster.store.down = True
    answer = submit(actor, ANN, Move("a", 0, "b2"))
    await node.settle()
    assert answer.rejection is not None
    assert (answer.code, answer.rejection.retry_ms) == ("unavailable", RETRY_MS)
    cluster.store.down = False
    await node.probe_store()
    assert actor.room.version == 2
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3
    await node.settle()
    assert (screen.events, screen.versions) == (["moved"], [3])


async def test_a_lost_answer_is_unknown_until_the_room_is_read_again(cluster: Cluster, node: Node) -> None:
    """What was stored is then shown once, and its id is known."""
    actor = await node.game()
    screen = node.join(actor)
    await node.settle()
    screen.clear()
    cluster.store.loses_answers = True
    answer = submit(actor, ANN, Move("a", 0, "b2"))
    await node.settle()
    assert (answer.code, screen.messages) == ("unavailable", [])
    cluster.store.loses_answers = False
    await node.probe_store()
    assert (screen.versions, screen.room["game"]["moves"]) == ([3], ["b2"])
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3
    assert await actor.request(BEN, Move("b", 1, "a1")) == 4
    await node.settle()
    assert screen.versions == [3, 4]


async def test_a_lost_answer_is_found_without_anyone_asking(cluster: Cluster, node: Node) -> None:
    """The room is woken after a pause, and the store need not have been away for others."""
    actor = await node.game()
    screen = node.join(actor)
    cluster.store.loses_answers = True
    assert await code_of(actor.request(ANN, Move("a", 0, "b2"))) == "unavailable"
    cluster.store.loses_answers = False
    assert node.wakes.at_ms(actor.id) == cluster.clock.ms + RETRY_MS
    node.downtime.end(cluster.clock.ms)
    cluster.clock.ms += RETRY_MS
    await node.wake_rooms()
    assert screen.room["game"]["moves"] == ["b2"]


async def test_nothing_is_asked_of_a_store_that_is_away(cluster: Cluster, node: Node) -> None:
    actor, other = await node.game(), await node.game()
    await actor.request(ANN, Move("a", 0, "b2"))
    cluster.store.down = True
    assert await code_of(other.request(ANN, Chat("b", "hello"))) == "unavailable"
    changes = len(cluster.store.changes)
    assert submit(actor, BEN, Move("c", 1, "a1")).code == "unavailable"
    assert submit(actor, ANN, Move("a", 0, "b2")).version == 3  # what is known needs no store
    assert len(cluster.store.changes) == changes


async def test_what_waits_for_a_room_that_cannot_be_read_is_rejected(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    cluster.store.loses_answers = True
    assert await code_of(actor.request(ANN, Move("a", 0, "b2"))) == "unavailable"
    cluster.store.failing.add("load")
    answers = [submit(actor, BEN, Chat(id, "hello")) for id in "bc"]
    await node.settle()
    assert [(answer.code, answer.count) for answer in answers] == [("unavailable", 1)] * 2
    cluster.store.failing.clear()
    cluster.store.loses_answers = False
    await node.probe_store()
    assert await actor.request(BEN, Move("d", 1, "a1")) == 4


async def test_a_stored_room_that_cannot_be_decoded_is_unavailable(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    await raise_version(cluster, actor.id, b"no room")
    assert await code_of(actor.request(ANN, Move("a", 0, "b2"))) == "unavailable"
    assert not actor.closed


async def test_a_move_is_not_charged_for_downtime(cluster: Cluster, node: Node) -> None:
    """Also where the game asked nothing of the store meanwhile; and once only."""
    actor, other = await node.timed_game(MoveClock(10_000)), await node.game()
    cluster.clock.ms += 5_000
    cluster.store.down = True
    assert await code_of(other.request(EVE, React("a", "👍"))) == "unavailable"
    cluster.clock.ms += 60_000
    actor.wake()
    assert actor.room.playing
    cluster.store.down = False
    await node.probe_store()
    assert actor.room.playing
    assert node.wakes.at_ms(actor.id) == cluster.clock.ms + 5_000
    cluster.clock.ms += 4_999
    await node.wake_rooms()
    assert actor.room.playing
    cluster.clock.ms += 1
    await node.wake_rooms()
    assert actor.room.game is not None
    assert actor.room.game.outcome is not None
    assert actor.room.game.outcome.reason == "timeout"


async def test_downtime_is_compensated_with_the_next_command_too(cluster: Cluster, node: Node) -> None:
    actor = await node.timed_game(FischerClock(600_000, 0))
    node.downtime.add(cluster.clock.ms + 1_000, cluster.clock.ms + 61_000)
    cluster.clock.ms += 100_000
    await actor.request(BEN, Chat("a", "hello"))
    await actor.request(ANN, Move("b", 2, "c3"))
    assert actor.room.game is not None
    assert actor.room.game.left_ms.X == 560_000


async def test_no_flag_falls_while_the_store_is_away(cluster: Cluster, node: Node) -> None:
    actor = await node.timed_game(MoveClock(10_000))
    cluster.clock.ms += 5_000
    cluster.store.down = True
    assert await code_of(actor.request(ANN, Chat("a", "hello"))) == "unavailable"
    for _ in range(3):
        cluster.clock.ms += 10_000
        actor.wake()
        await node.settle()
        assert actor.room.playing
    cluster.store.down = False
    await node.probe_store()
    assert node.wakes.at_ms(actor.id) == cluster.clock.ms + 5_000


# --- closed rooms ---------------------------------------------------------------------------------------------------


async def test_a_closed_room_is_shown_once_more_and_then_gone(cluster: Cluster, node: Node) -> None:
    """Everybody gets the closed view, then 4410. What waited for the room, and what comes later, is rejected."""
    actor = await node.game()
    pages = [node.join(actor, person) for person in (ANN, None)]
    await node.settle()
    answers = [submit(actor, ANN, Close("a")), submit(actor, BEN, Chat("b", "hello"))]
    await node.settle()
    for screen in pages:
        assert (screen.room["phase"], screen.events[-1], screen.code) == ("closed", "closed", ROOM_CLOSED)
    assert (answers[0].version, answers[1].code) == (3, "unknown_room")
    assert submit(actor, EVE, Chat("c", "hello")).code == "unknown_room"
    assert actor.closed
    assert node.wakes.at_ms(actor.id) is None
    assert await cluster.store.load(actor.id) is None


async def test_a_room_that_nobody_uses_expires(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    at_ms = node.wakes.at_ms(actor.id)
    assert at_ms == actor.room.used_ms + node.policy.playing_ms
    cluster.clock.ms = at_ms
    await node.wake_rooms()
    assert actor.closed
    assert await cluster.store.load(actor.id) is None


# --- time and the network ---------------------------------------------------------------------------------------------


async def test_a_claim_comes_with_time_and_goes_with_the_return(cluster: Cluster, node: Node) -> None:
    """Both are versions of their own."""
    actor = await node.game()
    x, o = node.join(actor, ANN), node.join(actor, BEN)
    node.leave(actor, o)
    await node.settle()
    cluster.clock.ms += node.policy.grace_ms - 1
    await node.wake_rooms()
    assert "claim:win" not in x.can
    cluster.clock.ms += 1
    await node.wake_rooms()
    assert (actor.room.version, x.events, "claim:win" in x.can) == (3, ["claimable"], True)
    node.join(actor, BEN)
    await node.wake_rooms()
    assert (actor.room.version, "claim:win" in x.can) == (4, False)


async def test_a_flag_waits_for_the_network(cluster: Cluster, node: Node) -> None:
    actor = await node.timed_game(MoveClock(10_000))
    x = node.join(actor, ANN)
    assert x.connection.timed
    node.join(actor, BEN)
    at_ms = node.wakes.at_ms(actor.id)
    assert at_ms is not None
    x.connection.lag_ms = 200
    actor.lag_measured()
    (await node.game()).lag_measured()  # a game without a clock
    assert node.wakes.at_ms(actor.id) == at_ms + 200


async def test_a_network_is_measured_only_where_a_clock_runs(node: Node) -> None:
    actor = await node.room()
    x = node.join(actor, ANN)
    timed = [x.connection.timed]
    for id, clock in (("a", MoveClock(10_000)), ("b", None)):
        await actor.request(ANN, Set(id, clock=clock))
        timed.append(x.connection.timed)
    assert timed == [False, True, False]


async def test_a_reaction_is_sent_to_everybody_and_not_kept(node: Node) -> None:
    actor = await node.game()
    pages = [node.join(actor, BEN), node.join(actor)]
    await actor.request(ANN, React("a", "👍"))
    await node.settle()
    shown = {"type": "reaction", "from": {"player": "p_ann", "name": "Ann", "mark": "X"}, "emoji": "👍"}
    assert [screen.of("reaction") for screen in pages] == [[shown], [shown]]
    newcomer = node.join(actor)
    await node.settle()
    assert newcomer.of("reaction") == []


async def test_a_client_that_is_behind_is_sent_the_room_again(node: Node) -> None:
    actor = await node.game()
    screen = node.join(actor, ANN)
    other = node.join(actor, BEN)
    await node.settle()
    screen.clear()
    other.clear()
    actor.resend(screen.connection)
    await node.settle()
    assert (screen.versions, other.versions) == ([2], [])


# --- other nodes and other names ------------------------------------------------------------------------------------


async def test_a_change_of_another_node_is_shown_when_it_is_heard(cluster: Cluster, node: Node) -> None:
    two = Node(cluster, "two")
    actor = await node.game()
    other = await two.registry.open(actor.id)
    screen = two.join(other)
    await actor.request(ANN, Move("a", 0, "b2"))
    await two.hear()
    assert (screen.versions, screen.room["game"]["moves"]) == ([2, 3], ["b2"])
    loads = cluster.store.methods.count("load")
    other.changed_elsewhere(Change(actor.id, 1, 2))
    await two.settle()
    assert cluster.store.methods.count("load") == loads  # this node is ahead of that one


async def test_a_command_under_an_old_name_shows_the_new_one(node: Node) -> None:
    """It may have waited for its room while the player was renamed."""
    actor = await node.room()
    node.names.renamed(Person(BEN.player, "someone"))
    await actor.request(BEN, Sit("a", "O", actor.room.invite))
    assert HumanSeat(BEN.player, "someone") == actor.room.seats.O


async def test_a_new_name_reaches_the_visitors(node: Node) -> None:
    actor = await node.game()
    await actor.request(BEN, Chat("a", "hello"))
    actor.rename(Person(BEN.player, "Benjamin"))
    screen = node.join(actor)
    await node.settle()
    assert screen.of("chat")[0]["lines"][0]["from"]["name"] == "Benjamin"


# --- the engine's search --------------------------------------------------------------------------------------------


async def engine_game(node: Node) -> RoomActor:
    """Make a game against the engine on a clock, the engine to move."""
    return await node.room(MoveClock(60_000), opponent="engine", engines=("novice",), mark="O")


async def test_a_search_that_ended_leaves_the_engine_to_move_again(cluster: Cluster, node: Node) -> None:
    """At once if its answer was worthless, after a pause if it failed. A flag waits for neither."""
    actor = await engine_game(node)
    engine_ms = cluster.clock.ms + node.policy.engine_pace_ms
    cluster.clock.ms += 5_000
    at_ms, searches = [], []
    for retry in (False, True):
        actor.search = search = Search(1, (), False)
        actor.wake()
        at_ms.append(node.wakes.at_ms(actor.id))
        for ended in (Search(1, (), False), search):  # another one changes nothing
            actor.search_ended(ended, retry=retry)
            searches.append(actor.search)
        at_ms.append(node.wakes.at_ms(actor.id))
        assert searches[-2:] == [search, None]
    flag_ms = engine_ms - node.policy.engine_pace_ms + 30_000
    assert at_ms == [flag_ms, engine_ms, flag_ms, cluster.clock.ms + RETRY_MS]


async def test_a_search_is_called_off_with_its_game(node: Node) -> None:
    actor = await engine_game(node)
    searches = []
    for id, command in (("a", Chat("a", "hello")), ("b", Resign("b"))):
        actor.search = search = Search(1, (), False)
        await actor.request(ANN, command)
        searches.append((id, actor.search is search))
    assert searches == [("a", True), ("b", False)]


async def test_a_stored_change_that_was_not_asked_for_is_a_fault(node: Node) -> None:
    """An answer of the store has a commit that waits for it."""
    actor = await node.game()
    with pytest.raises(RuntimeError):
        actor.commit_answered(Change(actor.id, 2, 3), Stored(3))
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3


# --- letting go -----------------------------------------------------------------------------------------------------


async def test_an_actor_is_idle_only_when_nothing_would_be_lost(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    idle = [actor.idle]
    screen = node.join(actor)
    idle.append(actor.idle)
    node.leave(actor, screen)
    idle.append(actor.idle)
    cluster.store.hold_commits()
    submit(actor, ANN, Move("a", 0, "b2"))
    idle.append(actor.idle)
    cluster.store.release_commits()
    await node.settle()
    idle.append(actor.idle)
    actor.search = Search(1, (), False)
    idle.append(actor.idle)
    assert idle == [True, False, True, False, True, False]


# --- what was stored and never shown --------------------------------------------------------------------------------


async def test_a_room_that_did_not_change_is_not_shown_again(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    screen = node.join(actor)
    await node.settle()
    screen.clear()
    cluster.store.down = True
    await code_of(actor.request(ANN, Move("a", 0, "b2")))
    cluster.store.down = False
    await node.probe_store()
    assert screen.messages == []


async def test_a_chat_line_whose_answer_was_lost_is_shown_once(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    await actor.request(ANN, Chat("a", "one"))
    screen = node.join(actor)
    cluster.store.loses_answers = True
    assert await code_of(actor.request(BEN, Chat("b", "two"))) == "unavailable"
    cluster.store.loses_answers = False
    await node.probe_store()
    assert await actor.request(BEN, Chat("b", "two")) == 2
    await actor.request(ANN, Chat("c", "three"))
    newcomer = node.join(actor)
    await node.settle()
    assert (screen.chat, newcomer.chat) == (["one", "two", "three"], ["one", "two", "three"])


async def test_a_room_whose_end_was_not_acknowledged_is_gone_too(cluster: Cluster, node: Node) -> None:
    """Also from the lobby."""
    actor = await node.room(opponent="anyone")
    screen = node.join(actor, ANN)
    await node.send_notices()
    cluster.store.loses_answers = True
    assert await code_of(actor.request(ANN, Close("a"))) == "unavailable"
    cluster.store.loses_answers = False
    await node.probe_store()
    assert (screen.room["phase"], screen.events, screen.code) == ("closed", ["closed"], ROOM_CLOSED)
    assert node.wakes.at_ms(actor.id) is None
    assert node.notices.at_ms(LOBBY) is not None


async def test_a_seat_whose_taking_was_not_acknowledged_is_shown_everywhere(cluster: Cluster, node: Node) -> None:
    """In the room, in its crowd and in the lobby."""
    actor = await node.room(opponent="anyone")
    screen = node.join(actor, ANN)
    node.join(actor, BEN)
    cluster.clock.ms += CROWD_INTERVAL_MS
    await node.send_notices()
    cluster.store.loses_answers = True
    await code_of(actor.request(BEN, Sit("a", "O")))
    cluster.store.loses_answers = False
    await node.probe_store()
    assert screen.room["phase"] == "playing"
    assert node.notices.at_ms(LOBBY) is not None
    cluster.clock.ms += CROWD_INTERVAL_MS
    await node.send_notices()
    assert (screen.crowd["spectators"], screen.crowd["seats"]["O"]["present"]) == (0, True)


async def test_the_end_of_a_room_is_heard_from_another_node(cluster: Cluster, node: Node) -> None:
    two = Node(cluster, "two")
    actor = await node.game()
    other = await two.registry.open(actor.id)
    screen = two.join(other)
    await actor.request(ANN, Close("a"))
    await two.hear()
    assert (screen.room["phase"], screen.events, screen.code) == ("closed", ["closed"], ROOM_CLOSED)
    assert other.closed


async def test_a_chat_line_of_another_node_is_heard(cluster: Cluster, node: Node) -> None:
    """Also by a node that is ahead, or that stores a change just then."""
    two = Node(cluster, "two")
    actor = await node.game()
    other = await two.registry.open(actor.id)
    screen = two.join(other)
    await actor.request(ANN, Chat("a", "one"))
    await other.request(ANN, Move("b", 0, "b2"))
    await two.hear()
    assert screen.chat == ["one"]
    await node.hear()
    await actor.request(ANN, Chat("c", "two"))
    cluster.store.hold_commits()
    answer = submit(other, BEN, Chat("d", "three"))
    await two.hear()
    cluster.store.release_commits()
    await two.settle()
    assert (answer.version, sorted(screen.chat)) == (3, ["one", "three", "two"])
    newcomer = two.join(other)
    await two.settle()
    assert newcomer.chat == ["one", "two", "three"]


async def test_a_change_that_is_heard_while_the_room_is_read_is_read(cluster: Cluster, node: Node) -> None:
    two = Node(cluster, "two")
    actor = await node.game()
    await actor.request(ANN, Chat("a", "hello"))
    other = await two.registry.open(actor.id)
    screen = two.join(other)
    await actor.request(ANN, Move("b", 0, "b2"))
    gate = cluster.store.hold("names")
    await two.hear()
    await actor.request(BEN, Move("c", 1, "a1"))
    await two.hear()
    gate.set()
    await two.settle()
    assert screen.room["game"]["moves"] == ["b2", "a1"]


async def test_a_room_that_could_not_be_read_is_tried_again(cluster: Cluster, node: Node) -> None:
    """Nobody need ask for it."""
    two = Node(cluster, "two")
    actor = await node.game()
    other = await two.registry.open(actor.id)
    screen = two.join(other)
    await raise_version(cluster, actor.id, b"no room")
    other.changed_elsewhere(Change(actor.id, 2, 3))
    await two.settle()
    stored = await cluster.store.load(actor.id)
    assert stored is not None
    await cluster.store.commit_at_once(Change(actor.id, 3, 4, room_bytes(replace(actor.room, version=4))))
    cluster.clock.ms += RETRY_MS
    await two.wake_rooms()
    assert screen.versions == [2, 4]
