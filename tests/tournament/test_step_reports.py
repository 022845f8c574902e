"""What a tournament learns from its rooms, from its players' accounts, and from the operator."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.room.seat import SOMEONE
from noughts.tournament.commands import (
    Discard,
    Ending,
    Forget,
    Leave,
    Recount,
    Remove,
    Report,
    Reported,
    Request,
    Start,
)
from noughts.tournament.tournament import Match
from noughts.tournament.transition import Began
from tests.support.tournament_play import Play, begun, ended, person

MINUTE_MS = 60_000


def round_robin() -> Play:
    play = Play("round_robin", 3)
    play.start()
    return play


# --- reports ----------------------------------------------------------------------------------------------------------


def test_each_report_counts_once() -> None:
    play = begun()
    match = play.value.matches[0]
    play.end(match, match.first)
    points = play.value.entrant(match.first).points
    before = play.value
    ended = Report(match.number, 1, Ending("X", "line", 5, (0, 0)))
    play.tell(Reported((Report(match.number, 1), ended, Report(99, 1))))
    assert play.value is before
    play.end(Match(match.number, 0, match.first, match.second, 0), None)
    assert play.value.entrant(match.first).points == points + 1


def test_a_match_begins_when_its_room_is_ready() -> None:
    play = Play("arena", 2)
    play.host(Start("1"))
    assert play.stages() == {"room"}
    assert Began(1) not in play.events
    play.tell(Reported((Report(1, 1, gone=True),)))
    assert play.stages() == {"room"}
    play.make_rooms()
    assert play.stages() == {"on"}
    assert play.events.count(Began(1)) == 1


def test_a_room_that_is_gone_annuls_its_match() -> None:
    play = round_robin()
    match = play.value.matches[0]
    play.tell(Reported((Report(match.number, 1, gone=True),)))
    assert play.records[match.number].state == "annulled"
    assert play.value.matches[0].sides == match.sides
    assert play.value.to_close == ()


# --- names ------------------------------------------------------------------------------------------------------------


def test_a_deleted_player_is_someone() -> None:
    play = begun()
    match = play.value.matches[0]
    gone = play.value.entrant(match.first).player
    play.tell(Forget(gone))
    entrant = play.value.entrant(match.first)
    assert (entrant.name, entrant.standing) == (SOMEONE, "left")
    version = play.value.version
    play.tell(Forget(gone))
    assert play.value.version == version
    play.host(Remove("1", match.second))
    play.tell(Forget(play.value.entrant(match.second).player))
    assert play.value.entrant(match.second).standing == "removed"
    assert play.value.entrant(match.second).name == SOMEONE


def test_totals_are_counted_again() -> None:
    play = begun()
    match = play.value.matches[0]
    play.play(match, match.first, None)
    whole, records = play.value, tuple(play.records.values())
    play.tell(Recount(whole.version, records))
    assert play.value is whole
    entrants = tuple([replace(entrant, points=9, games=1) for entrant in whole.entrants])
    play.value = replace(whole, entrants=entrants)
    play.rejects("stale", lambda: play.tell(Recount(whole.version - 1, records)))
    play.tell(Recount(whole.version, records))
    assert play.value.entrants == whole.entrants


def test_the_operator_discards_a_tournament() -> None:
    play = begun()
    play.tell(Discard())
    assert play.value.closed


def test_a_tournament_that_expired_takes_no_command() -> None:
    play = ended()
    play.wait(31 * 24 * 60 * MINUTE_MS)
    assert play.value.closed
    play.rejects("forbidden", lambda: play.tell(Request(person(1), Leave("1"))))
