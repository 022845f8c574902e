"""Entry: who may join, under which name, and who may come back."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.seat import Person
from noughts.tournament.rounds import first_round_match
from noughts.tournament.tournament import (
    Entrant,
    Tournament,
    entrant_of,
    folded,
    free_names,
    most_entrants,
    taken_names,
    with_entrant,
)
from noughts.tournament.transition import Moment, Transition

MAX_NAME: Final = 60
"""The most characters of a name in a tournament."""


def check_entry(tournament: Tournament, by: Person) -> None:
    """Raise a :class:`Rejection` for a player who may not join now. One who has joined may do so again."""
    entrant = entrant_of(tournament, by.player)
    if entrant is not None and entrant.standing == "removed" and entrant.barred:
        raise Rejection("forbidden", "The host has removed you from this tournament.")
    if entrant is not None and entrant.standing not in ("left", "removed"):
        return
    if by.bot and tournament.bots == "no":
        raise Rejection("forbidden", "This tournament takes no bots.")
    if not by.bot and tournament.bots == "only":
        raise Rejection("forbidden", "This tournament takes bots only.")
    if tournament.state == "over" or tournament.rung:
        raise Rejection("tournament_over", "This tournament is over: join another.")
    if tournament.state == "running" and (tournament.mode == "knockout" or tournament.round > 1):
        raise Rejection("tournament_started", "This tournament has begun and takes nobody any more.")
    if entrant is None:
        most = most_entrants(tournament.mode)
        if sum(not each.hidden for each in tournament.entrants) >= most:
            raise Rejection("tournament_full", f"This tournament has {most} entrants and is full.")


def joined(tournament: Tournament, by: Person, name: str | None, at: Moment) -> Transition:
    """Enter a player who may join. One who is an entrant already stays so, and one who had left comes back."""
    entrant = entrant_of(tournament, by.player)
    if entrant is not None and not entrant.gone:
        return Transition(tournament)
    if entrant is not None and not entrant.freed:
        return resumed(tournament, entrant, at)
    if tournament.entry == "names":
        name = _claimed_name(tournament, name)
    else:
        name = _numbered(tournament, name or by.name)
    if entrant is None:
        entrant = Entrant(len(tournament.entrants) + 1, by.player, name, by.bot)
    entrant = replace(entrant, name=name, standing="here", freed=False, since_ms=at.now_ms)
    return pair_singles(with_entrant(tournament, entrant), at)


def _claimed_name(tournament: Tournament, name: str | None) -> str:
    if name is None or name not in tournament.names:
        raise Rejection("bad_message", "Choose one of the names of this tournament.")
    if name not in free_names(tournament):
        raise Rejection("name_taken", "Somebody has taken this name: choose your own, or ask the host to free it.")
    return name


def _numbered(tournament: Tournament, name: str) -> str:
    """Return a name with a number behind it, if another entrant has the name."""
    number, ending, taken = 1, "", taken_names(tournament)
    while folded(name[: MAX_NAME - len(ending)]) + ending in taken:
        number += 1
        ending = f" {number}"
    return name[: MAX_NAME - len(ending)].rstrip() + ending


def resumed(tournament: Tournament, entrant: Entrant, at: Moment) -> Transition:
    """Let an entrant take part again who had paused or left."""
    if entrant.standing == "here":
        return Transition(tournament)
    if entrant.standing in ("removed", "out"):
        raise Rejection("forbidden", "You cannot come back to this tournament.")
    if tournament.match_of(entrant.number) is not None and entrant.standing == "left":
        raise Rejection("forbidden", "The match that you left has not ended yet: come back in a moment.")
    if not _has_matches_left(tournament, entrant.number):
        raise Rejection("forbidden", "This tournament has no match for you any more.")
    entrant = replace(entrant, standing="here", since_ms=at.now_ms)
    return pair_singles(with_entrant(tournament, entrant), at)


def _has_matches_left(tournament: Tournament, number: int) -> bool:
    """Return whether the schedule still has a place for an entrant."""
    if tournament.state == "open" or tournament.mode == "arena":
        return True
    if tournament.mode == "round_robin":
        return not tournament.order or number in tournament.order
    if number not in tournament.slots:
        return False
    return tournament.winners[tournament.slots.index(number) // 2] in (0, number)


def pair_singles(tournament: Tournament, at: Moment) -> Transition:
    """Pair two entrants who came after the start of a round robin, as long as its first round lasts."""
    transition = Transition(tournament)
    if tournament.mode != "round_robin" or tournament.state != "running" or tournament.order or tournament.rung:
        return transition
    paired = set(tournament.slots)
    singles = [each.number for each in tournament.entrants if each.number not in paired and each.standing == "here"]
    if len(singles) < 2:
        return transition
    return transition.then(first_round_match(tournament, singles[0], singles[1], at))
