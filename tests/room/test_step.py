"""Every command of a person: what it does, and every code that refuses it, in the order of precedence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from noughts.room.commands import Chat, Close, EngineAnswered, EngineMoved, Free, Mute, React, Renamed, RoomCommand, Set
from noughts.room.events import Closed, Ended, Moved, Reacted, Said, Sat, Settings, Started, Stood
from noughts.room.room import House
from noughts.room.seat import Person
from tests.room.play import (
    ADA,
    BOB,
    CAT,
    INVITE,
    MOVE_5S,
    Play,
    against_engine,
    answer,
    claim,
    engines,
    finished,
    move,
    new_room,
    offer,
    pair,
    resign,
    seat_engine,
    sit,
    stand,
    stood_in,
)

DEE = Person("p_dee", "Dee")


def alone() -> Play:
    """Ada waits for a friend."""
    return Play(new_room())


def playing() -> Play:
    """b2, a1 are played: Ada (X) is to move."""
    play = pair()
    play.moves("b2", "a1")
    return play


def closed() -> Play:
    play = playing()
    play.does(ADA, Close("c"))
    return play


def timed_out() -> Play:
    """Ada's flag has fallen and nothing has been settled yet."""
    play = pair(clock=MOVE_5S)
    play.moves("b2", "a1")
    play.now_ms += 5_000
    return play


def declined() -> Play:
    """Bob has just declined Ada's draw."""
    play = playing()
    play.does(ADA, offer("draw"))
    play.does(BOB, answer("draw", False))
    return play


def bob_gone() -> Play:
    """Bob is away for so long that Ada has a choice."""
    play = playing()
    play.leaves(BOB)
    play.wait(30_000)
    return play


def bob_left_a_finished_game() -> Play:
    play = finished()
    play.leaves(BOB)
    return play


