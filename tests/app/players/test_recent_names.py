"""The newest names of players: a command sent under the old name may still wait for its room."""

from __future__ import annotations

import pytest

from noughts.app.players.recent_names import RecentNames
from noughts.room.commands import Request, Sit
from noughts.room.seat import Person

ANN, BEN = Person("p_ann", "Ann"), Person("p_ben", "Ben")
ANNA = Person("p_ann", "Anna")


def test_a_player_is_shown_under_the_newest_name() -> None:
    names = RecentNames()
    assert names.current(ANN) is ANN
    names.renamed(Person("p_ann", "Annie"))
    names.renamed(ANNA)
    assert names.current(ANN) == ANNA
    assert names.current(BEN) is BEN


def test_a_request_is_carried_out_under_the_newest_name() -> None:
    names, sit = RecentNames(), Sit("a", "O")
    names.renamed(ANNA)
    assert names.in_request(Request(ANN, sit)) == Request(ANNA, sit)
    unchanged = Request(BEN, sit)
    assert names.in_request(unchanged) is unchanged


def test_the_least_recent_names_are_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.app.players.recent_names.MAX_NAMES", 3)
    names = RecentNames()
    for n in (0, 1, 2, 0, 3):
        names.renamed(Person(f"p_{n}", "new"))
    shown = [names.current(Person(f"p_{n}", "old")).name for n in range(4)]
    assert shown == ["new", "old", "new", "new"]
