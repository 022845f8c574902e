"""Ids, secrets, codes and names: as random as promised, and fit for where they are used."""

from __future__ import annotations

import base64
import random
import secrets
from itertools import chain, repeat

import pytest

from noughts.app.players.identity import (
    MAX_NAME,
    NAMES,
    clean_name,
    hash_secret,
    new_id,
    new_resume_code,
    new_secret,
    new_token,
    plain_code,
    random_name,
)
from noughts.errors import Rejection


def test_an_id_has_at_least_96_random_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than one bit of the 104 goes to the ids that begin with a dash."""
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size: f"{size} bytes")
    size, _ = new_id().split()
    assert int(size) * 8 - 1 >= 96


def test_no_id_looks_like_a_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = chain(("-starts-with-a-dash", "--twice"), repeat("fine"))
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size: next(ids))
    assert new_id() == "fine"


@pytest.mark.parametrize("secret", [new_token(), new_secret()], ids=["token", "secret"])
def test_secrets_have_at_least_128_random_bits(secret: str) -> None:
    assert len(base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))) * 8 >= 128


def test_secrets_differ() -> None:
    for new in (new_token, new_secret, new_id, new_resume_code):
        assert len({new() for _ in range(100)}) == 100


def test_only_a_hash_of_a_secret_is_stored() -> None:
    assert hash_secret("secret") == hash_secret("secret")
    assert hash_secret("secret") != hash_secret("Secret")
    assert b"secret" not in hash_secret("secret")
    assert len(hash_secret("half a pair: \ud800")) == 32


def test_a_resume_code_can_be_typed() -> None:
    """No two of its letters look alike, and it has more than 40 random bits. Case, spaces and dashes do not matter."""
    code = new_resume_code()
    letters = plain_code(code)
    assert len(code) == 11
    assert (code[5], len(letters)) == ("-", 10)  # of 30 letters: 49 bits
    assert not set("01ILOU") & set(letters)
    assert plain_code(f"  {code.lower().replace('-', ' ')} ") == letters


def test_a_name_that_is_made_up_is_a_valid_one() -> None:
    rng = random.Random(1)
    for language in NAMES:
        names = {random_name(rng, language) for _ in range(2_000)}
        assert len(names) > 500
        assert all(clean_name(name) == name for name in names)


# --- names --------------------------------------------------------------------------------------------------------

VALID = {
    "trimmed": ("  Ann \t", "Ann"),
    "composed": ("A\u0308nne", "Änne"),
    "of twenty-four characters": ("x" * 24, "x" * 24),
    "of twenty-four once composed": ("e\u0301" * 24, "é" * 24),
    "with spaces inside": ("Ann of  Kent", "Ann of  Kent"),
    "a family held together by joiners": ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    "Persian with a non-joiner": ("می\u200cخواهم", "می\u200cخواهم"),
    "Arabic": ("ليلى", "ليلى"),
    "an emoji of a later Unicode": ("\U0001fae9", "\U0001fae9"),
    "the flag of Scotland": ("🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",) * 2,
    "markup, which is text": ("<b>&amp;", "<b>&amp;"),
    "null as text": ("null", "null"),
}
INVALID = {
    "empty": "",
    "spaces": "   ",
    "of twenty-five characters": "x" * 25,
    "with a control": "An\x07n",
    "with a null character": "A\0nn",
    "with a line break": "An\nn",
    "with a delete": "An\x7fn",
    "with a C1 control": "An\x9bn",
    "with a line separator": "An\u2028n",
    "with a paragraph separator": "An\u2029n",
    "with half a surrogate pair": "An\ud800n",
    "with private use": "An\ue000n",
    "turned around": "An\u202en",
    "isolated": "An\u2066n",
    "with a right-to-left mark": "An\u200fn",
    "with an Arabic letter mark": "An\u061cn",
    "joiners alone": "\u200d\u200c",
    "a soft hyphen alone": "\u00ad",
    "a zero width space alone": "\u200b",
    "a combining mark alone": "\u0301",
    "a filler": "\u3164",
    "an empty Braille cell": "\u2800",
    "variation selectors": "\ufe0f\ufe0f",
    "a noncharacter": "\uffff",
    "a noncharacter of Arabic": "\ufdd0",
    "reserved as ignorable": "\U000e0080",
}


@pytest.mark.parametrize("kind", VALID)
def test_a_valid_name_is_kept_composed_and_trimmed(kind: str) -> None:
    given, expected = VALID[kind]
    assert clean_name(given) == expected


@pytest.mark.parametrize("kind", INVALID)
def test_an_invalid_name_is_rejected(kind: str) -> None:
    with pytest.raises(Rejection) as error:
        clean_name(INVALID[kind])
    assert error.value.code == "bad_message"


def test_a_rejected_name_says_what_is_wrong() -> None:
    for name, words in (("", "visible"), ("x" * (MAX_NAME + 1), "at most 24 characters"), ("\0", "control")):
        with pytest.raises(Rejection, match=words):
            clean_name(name)