# Each row: where, who, what, and the first code that applies. The rows of a command stand in the order of precedence,
# and each but the last of a kind also has a reason for a later code, so that the order itself is seen.
REFUSALS: list[tuple[Callable[[], Play], Person, RoomCommand, str]] = [
    # move: not_seated, not_playing or game_over, stale, not_your_turn, illegal_move
    (alone, CAT, move(7, "z9", game=9), "not_seated"),
    (playing, CAT, move(7, "z9", game=9), "not_seated"),
    (alone, ADA, move(7, "z9", game=9), "not_playing"),
    (finished, BOB, move(7, "z9", game=9), "game_over"),
    (timed_out, ADA, move(2, "c3"), "game_over"),
    (timed_out, BOB, move(9, "z9", game=9), "game_over"),
    (playing, BOB, move(2, "z9", game=2), "stale"),
    (playing, BOB, move(1, "z9"), "stale"),
    (playing, BOB, move(3, "z9", game=1), "stale"),
    (playing, ADA, move(0, "b2"), "stale"),
    (playing, BOB, move(2, "z9", game=1), "not_your_turn"),
    (playing, BOB, move(2, "c3"), "not_your_turn"),
    (stood_in, BOB, move(0, "z9"), "not_your_turn"),
    (playing, ADA, move(2, "b2"), "illegal_move"),
    (playing, ADA, move(2, "d1"), "illegal_move"),
    (playing, ADA, move(2, "A2"), "illegal_move"),
    (playing, ADA, move(2, "a2.1"), "illegal_move"),
    (playing, ADA, move(2, "a1000000"), "illegal_move"),
    # resign
    (playing, CAT, resign(9), "not_seated"),
    (alone, ADA, resign(9), "not_playing"),
    (finished, ADA, resign(9), "game_over"),
    (timed_out, BOB, resign(), "game_over"),
    (playing, ADA, resign(2), "stale"),
    # offer
    (playing, CAT, offer("draw", 9), "not_seated"),
    (playing, CAT, offer("rematch", 9), "not_seated"),
    (declined, ADA, offer("draw", 9), "rate_limited"),
    (declined, ADA, offer("draw"), "rate_limited"),
    (alone, ADA, offer("draw", 9), "not_playing"),
    (alone, ADA, offer("takeback"), "not_playing"),
    (finished, ADA, offer("draw", 9), "game_over"),
    (finished, ADA, offer("takeback"), "game_over"),
    (timed_out, ADA, offer("draw"), "game_over"),
    (playing, ADA, offer("draw", 2), "stale"),
    (playing, ADA, offer("rematch", 2), "stale"),
    (alone, ADA, offer("rematch", 1), "stale"),
    (finished, ADA, offer("rematch", 2), "stale"),
    (alone, ADA, offer("rematch"), "forbidden"),
    (playing, ADA, offer("rematch"), "forbidden"),
    (pair, ADA, offer("takeback"), "forbidden"),
    # answer
    (finished, CAT, answer("rematch", True, 9), "not_seated"),
    (alone, ADA, answer("draw", True, 9), "not_playing"),
    (finished, ADA, answer("draw", True, 9), "game_over"),
    (playing, ADA, answer("draw", True, 2), "stale"),
    (finished, ADA, answer("rematch", True, 2), "stale"),
    (playing, ADA, answer("draw", True), "forbidden"),
    (playing, ADA, answer("takeback", False), "forbidden"),
    (finished, ADA, answer("rematch", False), "forbidden"),
    # claim
    (bob_gone, CAT, claim("win", 9), "not_seated"),
    (alone, ADA, claim("win", 9), "not_playing"),
    (finished, ADA, claim("win", 9), "game_over"),
    (bob_gone, ADA, claim("win", 9), "stale"),
    (playing, ADA, claim("win"), "forbidden"),
    (bob_gone, BOB, claim("win"), "forbidden"),
    # sit
    (playing, CAT, sit("O"), "seat_taken"),
    (playing, ADA, sit("X"), "seat_taken"),
    (playing, ADA, sit("O"), "seat_taken"),
    (against_engine, CAT, sit("O", INVITE), "seat_taken"),
    (stood_in, CAT, sit("O", INVITE), "seat_taken"),
    (alone, ADA, sit("O", INVITE), "forbidden"),
    (alone, BOB, sit("O"), "forbidden"),
    (alone, BOB, sit("O", "the-invitf"), "forbidden"),
    (alone, BOB, sit("O", ""), "forbidden"),
    # stand
    (playing, CAT, stand(), "not_seated"),
    (alone, CAT, stand(), "not_seated"),
    (playing, ADA, stand(), "forbidden"),
    # seat_engine
    (alone, CAT, seat_engine("X", "strongest"), "bad_message"),
    (alone, CAT, seat_engine("X"), "not_seated"),
    (bob_gone, CAT, seat_engine("O"), "not_seated"),
    (alone, ADA, seat_engine("X"), "seat_taken"),
    (playing, ADA, seat_engine("O"), "seat_taken"),
    (playing, ADA, seat_engine("X"), "seat_taken"),
    (against_engine, ADA, seat_engine("O"), "seat_taken"),
    (stood_in, ADA, seat_engine("O"), "seat_taken"),
    (bob_left_a_finished_game, ADA, seat_engine("O"), "seat_taken"),
    # set
    (playing, CAT, Set("c", variant="chess"), "bad_message"),
    (finished, BOB, Set("c", variant="4x4"), "forbidden"),
    (finished, CAT, Set("c", spectator_chat="off"), "forbidden"),
    (playing, ADA, Set("c", visibility="public"), "forbidden"),
    # free
    (finished, BOB, Free("c", "X"), "forbidden"),
    (playing, ADA, Free("c", "O"), "forbidden"),
    (stood_in, ADA, Free("c", "O"), "forbidden"),
    (alone, ADA, Free("c", "O"), "forbidden"),
    (finished, ADA, Free("c", "O"), "forbidden"),
    # mute, close
    (playing, BOB, Mute("c", CAT.player, True), "forbidden"),
    (playing, ADA, Mute("c", ADA.player, True), "forbidden"),
    (playing, BOB, Close("c"), "forbidden"),
    # a closed room
    (closed, ADA, move(2, "c3"), "forbidden"),
    (closed, ADA, Chat("c", "hello"), "forbidden"),
    (closed, ADA, Close("c"), "forbidden"),
    (closed, CAT, sit("X"), "forbidden"),
]


@pytest.mark.parametrize(
    ("where", "who", "command", "code"),
    REFUSALS,
    ids=[f"{row[0].__name__}-{row[1].name}-{type(row[2]).__name__}-{row[3]}-{n}" for n, row in enumerate(REFUSALS)],
)
def test_the_first_code_that_applies_refuses_and_nothing_changes(
    where: Callable[[], Play], who: Person, command: RoomCommand, code: str
) -> None:
    rejection = where().refused_by(who, command)
    assert rejection.code == code
    assert rejection.message.endswith((".", "!", "?"))


def test_a_move_is_made_recorded_and_told() -> None:
    play = pair()
    play.now_ms += 700
    assert play.does(ADA, move(0, "b2", game=1)) == (Moved("X", "b2", "p_ada"),)
    assert play.names == ("b2",)
    assert play.game.by == ("p_ada",)
    assert play.game.at_ms == (play.now_ms,)
    assert play.room.version == 2
    assert play.room.used_ms == play.now_ms
    assert play.game.turn == "O"


