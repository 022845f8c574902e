"""Rejections and the table of their codes."""

from __future__ import annotations

from typing import get_args

import pytest

from noughts.errors import CODES, Code, Rejection, fault

_JOINS = ("tournament_full", "tournament_started", "tournament_over")


def test_the_type_names_the_codes_of_the_table_in_order() -> None:
    assert tuple(CODES) == get_args(Code)


def test_codes_of_http_alone_come_last() -> None:
    """On the socket the first code that applies is sent, in the order of the table."""
    senses = [info.over for info in CODES.values()]
    assert "HTTP" not in senses[: senses.index("HTTP")]
    assert set(senses[senses.index("HTTP") :]) == {"HTTP"}


@pytest.mark.parametrize(
    ("status", "codes"),
    [
        (401, {"unauthorized"}),
        (403, {"forbidden"}),
        (404, {"unknown_room", "unknown_puzzle", "unknown_tournament", "not_found"}),
        (405, {"not_allowed"}),
        (409, {"stale", "seat_taken", "conflict", "name_taken", *_JOINS}),
        (413, {"too_large"}),
        (415, {"unsupported_media"}),
        (429, {"rate_limited", "too_many_rooms", "too_many_tournaments"}),
        (500, {"internal"}),
        (503, {"unavailable"}),
    ],
)
def test_the_statuses_of_the_contract(status: int, codes: set[str]) -> None:
    assert {code for code, info in CODES.items() if info.status == status} == codes


def test_a_rejection_carries_code_and_message() -> None:
    rejection = Rejection("illegal_move", "b2 is taken.")
    assert (rejection.code, rejection.message) == ("illegal_move", "b2 is taken.")
    assert (rejection.retry_ms, rejection.ply) == (None, None)
    assert str(rejection) == "illegal_move: b2 is taken."


def test_a_fault_says_nothing_of_its_cause() -> None:
    rejection = fault()
    assert (rejection.code, rejection.retry_ms) == ("internal", None)
    assert rejection.message == "Something went wrong on the server: try again."
