"""The HTTP endpoints about tournaments: a part of the contract's table."""

from __future__ import annotations

from typing import Final

from noughts.protocol.endpoint import NO_PAGE, PAGE, TEXT_SCHEMA, Answer, Endpoint, Parameter
from noughts.protocol.tournament_bodies import (
    FindTournament,
    JoinAnswer,
    JoinTournament,
    MatchesAnswer,
    NewTournament,
    NewTournamentAnswer,
    StandingsAnswer,
    TournamentFound,
    TournamentsAnswer,
)
from noughts.protocol.tournament_messages import TournamentView

TOURNAMENT_ENDPOINTS: Final = (
    Endpoint(
        "POST /api/tournaments",
        "newTournament",
        "Make a tournament. You are its host, and an entrant only if you join.",
        (Answer(NewTournamentAnswer, 201),),
        body=NewTournament,
        token="needed",
    ),
    Endpoint(
        "GET /api/tournaments",
        "tournaments",
        "List public tournaments, newest first.",
        TournamentsAnswer,
        query=(
            Parameter(
                "state",
                "`open` before the start, `running`, or `over`.",
                {"enum": ["open", "running", "over"], "default": "open"},
            ),
        ),
    ),
    Endpoint(
        "POST /api/tournaments/find",
        "findTournament",
        "Find a tournament by its PIN, before you join it.",
        TournamentFound,
        body=FindTournament,
        rejected=(404,),
    ),
    Endpoint(
        "POST /api/tournaments/join",
        "joinTournament",
        "Join a tournament by its PIN. Joining again gives the same answer.",
        JoinAnswer,
        body=JoinTournament,
        token="needed",
        rejected=(404, 409),
    ),
    Endpoint(
        "GET /api/tournaments/{id}",
        "tournament",
        "Return a tournament as everybody may see it.",
        TournamentView,
        rejected=(404,),
    ),
    Endpoint(
        "GET /api/tournaments/{id}/standings",
        "standings",
        "Return a page of the standings of a tournament.",
        StandingsAnswer,
        query=(
            Parameter("from", "The first line, from 1.", {"type": "integer", "minimum": 1, "default": 1}),
            Parameter("count", "How many lines.", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}),
        ),
        rejected=(404,),
    ),
    Endpoint(
        "GET /api/tournaments/{id}/matches",
        "matches",
        "Return a page of at most 100 matches of a tournament, by number.",
        MatchesAnswer,
        query=(
            Parameter(
                "after",
                "The number of the match before the first one.",
                {"type": "integer", "minimum": 0, "default": 0},
            ),
        ),
        rejected=(404,),
    ),
    Endpoint(
        "GET /api/tournaments/{id}/results.csv",
        "resultsCsv",
        "Return the standings of a tournament as a table for a spreadsheet.",
        (Answer(TEXT_SCHEMA, meaning="The table.", media="text/csv"),),
        rejected=(404,),
    ),
    Endpoint("GET /t/{id}", "tournamentPage", "Return the page of a tournament.", (PAGE, NO_PAGE)),
    Endpoint(
        "GET /t/{id}/wall",
        "wallPage",
        "Return the page of a tournament for a projector. It shows the PIN that its link has in the fragment, `#p=PIN`.",
        (PAGE, NO_PAGE),
    ),
    Endpoint("GET /join", "joinPage", "Return the page that takes the PIN of a tournament.", (PAGE, NO_PAGE)),
)
"""All endpoints about tournaments."""
