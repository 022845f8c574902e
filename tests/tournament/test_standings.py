"""Ranks, their tie-breaks, and totals that follow from matches."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.tournament.standings import standings, total_of, totals, winners
from noughts.tournament.tournament import Entrant, Match, MatchGame
from tests.support.tournament_play import Play, new_tournament


def ranks(mode: str, *rows: dict[str, object]) -> list[int]:
    """Return the ranks of entrants with these totals, in the order in which they joined."""
    entrants = tuple(Entrant(number, f"p_{number}", "Ann", **row) for number, row in enumerate(rows, 1))  # type: ignore[arg-type]
    rank_of = {row.entrant.number: row.rank for row in standings(replace(new_tournament(mode), entrants=entrants))}
    return [rank_of[entrant.number] for entrant in entrants]


def test_an_arena_ranks_by_points_then_wins_then_losses() -> None:
    assert ranks(
        "arena",
        {"points": 4, "wins": 1, "losses": 2},
        {"points": 4, "wins": 2, "losses": 3},
        {"points": 5},
        {"points": 4, "wins": 1, "losses": 1},
        {"points": 4, "wins": 1, "losses": 2},
        {"points": 0},
    ) == [4, 2, 1, 3, 4, 6]


def test_a_round_robin_ranks_ties_by_their_own_matches() -> None:
    """The first two have as many points, and the second has won against the first."""
    assert ranks(
        "round_robin",
        {"points": 4, "scores": ((2, 1), (3, 3))},
        {"points": 4, "scores": ((1, 3), (3, 1))},
        {"points": 4, "scores": ((1, 1), (2, 3))},
    ) == [1, 1, 1]
    assert ranks(
        "round_robin",
        {"points": 6, "scores": ((2, 1), (3, 4), (4, 1))},
        {"points": 6, "scores": ((1, 3), (3, 0), (4, 3))},
        {"points": 4, "scores": ((1, 0), (2, 4), (4, 0))},
        {"points": 8, "scores": ((1, 3), (2, 1), (3, 4))},
    ) == [3, 2, 4, 1]


def test_a_round_robin_then_ranks_by_the_opponents_points() -> None:
    """The first two drew with each other. The first has its points from the stronger opponent."""
    assert ranks(
        "round_robin",
        {"points": 6, "scores": ((2, 2), (3, 4), (4, 0))},
        {"points": 6, "scores": ((1, 2), (3, 0), (4, 4))},
        {"points": 7, "scores": ((1, 0), (2, 4), (4, 3))},
        {"points": 5, "scores": ((1, 4), (2, 0), (3, 1))},
    ) == [2, 3, 1, 4]


def test_a_knockout_ranks_by_the_round_that_was_reached() -> None:
    assert ranks("knockout", {"reached": 1}, {"reached": 3}, {"reached": 2}, {"reached": 1}) == [3, 1, 2, 3]


def test_an_entrant_removed_before_its_first_match_is_in_no_standings() -> None:
    rows = standings(
        replace(
            new_tournament(),
            entrants=(
                Entrant(1, "p_1", "Ann", standing="removed"),
                Entrant(2, "p_2", "Bob", standing="removed", matches=1),
                Entrant(3, "p_3", "Cat", standing="left"),
            ),
        )
    )
    assert [(row.entrant.number, row.state) for row in rows] == [(2, "removed"), (3, "left")]


def test_nobody_has_won_before_a_match_was_made() -> None:
    entrants = (Entrant(1, "p_1", "Ann", points=2, matches=1), Entrant(2, "p_2", "Ben", matches=1))
    assert [each.name for each in winners(new_tournament(entrants=entrants))] == ["Ann"]
    new = tuple([replace(each, points=0, matches=0) for each in entrants])
    assert winners(new_tournament(entrants=new)) == []


def test_a_row_says_what_its_entrant_does() -> None:
    play = Play("arena", 3)
    play.start()
    match = play.value.matches[0]
    waiting = next(number for number in (1, 2, 3) if number not in match.sides)
    state = {row.entrant.number: (row.state, row.match) for row in standings(play.value)}
    assert state[match.first] == state[match.second] == ("playing", match.number)
    assert state[waiting] == ("waiting", None)


def test_forfeits_count_as_points_but_not_as_games() -> None:
    match = Match(
        7, 1, 3, 5, 0, "on", (MatchGame(1, 3, 5, "line"), MatchGame(2, 5, None, "aborted", False)), "forfeited", (0, 4)
    )
    assert total_of(match, 5) == (4, 1, 0, 0, 1, 1)
    assert total_of(match, 3) == (0, 0, 0, 1, 1, 1)
    assert totals([match, match])[5].points == 8
    assert total_of(replace(match, state="annulled"), 5) == (0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize("mode", ["arena", "round_robin", "knockout"])
@pytest.mark.parametrize("count", [2, 3, 6, 11])
def test_totals_follow_from_matches_after_every_step(mode: str, count: int) -> None:
    """``Play`` compares them after every step."""
    play = Play(mode, count, seed=count, minutes=1 if mode == "arena" else None)
    play.start()
    play.play_all()
    assert sum(each.points for each in play.value.entrants) >= 2 * sum(each.wins for each in play.value.entrants)
    assert [row.rank for row in standings(play.value)] == sorted(row.rank for row in standings(play.value))
