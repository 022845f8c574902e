"""What the server tells the webhook of the operator about public tournaments: the start and the end."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from noughts.app.push.webhook import Webhook, plain_name
from noughts.rules.variant import variant_named
from noughts.tournament.standings import StandingsRow, standings
from noughts.tournament.tournament import Tournament

MOST_NAMED: Final = 3
"""If more entrants share the first place, the text says how many they are."""
_MODES: Final = MappingProxyType({"arena": "an arena", "round_robin": "a round robin", "knockout": "a knockout"})


class TournamentAnnouncements:
    """Sends the start and the end of each public tournament to the webhook. ``base`` is the server's own URL."""

    def __init__(self, webhook: Webhook, base: str) -> None:
        self._webhook = webhook
        self._base = base

    def send(self, tournament: Tournament, *, over: bool) -> None:
        """Send that a tournament has started, or that it is over, if it is public."""
        if tournament.visibility != "public":
            return
        rows, variant = standings(tournament), variant_named(tournament.variant)
        first = [row for row in rows if row.rank == 1 and row.entrant.matches]
        about = f"{_MODES[tournament.mode]} of {variant.name} with {len(rows)} players"
        name = plain_name(tournament.name)
        text = f"{_winners(first)} {name}, {about}." if over else f"{name} has started: {about}."
        details = {
            "tournament": tournament.id,
            "name": tournament.name,
            "mode": tournament.mode,
            "variant": tournament.variant,
            "entrants": len(rows),
            **({"winners": [row.entrant.name for row in first]} if over else {}),
        }
        kind = "tournament_ended" if over else "tournament_started"
        self._webhook.send(kind, text, f"{self._base}/t/{tournament.id}", details)


def _winners(first: list[StandingsRow]) -> str:
    """Return the subject and the verb of the sentence about the end, for those who have the first place."""
    names = [plain_name(row.entrant.name) for row in first]
    if len(names) == 1:
        return f"{names[0]} won"
    if not names:
        return "Nobody won"
    if len(names) > MOST_NAMED:
        return f"{len(names)} players share the first place of"
    return f"{', '.join(names[:-1])} and {names[-1]} share the first place of"
