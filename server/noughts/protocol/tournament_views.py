"""The views of a tournament: its lines, its matches, and the message that each recipient gets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from noughts.protocol.codec import encode
from noughts.protocol.export import ExportedTournament
from noughts.protocol.messages import GameView
from noughts.protocol.tournament_messages import (
    BoardView,
    EntrantView,
    MatchGameView,
    MatchView,
    OwnMatch,
    RowView,
    TournamentNews,
    TournamentView,
    TournamentYou,
)
from noughts.protocol.views import game_view, person_view
from noughts.room.clock import FIRST_MOVE_MS
from noughts.room.room import RoomGame
from noughts.room.seat import Names
from noughts.rules.by_mark import ByMark
from noughts.tournament.match_rooms import MatchKey, match_room
from noughts.tournament.standings import StandingsRow, standings
from noughts.tournament.tournament import Entrant, Match, Tournament, entrant_of, free_names, playing

MAX_TOP: Final = 20
MAX_AROUND: Final = 5
MAX_COMMON_BYTES: Final = 3_400
"""The most bytes of what all recipients share. Long names leave fewer lines in ``top``."""
MAX_OWN_BYTES: Final = 1_600
"""The most bytes of a recipient's own part."""
MARKED_QUITS: Final = 2
_FORMULA: Final = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""What a spreadsheet takes as the beginning of a formula. Japanese editions take the full-width characters too."""


def room_of(tournament: Tournament, match: int) -> str:
    """Return the id of a match's room."""
    return match_room(tournament.secret, MatchKey(tournament.id, match))


def tournament_view(tournament: Tournament, rows: Sequence[StandingsRow], names: Names) -> TournamentView:
    """Return the tournament as everybody may see it."""
    states = [row.state for row in rows]
    return TournamentView(
        tournament.id,
        tournament.version,
        tournament.name,
        tournament.mode,
        tournament.variant,
        tournament.clock,
        tournament.games,
        tournament.entry,
        len(free_names(tournament)) if tournament.entry == "names" else None,
        tournament.bots,
        tournament.chat,
        tournament.visibility,
        tournament.state,
        person_view(tournament.host, names),
        len(rows),
        states.count("waiting"),
        states.count("playing"),
        tournament.round,
        tournament.rounds,
        tournament.created_ms,
        tournament.started_ms,
        tournament.bell_ms,
        tournament.over_ms,
    )


def row_view(row: StandingsRow) -> RowView:
    """Return a line of the standings."""
    entrant = row.entrant
    return RowView(
        row.rank,
        entrant.number,
        entrant.name,
        entrant.points,
        entrant.wins,
        entrant.draws,
        entrant.losses,
        entrant.games,
        row.state,
        row.match,
        True if entrant.bot else UNSET,
    )


def entrant_view(entrant: Entrant) -> EntrantView:
    """Return an entrant's number and name."""
    return EntrantView(entrant.number, entrant.name)


def match_view(tournament: Tournament, match: Match) -> MatchView:
    """Return a match with its finished games."""
    second = entrant_view(tournament.entrant(match.second)) if match.second else None
    return MatchView(
        match.number,
        match.round,
        (entrant_view(tournament.entrant(match.first)), second),
        room_of(tournament, match.number) if match.second else None,
        tuple([MatchGameView(game.number, game.x, game.winner, game.reason, game.counts) for game in match.games]),
        match.points,
        match.state,
        match.decided_by,
    )


def board_view(tournament: Tournament, match: Match, game: RoomGame) -> BoardView:
    """Return the board of a match with one of its games."""
    view: GameView = game_view(game, game.outcome is None)
    x = match.first if view.number % 2 else match.second
    return BoardView(
        room_of(tournament, match.number),
        match.number,
        view.number,
        ByMark(entrant_view(tournament.entrant(x)), entrant_view(tournament.entrant(match.other(x)))),
        view.marks,
        view.moves[-1] if view.moves else None,
        view.turn,
        view.outcome,
        view.boards,
        view.forced,
        view.fading,
    )


