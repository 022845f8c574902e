"""Verdicts, analyses and choices."""

from __future__ import annotations

from typing import get_args

from noughts.engine.verdict import OPPOSITE, UNKNOWN, Analysis, Choice, Proof, Value, Verdict


def test_an_unknown_verdict_claims_nothing() -> None:
    assert Verdict("unknown", None, "none") == UNKNOWN


def test_the_names_of_values_and_proofs() -> None:
    """Both go over the wire, so a new name is a change of the protocol."""
    assert set(get_args(Value)) == {"win", "draw", "loss", "unknown"}
    assert set(get_args(Proof)) == {"exact", "book", "none"}


def test_every_value_has_its_opposite() -> None:
    assert set(OPPOSITE) == set(get_args(Value))
    assert all(OPPOSITE[OPPOSITE[value]] == value for value in OPPOSITE)
    assert (OPPOSITE["win"], OPPOSITE["draw"]) == ("loss", "draw")


def test_the_order_of_the_fields() -> None:
    """Callers unpack these tuples."""
    verdict, best, complete = Analysis(Verdict("win", 3, "exact"), (4, 7), True)
    value, plies, proof = verdict
    assert (value, plies, proof, best, complete) == ("win", 3, "exact", (4, 7), True)
    assert Choice(4, UNKNOWN) == (4, UNKNOWN)
