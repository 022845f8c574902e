"""The nine variants and the analysis over HTTP."""

from __future__ import annotations

import pytest

from tests.support.player import Api
from tests.support.responses import rejection


async def test_the_nine_variants(server):
    variants = (await Api(server.url).get("/api/variants"))["variants"]
    by_key = {variant["key"]: variant for variant in variants}
    assert set(by_key) >= {
        "classic", "misere", "vanishing", "4x4", "5x5", "four-in-a-row", "qubic", "gomoku", "ultimate",
    }  # fmt: skip
    for variant in variants:
        assert set(variant) >= {
            "key", "name", "rules", "shape", "line", "gravity", "misere", "marks_kept", "value", "levels",
        }  # fmt: skip
        assert set(variant["value"]) == {"value", "plies", "proof"}
        assert variant["levels"][:4] == ["novice", "casual", "skilled", "expert"]
        assert variant["levels"][4:] in (["perfect"], ["strongest"])
        assert (variant["value"]["value"] == "unknown") == (variant["value"]["proof"] == "none")
    assert by_key["classic"]["value"]["value"] == "draw"
    assert by_key["classic"]["levels"][-1] == "perfect"
    assert (by_key["four-in-a-row"]["shape"], by_key["four-in-a-row"]["gravity"]) == ([7, 6], True)
    assert (by_key["qubic"]["shape"], by_key["vanishing"]["marks_kept"]) == ([4, 4, 4], 3)
    assert (by_key["ultimate"]["shape"], by_key["ultimate"]["line"]) == ([9, 9], 3)
    assert by_key["classic"]["marks_kept"] is None


async def test_what_else_the_server_offers(server):
    features = (await Api(server.url).get("/api/variants"))["features"]
    assert features == {"lobby": True, "free_names": True, "public_url": None}


async def analysed(server, variant, *moves):
    return (await Api(server.url).get(f"/api/analysis?variant={variant}&moves={','.join(moves)}"))["positions"]


async def test_every_position_of_a_game_is_analysed(server):
    positions = await analysed(server, "classic", "b2", "b1", "a1")
    assert [position["ply"] for position in positions] == [0, 1, 2, 3]
    assert [position["turn"] for position in positions] == ["X", "O", "X", "O"]
    assert [position["verdict"]["value"] for position in positions] == ["draw", "draw", "win", "loss"]
    assert all(position["verdict"]["proof"] == "exact" for position in positions)
    assert positions[0]["best"] == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    assert positions[1]["best"] == ["a1", "c1", "a3", "c3"]
    assert positions[2]["verdict"]["plies"] == 5
    assert positions[3]["verdict"]["plies"] == 4
    assert positions[3]["best"] == ["c1", "a2", "c2", "a3", "b3", "c3"]  # lost: all legal moves


async def test_after_the_last_move_there_is_nothing_to_say(server):
    positions = await analysed(server, "classic", "a1", "a2", "b1", "b2", "c1")
    assert positions[-1] == {"ply": 5, "turn": None, "verdict": None, "best": []}
    assert positions[4]["verdict"] == {"value": "win", "plies": 1, "proof": "exact"}
    # The last of these brings about a position for the third time.
    thrice = ["a2", "a1", "c2", "c1", "a3", "b3", "b1", "a2", "b2", "a1", "c2", "c1"]
    thrice += ["a3", "b3", "b1", "b2", "a2", "a1", "c2", "c1", "a3", "b3", "b1"]
    positions = await analysed(server, "vanishing", *thrice)
    assert positions[-1] == {"ply": 23, "turn": None, "verdict": None, "best": []}
    assert positions[-2]["verdict"]["value"] == "win"


async def test_the_empty_list_is_the_empty_board(server):
    for query in ("variant=classic", "variant=classic&moves="):
        (position,) = (await Api(server.url).get(f"/api/analysis?{query}"))["positions"]
        assert (position["ply"], position["turn"], position["verdict"]["value"]) == (0, "X", "draw")


@pytest.mark.parametrize(
    ("variant", "moves", "ply"),
    [
        ("classic", "b2,b2", 1),
        ("classic", "d4", 0),
        ("classic", "a1,a10", 1),
        ("classic", "a1,a1.1", 1),
        ("classic", "A1", 0),
        ("classic", "a0", 0),
        ("classic", "a1,a2,b1,b2,c1,c2", 5),
        ("classic", "b2,b2,zz9", 1),
        ("four-in-a-row", "d6,d4", 1),
        ("qubic", "a1", 0),
        ("ultimate", "e5,a1", 1),
    ],
)
async def test_an_illegal_move_is_told_with_its_ply(server, variant, moves, ply):
    status, answer = await Api(server.url).call("GET", f"/api/analysis?variant={variant}&moves={moves}")
    if "zz9" in moves:
        assert (status, answer["error"]["code"]) == (400, "bad_message")
    else:
        assert (status, answer["error"]["code"], answer["error"]["ply"]) == (400, "illegal_move", ply)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "moves=a1",
        "variant=chess&moves=a1",
        "variant=classic&moves=a1,,b1",
        "variant=classic&moves=5",
        "variant=classic&moves=a1%20b1",
        "variant=classic&moves=" + ",".join(["a1"] * 10),
        "variant=vanishing&moves=" + ",".join(["a1"] * 201),
        "variant=classic&moves=%C3%A41",
    ],
)
async def test_an_analysis_that_cannot_be_asked(server, query):
    assert await rejection(Api(server.url), "GET", f"/api/analysis?{query}") == (400, "bad_message")