def results_csv(tournament: Tournament) -> str:
    """Return the standings as a table. A name that a spreadsheet would compute begins with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(("rank", "name", "points", "wins", "draws", "losses", "games"))
    for row in standings(tournament):
        each = row.entrant
        name = f"'{each.name}" if each.name.startswith(_FORMULA) else each.name
        writer.writerow((row.rank, name, each.points, each.wins, each.draws, each.losses, each.games))
    return text.getvalue()


class TournamentMessages:
    """The messages of one tournament as JSON. What all recipients share is encoded once for each version."""

    __slots__ = ("_common", "_entrants", "_matches", "_names", "_place_of", "_rows", "_tournament")

    def __init__(self) -> None:
        self._tournament: Tournament | None = None
        self._names: Names | None = None

    def message(self, tournament: Tournament, names: Names, player: str | None) -> bytes:
        """Return the message for a player, None for a nameless spectator."""
        if tournament is not self._tournament or names is not self._names:
            self._note(tournament, names)
        host = player is not None and tournament.host.player == player
        entrant = None if player is None else self._entrants.get(player)
        pin = host or (entrant is not None and entrant.standing != "removed")
        around = self._around(entrant)
        own = self._own(tournament, entrant, host, around, pin)
        while len(own) > MAX_OWN_BYTES and len(around) > 1:
            own_place = [row.entrant for row in around].index(entrant.number) if entrant is not None else 0
            around = around[1:] if own_place > len(around) // 2 or own_place == len(around) - 1 else around[:-1]
            own = self._own(tournament, entrant, host, around, pin)
        return self._common + own

    def _note(self, tournament: Tournament, names: Names) -> None:
        self._tournament, self._names, self._rows = tournament, names, standings(tournament)
        self._entrants = {entrant.player: entrant for entrant in tournament.entrants}
        self._matches = playing(tournament)
        self._place_of = {row.entrant.number: place for place, row in enumerate(self._rows)}
        view = tournament_view(tournament, self._rows, names)
        top = tuple([row_view(row) for row in self._rows[:MAX_TOP]])
        while len(common := encode(TournamentNews(view, top))) > MAX_COMMON_BYTES and top:
            top = top[:-1]
        self._common = common[:-1]

    def _around(self, entrant: Entrant | None) -> tuple[RowView, ...]:
        """Return the lines around an entrant."""
        place = None if entrant is None else self._place_of.get(entrant.number)
        if place is None:
            return ()
        start = max(0, min(place - MAX_AROUND // 2, len(self._rows) - MAX_AROUND))
        return tuple([row_view(row) for row in self._rows[start : start + MAX_AROUND]])

    def _own(
        self, tournament: Tournament, entrant: Entrant | None, host: bool, around: tuple[RowView, ...], pin: bool
    ) -> bytes:
        """Return a recipient's own fields as JSON, from the comma before them to the end of the message."""
        place = None if entrant is None else self._place_of.get(entrant.number)
        row = None if place is None else row_view(self._rows[place])
        number = None if entrant is None else entrant.number
        can = _can(tournament, entrant, host)
        quitters = [each.number for each in tournament.entrants if each.quits >= MARKED_QUITS] if host else []
        marked = tuple(quitters[:MAX_TOP]) if host else UNSET
        match = None if number is None else self._matches.get(number)
        you = TournamentYou(number, host, can, row, own_match(tournament, entrant, match), marked)
        secret = b',"pin":' + encode(tournament.pin) if pin else b""
        return b',"you":' + encode(you) + b',"around":' + encode(around) + secret + b"}"


def own_match(tournament: Tournament, entrant: Entrant | None, match: Match | None) -> OwnMatch | None:
    """Return the match that an entrant plays now, as the entrant sees it; None until its room is ready."""
    if entrant is None or match is None or match.stage == "room":
        return None
    return OwnMatch(
        match.number,
        room_of(tournament, match.number),
        "X" if match.x == entrant.number else "O",
        entrant_view(tournament.entrant(match.other(entrant.number))),
        match.began_ms + FIRST_MOVE_MS,
    )


def _can(tournament: Tournament, entrant: Entrant | None, host: bool) -> tuple[str, ...]:
    can: list[str] = []
    if tournament.state != "over":
        if entrant is not None and not entrant.gone and entrant.standing != "out":
            can += ["leave", "pause" if entrant.standing == "here" else "resume"]
        if entrant is not None and entrant.standing == "left":
            can.append("resume")
        if host:
            can += ["start", "stop"] if tournament.state == "open" else [] if tournament.rung else ["stop"]
            if tournament.mode == "arena" and tournament.state == "running" and not tournament.rung:
                can.append("extend")
            can += ["remove", "free"]
    if host:
        can.append("rename")
        if tournament.match_count and (tournament.mode != "knockout" or tournament.state != "over"):
            can.append("annul")
    return (*can, "watch")


def exported_tournament(tournament: Tournament, player: str) -> ExportedTournament:
    """Return what a tournament keeps about a player. A player who is no entrant made it."""
    entrant = entrant_of(tournament, player)
    row = next((each for each in standings(tournament) if each.entrant is entrant), None)
    return ExportedTournament(
        tournament.id,
        tournament.name,
        None if entrant is None else entrant.number,
        None if row is None else row_view(row),
    )
