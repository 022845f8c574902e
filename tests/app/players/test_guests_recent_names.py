"""The newest names of players: a request may have been read under the old name."""

from __future__ import annotations

from noughts.app.players.guests import RecentNames
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


def test_the_least_recent_names_are_evicted() -> None:
    names = RecentNames(most=3)
    for n in (0, 1, 2, 0, 3):
        names.renamed(Person(f"p_{n}", "new"))
    shown = [names.current(Person(f"p_{n}", "old")).name for n in range(4)]
    assert shown == ["new", "old", "new", "new"]