@pytest.mark.parametrize(
    "engine", [EngineMoved(2, 1, 4), EngineMoved(1, 0, 4), EngineMoved(1, 2, 4), EngineMoved(1, 1, 4, (8,))]
)
def test_the_engines_answer_to_another_game_ply_or_position_is_stale(engine: EngineMoved) -> None:
    play = against_engine()
    assert play.refused(EngineMoved(1, 0, 4)).code == "stale"
    play.moves("a1")
    assert play.refused(engine).code == "stale"
    assert play.refused(EngineAnswered(engine.game, engine.ply, True, engine.moves)).code == "stale"
    play.tell(EngineMoved(1, 1, 4))
    assert play.names == ("a1", "b2")


def test_the_engines_answer_to_a_finished_or_closed_game_is_stale() -> None:
    for end in (resign(), Close("c")):
        play = against_engine()
        play.moves("a1")
        play.does(ADA, end)
        assert play.refused(EngineMoved(1, 1, 4)).code == "stale"
    assert alone().refused(EngineMoved(1, 0, 4)).code == "stale"


def test_a_line_ends_the_game_with_its_cells_and_counts_in_the_score() -> None:
    play = pair()
    play.moves("a1", "a2", "b1", "b2", "c1")
    assert play.outcome == ("X", "line")
    assert play.game.outcome is not None
    assert play.game.outcome.cells == (0, 1, 2)
    assert play.events == (Ended(1, "X", "line", "X", "c1"),)
    assert play.room.phase == "finished"
    assert play.game.turn is None
    assert play.wins == {"p_ada": 1, "p_bob": 0}


def test_a_full_board_is_a_draw_and_counted() -> None:
    play = pair()
    play.moves("b2", "a1", "a2", "c2", "b1", "b3", "a3", "c1", "c3")
    assert play.outcome == (None, "full_board")
    assert play.room.draws == 1
    assert play.wins == {"p_ada": 0, "p_bob": 0}


def test_resigning_gives_the_game_to_the_other_side_also_out_of_turn() -> None:
    play = pair()
    assert play.does(BOB, resign(1)) == (Ended(1, "X", "resignation"),)
    assert play.wins == {"p_ada": 1, "p_bob": 0}


def test_no_move_is_refused_silently() -> None:
    play = playing()
    why = {play.refused_by(ADA, move(2, cell)).message for cell in ("b2", "a1", "z9")} | {
        play.refused_by(BOB, move(2, "c3")).message,
        play.refused_by(ADA, move(1, "c3")).message,
    }
    assert why == {
        "b2 is taken.",
        "a1 is taken.",
        "There is no cell z9 on this board.",
        "It is your opponent's turn.",
        "The position has changed: look again and move.",
    }


def test_an_illegal_command_leaves_the_same_object() -> None:
    play = playing()
    before = play.room
    assert play.code(BOB, move(0, "c3")) == "stale"
    assert play.code(BOB, move(2, "c3")) == "not_your_turn"
    assert play.room is before


def test_chat_is_told_with_the_ply_and_leaves_the_version() -> None:
    play = playing()
    before = play.room
    assert play.does(CAT, Chat("c", "well played")) == (Said("p_cat", "Cat", None, "well played", 2),)
    assert play.does(BOB, React("c", "👍")) == (Reacted("p_bob", "Bob", "O", "👍"),)
    assert play.room.version == before.version
    assert alone().does(ADA, Chat("c", "hello")) == (Said("p_ada", "Ada", "X", "hello", 0),)


@pytest.mark.parametrize("speech", [Chat("c", "hello"), React("c", "👍")])
def test_who_may_speak(speech: RoomCommand) -> None:
    play = playing()
    play.does(ADA, Mute("c", CAT.player, True))
    assert play.code(CAT, speech) == "forbidden"
    play.does(DEE, speech)
    play.does(ADA, Mute("c", CAT.player, False))
    play.does(CAT, speech)
    play.does(ADA, Mute("c", "spectators", True))
    assert play.code(CAT, speech) == "forbidden"
    play.does(BOB, speech)
    play.does(ADA, Mute("c", BOB.player, True))
    assert play.code(BOB, speech) == "forbidden"


@pytest.mark.parametrize(
    ("setting", "while_playing", "between"),
    [("always", True, True), ("between_games", False, True), ("off", False, False)],
)
def test_spectators_chat_as_the_owner_set_it(setting: str, while_playing: bool, between: bool) -> None:
    for where, allowed in ((pair(spectator_chat=setting), while_playing), (finished(spectator_chat=setting), between)):
        if allowed:
            where.does(CAT, Chat("c", "hello"))
        else:
            assert where.code(CAT, Chat("c", "hello")) == "forbidden"
        where.does(BOB, Chat("c", "hello"))


def test_an_owner_without_a_seat_may_always_speak() -> None:
    play = engines(spectator_chat="off")
    play.does(ADA, Mute("c", "spectators", True))
    play.does(ADA, Chat("c", "hello"))
    assert play.code(CAT, Chat("c", "hello")) == "forbidden"


