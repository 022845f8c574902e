"""Every command to a tournament: what it does, and when it is rejected."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from noughts.tournament.commands import (
    Annul,
    Extend,
    FreeEntrant,
    Leave,
    Pause,
    Remove,
    RenameEntrant,
    Report,
    Reported,
    Start,
    Stop,
    TournamentCommand,
    Unpause,
)
from noughts.tournament.orders import orders
from noughts.tournament.timers import ROUND_MS
from noughts.tournament.tournament import MAX_ANNULLED
from noughts.tournament.transition import Began, Ended, Started
from tests.support.tournament_play import Play, begun, ended, opened

MINUTE_MS = 60_000
HOST_COMMANDS: tuple[TournamentCommand, ...] = (
    Start("1"), Stop("1"), Extend("1", 5), Remove("1", 1), FreeEntrant("1", 1), RenameEntrant("1", 1, "Zoe"), Annul("1", 1),
)  # fmt: skip


def rung() -> Play:
    play = begun()
    play.host(Stop("stop"))
    return play


def left() -> Play:
    play = opened()
    play.entrant(1, Leave("1"))
    return play


def removed() -> Play:
    play = opened()
    play.host(Remove("1", 1))
    return play


def paused() -> Play:
    play = opened()
    play.entrant(1, Pause("1"))
    return play


def round_robin() -> Play:
    play = Play("round_robin", 3)
    play.start()
    return play


def second_round() -> Play:
    play = Play("knockout", 4)
    play.start()
    for match in play.value.matches:
        play.play(match, match.first, match.first)
    play.wait(ROUND_MS)
    return play


def bye() -> Play:
    play = Play("knockout", 3)
    play.start()
    return play


def as_host(command: TournamentCommand) -> Callable[[Play], None]:
    return lambda play: play.host(command)


def as_first(command: TournamentCommand) -> Callable[[Play], None]:
    return lambda play: play.entrant(1, command)


def finished_bye(play: Play) -> None:
    record = next(match for match in play.records.values() if not match.second)
    play.host(Annul("1", record.number), record)


def first_match(play: Play) -> None:
    play.host(Annul("1", 1), play.records[1])


def whole_knockout() -> Play:
    play = second_round()
    play.play_all(lambda match: match.first)
    return play


def annulled() -> Play:
    play = begun()
    play.host(Annul("1", 1))
    return play


REJECTIONS: dict[str, tuple[Callable[[], Play], Callable[[Play], None], str]] = {
    "start again": (begun, as_host(Start("1")), "forbidden"),
    "start with one": (lambda: Play("arena", 1), as_host(Start("1")), "forbidden"),
    "stop again": (rung, as_host(Stop("1")), "forbidden"),
    "stop after the end": (ended, as_host(Stop("1")), "forbidden"),
    "extend before the start": (opened, as_host(Extend("1", 5)), "forbidden"),
    "extend after the bell": (rung, as_host(Extend("1", 5)), "forbidden"),
    "extend a round robin": (round_robin, as_host(Extend("1", 5)), "forbidden"),
    "remove nobody": (opened, as_host(Remove("1", 4)), "bad_message"),
    "remove again": (removed, as_host(Remove("1", 1)), "forbidden"),
    "remove after the end": (ended, as_host(Remove("1", 1)), "forbidden"),
    "rename nobody": (opened, as_host(RenameEntrant("1", 4, "Zoe")), "bad_message"),
    "a name in use": (opened, as_host(RenameEntrant("1", 1, "player 2")), "forbidden"),
    "annul nothing": (begun, as_host(Annul("1", 9)), "bad_message"),
    "annul again": (annulled, first_match, "forbidden"),
    "annul a bye": (bye, finished_bye, "forbidden"),
    "annul a semifinal in the final": (second_round, first_match, "forbidden"),
    "annul in a knockout that is over": (whole_knockout, first_match, "forbidden"),
    "leave again": (left, as_first(Leave("1")), "forbidden"),
    "leave after the end": (ended, as_first(Leave("1")), "forbidden"),
    "pause again": (paused, as_first(Pause("1")), "forbidden"),
    "pause after leaving": (left, as_first(Pause("1")), "forbidden"),
    "pause after the end": (ended, as_first(Pause("1")), "forbidden"),
    "resume after the end": (ended, as_first(Unpause("1")), "forbidden"),
    "resume after being removed": (removed, as_first(Unpause("1")), "forbidden"),
}


@pytest.mark.parametrize("case", REJECTIONS)
def test_a_command_is_rejected_and_changes_nothing(case: str) -> None:
    make, act, code = REJECTIONS[case]
    play = make()
    play.rejects(code, lambda: act(play))


@pytest.mark.parametrize("command", HOST_COMMANDS, ids=lambda command: type(command).__name__)
def test_only_the_host_commands_the_tournament(command: TournamentCommand) -> None:
    for play in (opened(), begun(), ended()):
        play.rejects("forbidden", as_of(play, command))


def as_of(play: Play, command: TournamentCommand) -> Callable[[], None]:
    return lambda: play.entrant(1, command)


@pytest.mark.parametrize("command", [Leave("1"), Pause("1"), Unpause("1")], ids=lambda command: type(command).__name__)
def test_only_entrants_leave_pause_and_resume(command: TournamentCommand) -> None:
    play = begun()
    play.rejects("not_seated", lambda: play.entrant(9, command))
    play.rejects("not_seated", lambda: play.host(command))


# --- the host ---------------------------------------------------------------------------------------------------------


def test_stop_before_the_start_ends_the_tournament() -> None:
    play = ended()
    assert play.state() == "over"
    assert play.value.over_ms == play.now_ms
    assert play.value.matches == ()


def test_extend_moves_the_bell() -> None:
    play = begun()
    bell_ms = play.value.bell_ms
    play.host(Extend("1", 180))
    assert bell_ms is not None
    assert play.value.bell_ms == bell_ms + 180 * MINUTE_MS


def test_rename_changes_the_name_in_the_list_too() -> None:
    play = Play("arena", entry="names", names=("Ann", "Bob", "Cat"))
    play.join(1, "Ann")
    play.rejects("forbidden", lambda: play.host(RenameEntrant("1", 1, "Cat")))
    play.host(RenameEntrant("1", 1, "Anna"))
    assert play.value.names == ("Anna", "Bob", "Cat")
    assert play.value.entrant(1).name == "Anna"


def test_free_gives_the_name_away_and_lets_the_player_come_back() -> None:
    play = Play("arena", entry="names", names=("Ann", "Bob"))
    play.join(1, "Ann")
    play.host(FreeEntrant("1", 1))
    assert play.join(2, "Ann").number == 2
    assert play.join(1, "Bob").number == 1
    assert [(each.name, each.standing) for each in play.value.entrants] == [("Bob", "here"), ("Ann", "here")]
    play.host(Remove("2", 2))
    play.host(FreeEntrant("3", 2))
    play.rejects("forbidden", lambda: play.host(FreeEntrant("4", 2)))
    play.host(Remove("5", 2))
    play.rejects("forbidden", lambda: play.join(2, "Ann"))
    assert play.join(3, "Ann").number == 3


def test_a_match_that_is_on_can_be_annulled() -> None:
    play = begun()
    match = play.value.matches[0]
    play.end(match, match.first)
    play.host(Annul("1", match.number))
    assert play.records[match.number].state == "annulled"
    assert [(order.what, order.match.number) for order in orders(play.value)] == [("close", match.number)]
    play.tell(Reported((Report(match.number, 2),)))
    assert len(orders(play.value)) == 1
    play.tell(Reported((Report(match.number, 2, gone=True),)))
    assert orders(play.value) == []
    play.rejects("forbidden", lambda: play.host(Annul("2", match.number)))
    play.rejects("forbidden", lambda: play.host(Annul("3", match.number), play.records[match.number]))
    assert [entrant.points for entrant in play.value.entrants] == [0, 0, 0]
    play.wait(400)
    assert len(play.value.matches) == 1


def test_a_finished_match_loses_its_points_when_it_is_annulled() -> None:
    play = Play("round_robin", 2)
    play.start()
    match = play.value.matches[0]
    play.play(match, 1, 1)
    play.wait(ROUND_MS)
    assert play.state() == "over"
    assert play.value.entrant(1).points == 4
    play.host(Annul("1", 1), play.records[1])
    assert play.value.entrant(1).points == 0
    assert play.value.matches == ()


def test_the_start_and_the_end_are_events() -> None:
    """A tournament that is stopped before it started has no end to tell of."""
    assert ended().events == []
    play = Play("knockout", 2)
    play.start()
    assert play.events == [Started(), Began(1)]
    play.play_all()
    assert play.events[2:] == [Ended()]


def test_a_match_of_a_knockout_is_played_again() -> None:
    play = Play("knockout", 4)
    play.start()
    match = play.value.matches[0]
    play.play(match, match.first, match.first)
    assert play.value.entrant(match.second).standing == "out"
    play.host(Annul("1", match.number), play.records[match.number])
    again = play.value.matches[-1]
    assert again.sides == match.sides
    assert again.number == 3
    assert play.value.entrant(match.second).standing == "here"
    play.play_all(lambda match: match.second)
    assert play.state() == "over"


@pytest.mark.parametrize("mode", ["arena", "round_robin", "knockout"])
def test_a_match_annulled_after_the_bell_is_not_played_again(mode: str) -> None:
    """The tournament ends once the room of the match is closed."""
    play = Play(mode, 2)
    play.start()
    play.host(Stop("1"))
    play.host(Annul("1", 1))
    assert (play.state(), play.on()) == ("running", 0)
    play.tell(Reported((Report(1, 1, gone=True),)))
    assert play.state() == "over"


def test_a_match_of_a_round_robin_that_is_on_is_made_again() -> None:
    play = round_robin()
    match = play.value.matches[0]
    play.host(Annul("1", match.number))
    assert play.value.matches[0].sides == match.sides
    assert play.value.matches[0].number == 2


# --- entrants ---------------------------------------------------------------------------------------------------------


def test_one_who_pauses_is_not_paired() -> None:
    play = paused()
    play.start()
    assert play.value.matches[0].sides in ((2, 3), (3, 2))
    play.entrant(1, Unpause("2"))
    version = play.value.version
    play.entrant(1, Unpause("3"))
    assert play.value.version == version
    match = play.value.matches[0]
    play.play(match, None, None)
    play.wait(400)
    assert 1 in play.value.matches[0].sides


def test_one_who_left_comes_back_to_the_same_row() -> None:
    play = left()
    play.entrant(1, Unpause("2"))
    assert play.value.entrant(1).standing == "here"
    assert len(play.value.entrants) == 3


def test_leaving_in_a_game_waits_for_its_room() -> None:
    play = begun()
    match = play.value.matches[0]
    play.entrant(int(play.value.entrant(match.first).player[2:]), Leave("1"))
    assert play.value.matches[0].number == match.number
    play.end(match, match.second, "resignation")
    record = play.records[match.number]
    assert record.state == "forfeited"
    assert record.points == (0, 2)


def test_one_who_left_a_game_comes_back_after_its_match() -> None:
    """Otherwise the second game of the match would be played."""
    play = begun()
    match = play.value.matches[0]
    number = int(play.value.entrant(match.first).player[2:])
    play.entrant(number, Leave("1"))
    for back in (lambda: play.entrant(number, Unpause("2")), lambda: play.join(number)):
        play.rejects("forbidden", back)
    play.end(match, match.second, "resignation")
    assert play.records[match.number].state == "forfeited"
    play.entrant(number, Unpause("3"))
    assert play.value.entrant(match.first).standing == "here"


def test_few_annulled_matches_are_remembered() -> None:
    play = Play("arena", 2, minutes=180)
    play.start()
    for number in range(MAX_ANNULLED + 2):
        play.host(Annul(f"{number}", play.value.matches[0].number))
        play.make_rooms()
        play.wait(20_000)
    assert len(play.value.annulled) == MAX_ANNULLED
    play.rejects("forbidden", lambda: play.host(Annul("again", 1), play.records[1]))


def test_leaving_between_games_forfeits_the_rest() -> None:
    play = Play("round_robin", 2)
    play.host(Start("1"))
    match = play.value.matches[0]
    play.entrant(match.first, Leave("1"))
    assert play.records[1].state == "forfeited"
    assert play.records[1].points == (0, 4)
    assert play.value.entrant(match.second).wins == 0
