"""Ids and secrets: as random as promised, and fit for where people put them."""

from __future__ import annotations

import base64
from itertools import chain, repeat

from noughts.app import identity


def test_an_id_has_96_random_bits_and_more(monkeypatch):
    asked = []
    monkeypatch.setattr(identity.secrets, "token_urlsafe", lambda size: asked.append(size) or "a" * 18)
    identity.new_id()
    assert asked[0] * 8 - 1 >= 96  # less than one bit goes to those that begin with a dash


def test_no_id_looks_like_a_flag(monkeypatch):
    made = chain(("-starts-with-a-dash", "--twice"), repeat("fine"))
    monkeypatch.setattr(identity.secrets, "token_urlsafe", lambda size: next(made))
    assert identity.new_id() == "fine"


def test_secrets_have_the_bits_that_the_contract_asks_for():
    for secret, bits in ((identity.new_token(), 128), (identity.new_secret(), 128)):
        assert len(base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))) * 8 >= bits