def test_chat_that_the_operator_switched_off_is_off() -> None:
    play = pair(house=House(chat=False))
    assert play.code(ADA, Chat("c", "hello")) == "forbidden"
    assert play.code(ADA, React("c", "👍")) == "forbidden"


def test_a_muted_player_who_inherits_the_room_can_end_the_muting() -> None:
    play = finished()
    play.does(ADA, Mute("c", BOB.player, True))
    play.does(ADA, stand())
    assert play.room.owner == BOB
    play.does(BOB, Mute("c", BOB.player, False))
    play.does(BOB, Chat("c", "at last"))


def test_muting_is_bounded() -> None:
    play = playing()
    for n in range(200):
        play.does(ADA, Mute("c", f"p_{n}", True))
    assert play.code(ADA, Mute("c", "p_one-more", True)) == "forbidden"
    play.does(ADA, Mute("c", "p_7", True))
    play.does(ADA, Mute("c", "p_7", False))
    play.does(ADA, Mute("c", "p_one-more", True))


def test_the_owner_sets_what_the_next_game_is() -> None:
    play = finished()
    command = Set("c", variant="4x4", clock=MOVE_5S, visibility="public", spectator_chat="off")
    assert play.does(ADA, command) == (Settings(),)
    room = play.room
    assert (room.variant, room.clock, room.visibility, room.spectator_chat) == ("4x4", MOVE_5S, "public", "off")
    assert play.game.play.variant.key == "classic"
    play.does(ADA, offer("rematch"))
    play.does(BOB, offer("rematch"))
    assert play.game.play.variant.key == "4x4"
    assert (play.game.x_ms, play.game.o_ms) == (5_000, 5_000)
    play.does(ADA, resign())
    play.does(ADA, Set("c", clock=None))
    assert play.room.clock is None


def test_what_set_does_not_name_stays() -> None:
    play = finished(clock=MOVE_5S)
    play.does(ADA, Set("c", visibility="public"))
    assert (play.room.variant, play.room.clock, play.room.spectator_chat) == ("classic", MOVE_5S, "always")


def test_an_engine_whose_level_the_new_variant_lacks_gets_its_top_level() -> None:
    play = against_engine("perfect")
    play.does(ADA, resign())
    play.does(ADA, Set("c", variant="gomoku"))
    assert play.room.o is not None
    assert play.room.o.level == "strongest"  # type: ignore[union-attr]
    play.does(ADA, Set("c", variant="classic"))
    assert play.room.o.level == "perfect"  # type: ignore[union-attr]


def test_an_engine_keeps_a_level_that_the_new_variant_has() -> None:
    play = against_engine("casual")
    play.does(ADA, resign())
    play.does(ADA, Set("c", variant="gomoku"))
    assert play.room.o.level == "casual"  # type: ignore[union-attr]


def test_closing_ends_the_room_for_everybody_in_mid_game_too() -> None:
    play = playing()
    play.does(ADA, offer("draw"))
    assert play.does(ADA, Close("c")) == (Closed(),)
    assert play.room.phase == "closed"
    assert play.room.offers == ()
    assert not play.room.playing


def test_a_new_name_stands_everywhere_the_old_one_stood() -> None:
    play = stood_in()
    gone = Person(BOB.player, "someone")
    play.tell(Renamed(gone))
    assert play.room.o.holding_for == gone  # type: ignore[union-attr]
    assert play.game.o.name == "someone"  # type: ignore[union-attr]
    play.tell(Renamed(Person(ADA.player, "Ada L")))
    assert play.room.owner.name == play.room.x.name == play.game.x.name == "Ada L"  # type: ignore[union-attr]
    before = play.room
    play.tell(Renamed(Person(ADA.player, "Ada L")))
    assert play.room.version == before.version
    play.tell(Renamed(Person("p_nobody", "N")))
    assert play.room.version == before.version


def test_a_game_starts_by_itself_when_a_newcomer_completes_the_pair() -> None:
    play = alone()
    assert play.does(BOB, sit("O", INVITE)) == (Sat("O", "p_bob", "Bob"), Started(1))
    assert play.room.phase == "playing"


def test_versions_rise_by_one_with_each_change() -> None:
    play = alone()
    versions = [play.room.version]
    for who, command in (
        (BOB, sit("O", INVITE)),
        (ADA, move(0, "b2")),
        (BOB, move(1, "a1")),
        (ADA, offer("draw")),
        (BOB, answer("draw", True)),
        (BOB, stand()),
    ):
        play.does(who, command)
        versions.append(play.room.version)
    assert versions == list(range(1, 8))
    assert play.events == (Stood("O"),)
