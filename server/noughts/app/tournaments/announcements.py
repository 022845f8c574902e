"""What the server tells the webhook of the operator about public tournaments: the start and the end."""

from __future__ import annotations

from noughts.app.page.link_previews import TOURNAMENT_MODES, first_place
from noughts.app.push.webhook import Webhook, plain_name
from noughts.rules.variant import variant_named
from noughts.tournament.standings import winners
from noughts.tournament.tournament import Tournament


class TournamentAnnouncements:
    """Sends the start and the end of each public tournament to the webhook. ``base`` is the server's own URL."""

    def __init__(self, webhook: Webhook, base: str) -> None:
        self._webhook = webhook
        self._base = base

    def send(self, tournament: Tournament, *, over: bool) -> None:
        """Send that a tournament has started, or that it is over, if it is public."""
        if tournament.visibility != "public":
            return
        entrants = sum(not entrant.hidden for entrant in tournament.entrants)
        variant, first = variant_named(tournament.variant), winners(tournament)
        about = f"{TOURNAMENT_MODES[tournament.mode]} of {variant.name} with {entrants} players"
        name = plain_name(tournament.name)
        end = first_place([plain_name(entrant.name) for entrant in first]) + " of" * (len(first) > 1)
        text = f"{end} {name}, {about}." if over else f"{name} has started: {about}."
        details = {
            "tournament": tournament.id,
            "name": tournament.name,
            "mode": tournament.mode,
            "variant": tournament.variant,
            "entrants": entrants,
            **({"winners": [entrant.name for entrant in first]} if over else {}),
        }
        kind = "tournament_ended" if over else "tournament_started"
        self._webhook.send(kind, text, f"{self._base}/t/{tournament.id}", details)
