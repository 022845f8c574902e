"""What a tournament's recipients are sent: views, their own part, small messages, tables."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from noughts.protocol.codec import MalformedCommandError, decode_hello, decode_tournament_command
from noughts.protocol.tournament_views import (
    TournamentMessages,
    board_view,
    exported_tournament,
    match_view,
    own_match,
    results_csv,
    room_of,
    tournament_view,
)
from noughts.room.clock import FIRST_MOVE_MS
from noughts.room.commands import Ping
from noughts.tournament.commands import FreeEntrant, Leave, Stop, Watch
from noughts.tournament.standings import standings
from noughts.tournament.tournament import Entrant, Tournament
from tests.support.room_play import match_play
from tests.support.tournament_play import HOST, Play, full_tournament, new_tournament, person

MAX_MESSAGE = 5 * 1024
NAMES = {HOST.player: HOST.name}


def message(value: Tournament, player: str | None) -> dict[str, Any]:
    """Return a message as its recipient reads it."""
    data = TournamentMessages().message(value, NAMES, player)
    assert len(data) <= MAX_MESSAGE
    fields: dict[str, Any] = json.loads(data)
    return fields


def begun(mode: str = "arena", count: int = 3) -> Play:
    play = Play(mode, count)
    play.start()
    return play


def test_a_view_counts_entrants() -> None:
    play = begun()
    view = tournament_view(play.value, standings(play.value), NAMES)
    assert (view.entrants, view.playing, view.waiting, view.round, view.rounds) == (3, 2, 1, 0, None)
    assert view.names_free is None
    named = new_tournament(entry="names", names=("Ann", "Bob"))
    assert tournament_view(named, (), NAMES).names_free == 2


def test_an_export_has_the_row_of_an_entrant_and_none_of_a_host() -> None:
    value = begun().value
    own = exported_tournament(value, person(2).player)
    assert (own.id, own.name, own.entrant) == (value.id, value.name, 2)
    assert own.row is not None
    hosted = exported_tournament(value, HOST.player)
    assert (hosted.entrant, hosted.row) == (None, None)


def test_an_entrant_is_sent_its_match() -> None:
    play = begun()
    match = play.value.matches[0]
    for side, mark in zip(match.sides, "XO", strict=True):
        you = message(play.value, person(side).player)["you"]
        other = play.value.entrant(match.other(side))
        assert you["match"] == {
            "n": match.number,
            "room": room_of(play.value, match.number),
            "mark": mark,
            "opponent": {"entrant": other.number, "name": other.name},
            "move_by_ms": match.began_ms + FIRST_MOVE_MS,
        }
        assert you["row"]["state"] == "playing"
    waiting = ({1, 2, 3} - set(match.sides)).pop()
    assert message(play.value, person(waiting).player)["you"]["match"] is None


def test_a_match_is_shown_once_its_room_is_ready() -> None:
    play = begun()
    match = play.value.matches[0]
    early = replace(play.value, matches=(replace(match, stage="room"),))
    assert own_match(early, early.entrant(match.first), early.matches[0]) is None
    assert own_match(play.value, None, None) is None


def test_only_the_host_and_entrants_get_the_pin() -> None:
    play = Play("arena", 2)
    play.value = replace(play.value, entrants=(*play.value.entrants, Entrant(3, "p_3", "Zoe", standing="removed")))
    assert message(play.value, HOST.player)["pin"] == message(play.value, "p_1")["pin"] == "123456"
    assert "pin" not in message(play.value, "p_3")
    assert "pin" not in message(play.value, "p_9")
    assert "pin" not in message(play.value, None)


def test_messages_of_a_full_tournament_are_small() -> None:
    full = full_tournament()
    names = tuple([replace(each, name="\U0001f600" * 60, bot=True) for each in full.entrants])
    long_names = replace(full, name="\U0001f600" * 60, entrants=names)
    for value in (full, long_names):
        for player in (None, HOST.player, *[value.entrants[n].player for n in (0, 1, 255, 510, 511)]):
            sent = message(value, player)
            assert len(sent["top"]) <= 20
            assert len(sent["around"]) <= 5
            numbers = [row["entrant"] for row in sent["around"]]
            assert not numbers or sent["you"]["entrant"] in numbers
    assert len(message(full, None)["top"]) == 20


def test_one_encoder_follows_the_tournament() -> None:
    play, messages = Play("arena", 2), TournamentMessages()
    first = json.loads(messages.message(play.value, NAMES, "p_1"))
    assert messages.message(play.value, NAMES, "p_1") == messages.message(play.value, NAMES, "p_1")
    play.start()
    assert (
        json.loads(messages.message(play.value, NAMES, "p_1"))["tournament"]["version"] > first["tournament"]["version"]
    )


def test_what_each_can_do() -> None:
    play = Play("arena", 2)
    host, entrant = HOST.player, "p_1"

    def can(player: str) -> list[str]:
        commands: list[str] = message(play.value, player)["you"]["can"]
        return commands

    assert can(host) == ["start", "stop", "remove", "free", "rename", "watch"]
    assert can(entrant) == ["leave", "pause", "watch"]
    play.start()
    assert can(host) == ["stop", "extend", "remove", "free", "rename", "annul", "watch"]
    play.entrant(1, Leave("1"))
    assert can(entrant) == ["resume", "watch"]
    play.host(Stop("2"))
    assert can(host) == ["remove", "free", "rename", "annul", "watch"]
    play.end(play.value.matches[0], 2, "resignation")
    assert can(host) == ["rename", "annul", "watch"]
    assert can(entrant) == ["watch"]


def test_the_host_sees_who_keeps_resigning() -> None:
    value = new_tournament()
    entrants = (Entrant(1, "p_1", "Ann", quits=1), Entrant(2, "p_2", "Bob", quits=2))
    value = replace(value, entrants=entrants)
    assert message(value, HOST.player)["you"]["marked"] == [2]
    assert "marked" not in message(value, "p_1")["you"]


def test_matches() -> None:
    play = begun("knockout")
    bye = next(record for record in play.records.values() if not record.second)
    view = match_view(play.value, bye)
    assert (view.entrants[1], view.room, view.state) == (None, None, "over")
    match = play.value.matches[0]
    play.play(match, match.first, match.second)
    view = match_view(play.value, play.records[match.number])
    assert view.room == room_of(play.value, match.number)
    assert [(game.number, game.X, game.winner) for game in view.games] == [
        (1, match.first, match.first),
        (2, match.second, match.second),
    ]
    assert view.points == (2, 2)
    assert view.decided_by == "lot"


def test_boards() -> None:
    play, room = begun(), match_play()
    match = play.value.matches[0]
    room.moves("b2", "a1")
    board = board_view(play.value, match, room.game)
    assert (board.last, board.turn, board.number, board.marks) == ("a1", "X", 1, {"b2": "X", "a1": "O"})
    assert (board.entrants.X.entrant, board.entrants.O.entrant) == match.sides
    first = board_view(play.value, match, match_play().game)
    assert first.last is None


def test_a_table_holds_no_formulas() -> None:
    names = ("=1+1", "Ann, Bob", "\uff1d1")
    entrants = tuple(Entrant(number, f"p_{number}", name) for number, name in enumerate(names, 1))
    assert results_csv(replace(new_tournament(), entrants=entrants)) == (
        'rank,name,points,wins,draws,losses,games\r\n1,\'=1+1,0,0,0,0,0\r\n1,"Ann, Bob",0,0,0,0,0\r\n'
        "1,'\uff1d1,0,0,0,0,0\r\n"
    )


# --- commands and hello -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ('{"type":"leave","id":"1"}', Leave("1")),
        ('{"type":"free","id":"1","entrant":3}', FreeEntrant("1", 3)),
        ('{"type":"watch","id":"1","boards":16}', Watch("1", 16)),
        ('{"type":"ping","id":"1"}', Ping("1")),
    ],
)
def test_commands_are_decoded(text: str, command: object) -> None:
    assert decode_tournament_command(text) == command


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"type":"move","id":"1","ply":0,"cell":"a1"}', "unknown_command"),
        ('{"type":"free","id":"1","mark":"X"}', "bad_message"),
        ('{"type":"watch","id":"1","boards":17}', "bad_message"),
        ('{"type":"extend","id":"1","minutes":0}', "bad_message"),
        ('{"type":"leave"}', "bad_message"),
        ("[]", "bad_message"),
        ('{"type":"leave","id":"\\ud800"}', "bad_message"),
    ],
)
def test_other_commands_are_rejected(text: str, code: str) -> None:
    with pytest.raises(MalformedCommandError) as error:
        decode_tournament_command(text)
    assert error.value.rejection.code == code


@pytest.mark.parametrize(
    ("fields", "target"),
    [({"room": "r"}, ("room", "r")), ({"tournament": "t"}, ("tournament", "t")), ({"lobby": True}, ("lobby", "")),
     ({"other": "o"}, ("other", "o")), ({}, None), ({"room": "", "tournament": None, "lobby": False}, ("room", "")),
     ({"room": "r", "tournament": "t"}, None), ({"lobby": True, "tournament": "t"}, None)],
)  # fmt: skip
def test_a_hello_names_one_thing(fields: dict[str, object], target: object) -> None:
    kinds = ("room", "tournament", "lobby", "other")
    hello = decode_hello(json.dumps({"type": "hello", "protocol": 1, **fields}), kinds)
    assert hello is not None
    assert hello.target(kinds) == target
