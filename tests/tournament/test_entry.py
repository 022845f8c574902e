"""Who may join a tournament, and under which name."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.room.seat import Player
from noughts.tournament.commands import Join, Leave, Remove, RenameEntrant, Stop
from noughts.tournament.entry import MAX_NAME
from noughts.tournament.tournament import Entrant, free_names
from tests.support.tournament_play import Play, person


def names_of(play: Play) -> list[str]:
    return [entrant.name for entrant in play.value.entrants]


def test_a_player_joins_once() -> None:
    play = Play()
    assert play.join(1).number == 1
    version = play.value.version
    assert play.join(1, "Zoe").number == 1
    assert play.value.version == version
    assert names_of(play) == ["Player 1"]


def test_a_name_in_use_gets_a_number() -> None:
    play = Play()
    for number, name in enumerate(("Anna", "anna", "Anna", "a" * MAX_NAME, "a" * MAX_NAME), 1):
        play.join(number, name)
    assert names_of(play) == ["Anna", "anna 2", "Anna 3", "a" * MAX_NAME, "a" * (MAX_NAME - 2) + " 2"]


def test_names_that_look_the_same_are_in_use() -> None:
    """With wide forms, joiners, doubled spaces, letters of another script, or capitals that an entrant was renamed to."""
    play = Play()
    for number, name in enumerate(("Anna 2", "Anna", "Anna", "\uff21nna", "An\u200dna", "Anna  2"), 1):
        play.join(number, name)
    assert names_of(play) == ["Anna 2", "Anna", "Anna 3", "\uff21nna 4", "An\u200dna 5", "Anna  2 2"]
    play.join(7, "\u0410nn\u0430")  # Cyrillic
    play.join(8, "\u0391nna")  # Greek
    assert names_of(play)[6:] == ["\u0410nn\u0430 6", "\u0391nna 7"]
    listed = Play(entry="names", names=("Ann", "Ben"))
    listed.join(1, "Ann")
    listed.rejects("forbidden", lambda: listed.host(RenameEntrant("r", 1, "ben")))
    listed.host(RenameEntrant("s", 1, "ann"))
    assert free_names(listed.value) == ("Ben",)


def test_a_name_of_the_list_is_taken_once() -> None:
    play = Play(entry="names", names=("Ann", "Bob"))
    play.rejects("bad_message", lambda: play.join(1))
    play.rejects("bad_message", lambda: play.join(1, "Zoe"))
    play.join(1, "Ann")
    play.rejects("name_taken", lambda: play.join(2, "Ann"))
    assert free_names(play.value) == ("Bob",)


@pytest.mark.parametrize(("bots", "bot", "welcome"), [
    ("no", False, True), ("no", True, False), ("yes", False, True), ("yes", True, True), ("only", False, False),
    ("only", True, True),
])  # fmt: skip
def test_bots_join_where_the_host_allows_them(bots: str, bot: bool, welcome: bool) -> None:
    play = Play(bots=bots)
    if welcome:
        assert play.join(1, bot=bot).seated == Player(person(1).player, bot)
    else:
        play.rejects("forbidden", lambda: play.join(1, bot=bot))


def test_one_who_left_joins_again_in_the_same_row() -> None:
    play = Play("arena", 2)
    play.start()
    play.entrant(1, Leave("1"))
    play.end(play.value.matches[0], 2, "resignation")
    assert play.join(1).standing == "here"
    assert len(play.value.entrants) == 2
    assert play.value.entrant(2).points == 2


def test_one_who_was_removed_does_not_join_again() -> None:
    play = Play("arena", 2)
    play.host(Remove("1", 1))
    play.rejects("forbidden", lambda: play.join(1))


@pytest.mark.parametrize(("mode", "most"), [("arena", 512), ("round_robin", 40)])
def test_a_full_tournament_takes_nobody(mode: str, most: int) -> None:
    play = Play(mode)
    entrants = tuple(Entrant(number, f"p_{number}", f"Player {number}") for number in range(1, most + 1))
    play.value = replace(play.value, entrants=entrants)
    play.rejects("tournament_full", lambda: play.tell(Join(person(most + 1))))
    play.tell(Join(person(most)))
    play.host(Remove("1", 1))
    assert play.join(most + 1).number == most + 1


def test_nobody_joins_after_the_bell() -> None:
    play = Play("arena", 2)
    play.start()
    play.host(Stop("1"))
    play.rejects("tournament_over", lambda: play.join(3))
    play.play(play.value.matches[0], None, None)
    assert play.state() == "over"
    play.rejects("tournament_over", lambda: play.join(3))
    assert play.join(1).number == 1


def test_an_arena_takes_entrants_until_the_bell() -> None:
    play = Play("arena", 2)
    play.start()
    play.join(3)
    play.join(4)
    play.wait(400)
    assert len(play.value.matches) == 2
