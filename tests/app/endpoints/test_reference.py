"""Endpoints that need no room: variants, analysis, QR codes, and the machine-readable contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from noughts.app.runtime.limits import SEARCHES
from noughts.rules.variant import VARIANTS
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, Message, guest
from tests.support.responses import raw_response, rejection


async def test_every_variant_is_listed(server: LocalServer) -> None:
    variants = (await Api(server.url).get("/api/variants"))["variants"]
    assert [variant["key"] for variant in variants] == list(VARIANTS)
    for variant in variants:
        assert {"novice", "casual", "skilled", "expert"} < set(variant["levels"])
        assert variant["levels"][-1] in ("perfect", "strongest")
        assert (variant["value"]["value"] == "unknown") == (variant["value"]["proof"] == "none")


async def test_the_strength_of_levels(server: LocalServer) -> None:
    """Each level is measured against random play, in the order of the levels."""
    for variant in (await Api(server.url).get("/api/variants"))["variants"]:
        answer = await Api(server.url).get(f"/api/strength?variant={variant['key']}")
        assert set(answer) == {"variant", "strength"}
        rows = [row for row in answer["strength"] if row["against"] == "random"]
        assert [row["level"] for row in rows] == variant["levels"]
    assert await rejection(Api(server.url), "GET", "/api/strength?variant=chess") == (400, "bad_message")


# --- analysis -----------------------------------------------------------------------------------------------------


async def positions_of(server: LocalServer, variant: str, *moves: str) -> list[Message]:
    """Return the analysis of a game."""
    answer = await Api(server.url).get(f"/api/analysis?variant={variant}&moves={','.join(moves)}")
    return list(answer["positions"])


async def test_every_position_of_a_game_is_analysed(server: LocalServer) -> None:
    positions = await positions_of(server, "classic", "b2", "b1", "a1")
    assert [position["ply"] for position in positions] == [0, 1, 2, 3]
    assert [position["turn"] for position in positions] == ["X", "O", "X", "O"]
    assert [position["verdict"]["value"] for position in positions] == ["draw", "draw", "win", "loss"]
    assert all(position["verdict"]["proof"] == "exact" for position in positions)
    assert positions[0]["best"] == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    assert positions[1]["best"] == ["a1", "c1", "a3", "c3"]
    assert positions[2]["verdict"]["plies"] == 5
    assert positions[3]["verdict"]["plies"] == 4
    assert positions[3]["best"] == ["c1", "a2", "c2", "a3", "b3", "c3"]  # lost: all legal moves


async def test_after_the_last_move_there_is_no_verdict(server: LocalServer) -> None:
    positions = await positions_of(server, "classic", "a1", "a2", "b1", "b2", "c1")
    assert positions[-1] == {"ply": 5, "turn": None, "verdict": None, "best": [], "complete": False}
    assert positions[4]["verdict"] == {"value": "win", "plies": 1, "proof": "exact"}


THRICE = (
    "a2", "a1", "c2", "c1", "a3", "b3", "b1", "a2", "b2", "a1", "c2", "c1",
    "a3", "b3", "b1", "b2", "a2", "a1", "c2", "c1", "a3", "b3", "b1",
)  # fmt: skip
"""Moves of vanishing. The last one brings about a position for the third time."""


async def test_after_a_repetition_there_is_no_verdict(server: LocalServer) -> None:
    """The verdict before it is about the position alone. A busy machine may need several searches to solve the game."""
    for ply in range(len(THRICE)):
        (*_, last) = await positions_of(server, "vanishing", *THRICE[:ply])
        if last["verdict"]["value"] != "unknown":
            break
    positions = await positions_of(server, "vanishing", *THRICE)
    assert positions[-1] == {"ply": 23, "turn": None, "verdict": None, "best": [], "complete": False}
    assert positions[-2]["verdict"]["value"] == "win"


@pytest.mark.parametrize(
    ("variant", "moves", "ply"),
    [
        ("classic", "b2,b2", 1),
        ("classic", "A1", 0),
        ("classic", "a1,a2,b1,b2,c1,c2", 5),
        ("four-in-a-row", "d6,d4", 1),
        ("qubic", "a1", 0),
        ("ultimate", "e5,a1", 1),
    ],
)
async def test_an_illegal_move_comes_with_its_ply(server: LocalServer, variant: str, moves: str, ply: int) -> None:
    for name in ("analysis", "record"):
        status, answer = await Api(server.url).call("GET", f"/api/{name}?variant={variant}&moves={moves}")
        assert (status, answer["error"]["code"], answer["error"]["ply"]) == (400, "illegal_move", ply)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "moves=a1",
        "variant=chess&moves=a1",
        "variant=classic&moves=a1,,b1",
        "variant=classic&moves=5",
        "variant=classic&moves=b2,b2,zz9",
        "variant=classic&moves=" + ",".join(["a1"] * 10),
        "variant=vanishing&moves=" + ",".join(["a1"] * 201),
        "variant=classic&moves=%C3%A41",
    ],
)
async def test_a_malformed_analysis_is_400(server: LocalServer, query: str) -> None:
    for name in ("analysis", "record"):
        assert await rejection(Api(server.url), "GET", f"/api/{name}?{query}") == (400, "bad_message")


async def test_analyses_have_credit_by_player_and_by_network(tmp_path: Path) -> None:
    """An analysis that was made before costs nothing."""
    async with local_server(tmp_path, limits=True) as server:
        ann = await guest(server.url)
        burst = int(SEARCHES.rate.burst)
        for _ in range(3 * burst):
            await ann.get("/api/analysis?variant=classic")
        games = ["a1", "b1", "c1"]
        games += [f"{first},{second}" for first in games for second in ("a2", "b2", "c2", "a3", "b3", "c3")]
        paths = [f"/api/analysis?variant=misere&moves={moves}" for moves in games]
        statuses = [(await ann.call("GET", path))[0] for path in paths]
        assert len(statuses) == burst + 1
        assert statuses[: burst - 1] == [200] * (burst - 1)
        assert statuses[-1] == 429
        path = "/api/analysis?variant=classic&moves=a1"
        assert await rejection(Api(server.url), "GET", path) == (429, "rate_limited")


# --- records ------------------------------------------------------------------------------------------------------


async def test_the_record_of_moves_without_a_room(server: LocalServer) -> None:
    """Moves that do not end a game have a null outcome, and no answer says what a position is worth."""
    record = await Api(server.url).get("/api/record?variant=vanishing&moves=a2,a1,c2,c1,a3,b3,b1")
    assert (record["variant"], record["number"], record["players"], record["outcome"]) == (
        "vanishing",
        None,
        None,
        None,
    )
    assert set(record) == {"variant", "number", "players", "moves", "outcome", "swapped", "legal"}
    assert record["moves"][-1] == {
        "cell": "b1", "mark": "X", "by": None, "at_ms": None, "removed": "a2", "decided": None,
    }  # fmt: skip
    record = await Api(server.url).get("/api/record?variant=classic&moves=b2,a1,c1,a2,a3")
    assert record["outcome"] == {"winner": "X", "reason": "line", "cells": ["c1", "b2", "a3"]}


# --- QR codes -----------------------------------------------------------------------------------------------------


async def test_a_link_is_drawn_as_a_qr_code(server: LocalServer) -> None:
    """It may hold an invite, so no cache may keep it."""
    ann = await guest(server.url)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {ann.token}"}
    body = json.dumps({"text": f"{server.url}/r/a#i=b"}).encode()
    status, answer_headers, picture = await raw_response(server, "POST", "/api/qr", body, headers)
    assert (status, answer_headers["Content-Type"]) == (200, "image/svg+xml")
    assert answer_headers["Cache-Control"] == "no-store"
    assert b"<svg" in picture


@pytest.mark.parametrize(
    "text", ["", "x", "OWN" + "x" * 120, "OWNé", "https://elsewhere.example/", "http://OWN/", 7, None], ids=ascii
)
async def test_a_text_that_is_no_link_to_the_server_is_400(server: LocalServer, text: object) -> None:
    ann = await guest(server.url)
    if isinstance(text, str):
        text = text.replace("OWN", f"{server.url}/")
    assert await rejection(ann, "POST", "/api/qr", {"text": text}) == (400, "bad_message")


# --- the contract -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "version"), [("openapi", "3.1.0"), ("asyncapi", "3.0.0")])
async def test_the_machine_readable_contract_is_served(server: LocalServer, name: str, version: str) -> None:
    assert (await Api(server.url).get(f"/api/{name}.json"))[name] == version
