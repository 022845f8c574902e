"""What the webhook is sent when a public tournament starts and ends."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from noughts.app.tournaments.announcements import TournamentAnnouncements
from noughts.tournament.tournament import Tournament
from tests.support.local_server import local_server
from tests.support.push_service import PushService
from tests.support.tournament_client import new_cup, playing
from tests.support.tournament_play import full_tournament


class Recorder:
    """Notes what would be posted."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def send(self, *event: Any) -> None:
        self.events.append(event)


def text_at_end(tournament: Tournament) -> str:
    """Return the sentence about the end of a tournament."""
    recorder: Any = Recorder()
    TournamentAnnouncements(recorder, "https://games.example.org").send(tournament, over=True)
    ((kind, text, url, details),) = recorder.events
    assert (kind, url) == ("tournament_ended", "https://games.example.org/t/tournament-id")
    assert len(details["winners"]) == sum(each.points == 9 for each in tournament.entrants)
    return str(text)


def with_firsts(count: int) -> Tournament:
    """Return a public tournament whose first place so many entrants share."""
    tournament = full_tournament(visibility="public", name="Cup *1*")
    leaders = [replace(each, points=9, matches=3, name=f"@P{each.number}") for each in tournament.entrants[:count]]
    return replace(
        tournament,
        matches=(),
        entrants=(*leaders, *[replace(each, points=0) for each in tournament.entrants[count:12]]),
    )


@pytest.mark.parametrize(
    ("count", "subject"),
    [
        (1, "\\@P1 won"),
        (2, "\\@P1 and \\@P2 share the first place of"),
        (3, "\\@P1, \\@P2 and \\@P3 share the first place of"),
        (4, "4 players share the first place of"),
    ],
)
def test_the_winners_are_named(count: int, subject: str) -> None:
    text = text_at_end(with_firsts(count))
    assert text == f"{subject} Cup \\*1\\*, an arena of Tic-tac-toe with 12 players."


async def test_the_start_and_the_end_of_a_public_tournament_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with PushService(tmp_path) as service:
        monkeypatch.setenv("SSL_CERT_FILE", str(service.certificate))
        settings: dict[str, Any] = {"webhook": service.url("hook"), "public_url": "https://games.example.org"}
        async with local_server(tmp_path, **settings) as server:
            stopped = await new_cup(server, visibility="public")
            await stopped.ok("stop")  # it never started
            for visibility in ("unlisted", "public"):
                cup = await new_cup(server, "knockout", games=1, visibility=visibility)
                entrants = await cup.entrants(2)
                async with playing(entrants):
                    await cup.ok("start")
                    await cup.until_over()
            await service.wait(2)
            await asyncio.sleep(0.2)
            winner = (await cup.standings())[0]["name"]
    started, ended = (json.loads(post.body) for post in service.posts)
    url = f"https://games.example.org/t/{cup.id}"
    assert (started["type"], started["tournament"], started["url"]) == ("tournament_started", cup.id, url)
    assert started["text"] == f"Cup has started: a knockout of Tic-tac-toe with 2 players. {url}"
    assert ended["type"] == "tournament_ended"
    assert ended["text"] == ended["content"] == f"{winner} won Cup, a knockout of Tic-tac-toe with 2 players. {url}"
    assert (ended["winners"], ended["entrants"], ended["variant"]) == ([winner], 2, "classic")
    assert started["id"] != ended["id"]
