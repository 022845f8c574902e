"""Secret tokens, names and resume codes of guests. Only the hash of a secret is ever stored."""

from __future__ import annotations

import hashlib
import random
import secrets
import unicodedata
from typing import Final

from noughts.errors import Rejection
from noughts.printable import FORBIDDEN, normalized
from noughts.values import Value

MAX_NAME: Final = 24
MAX_IDENTITY: Final = 256
"""The most code points of an identity that a proxy vouches for."""
RESUME_MS: Final = 600_000


class NameWords(Value):
    """The words of made-up names in one language, and which of them is first."""

    adjective_first: bool
    adjectives: tuple[str, ...]
    animals: tuple[str, ...]


NAMES: Final = {
    "en": NameWords(
        True,
        (
            "Amber", "Brave", "Brisk", "Calm", "Clever", "Copper", "Curious", "Eager", "Gentle", "Golden", "Happy",
            "Jolly", "Keen", "Kind", "Lively", "Lucky", "Merry", "Mellow", "Nimble", "Patient", "Plucky", "Quick",
            "Quiet", "Ruby", "Silver", "Sly", "Snowy", "Sunny", "Swift", "Witty",
        ),
        (
            "Badger", "Beaver", "Crane", "Dolphin", "Falcon", "Ferret", "Finch", "Fox", "Gecko", "Hare", "Hedgehog",
            "Heron", "Ibis", "Koala", "Lark", "Lemur", "Lynx", "Magpie", "Marten", "Moose", "Newt", "Otter", "Owl",
            "Panda", "Puffin", "Raven", "Robin", "Seal", "Stork", "Wombat",
        ),
    ),
    "de": NameWords(
        True,
        (
            "Bunter", "Flinker", "Forscher", "Froher", "Goldener", "Heiterer", "Kecker", "Kesser", "Kleiner", "Kluger",
            "Kühner", "Leiser", "Lieber", "Lustiger", "Munterer", "Mutiger", "Netter", "Pfiffiger", "Ruhiger",
            "Sanfter", "Schlauer", "Schneller", "Sonniger", "Stiller", "Tapferer", "Treuer", "Wacher", "Wackerer",
            "Weiser", "Wilder",
        ),
        (
            "Adler", "Bär", "Biber", "Dachs", "Delfin", "Elch", "Falke", "Fink", "Fuchs", "Gecko", "Hamster", "Hase",
            "Hirsch", "Igel", "Kranich", "Luchs", "Marder", "Milan", "Molch", "Otter", "Panda", "Pinguin", "Rabe",
            "Reiher", "Seehund", "Spatz", "Storch", "Uhu", "Wal", "Wolf",
        ),
    ),
    "es": NameWords(
        False,
        (
            "Ágil", "Alegre", "Amable", "Astuto", "Audaz", "Bravo", "Calmo", "Claro", "Curioso", "Dorado", "Dulce",
            "Feliz", "Fiel", "Fuerte", "Gentil", "Hábil", "Intrépido", "Jovial", "Justo", "Leal", "Ligero", "Listo",
            "Noble", "Pacífico", "Plateado", "Rápido", "Sabio", "Sereno", "Tranquilo", "Valiente",
        ),
        (
            "Búfalo", "Búho", "Canario", "Castor", "Ciervo", "Colibrí", "Conejo", "Cuervo", "Delfín", "Erizo",
            "Flamenco", "Gato", "Gorrión", "Halcón", "Hurón", "Jilguero", "Koala", "Lince", "Lobo", "Mapache", "Mirlo",
            "Oso", "Panda", "Petirrojo", "Pingüino", "Puma", "Tejón", "Topo", "Tucán", "Zorro",
        ),
    ),
    "ar": NameWords(
        False,
        (
            "سريع", "ذكي", "شجاع", "هادئ", "مرح", "لطيف", "نشيط", "حكيم", "وفي", "كريم", "ماهر", "سعيد", "رشيق", "جريء",
            "صبور", "لامع", "ودود", "فضولي", "بارع", "ظريف", "نبيل", "يقظ", "خفيف", "أنيق", "متفائل", "صادق", "باسم",
            "رائع", "حالم", "عنيد",
        ),
        (
            "صقر", "نمر", "أسد", "فهد", "ذئب", "غزال", "حصان", "دلفين", "قنفذ", "أرنب", "هدهد", "بلبل", "طاووس", "نورس",
            "نسر", "ببغاء", "دب", "باندا", "كناري", "عصفور", "حوت", "بطريق", "جمل", "وشق", "سنجاب", "كروان", "لقلق",
            "ثعلب", "غراب", "قندس",
        ),
    ),
}  # fmt: skip
"""The words of made-up names by language, all of one gender, so that they agree."""

# Letters, numbers, punctuation and symbols are visible. Marks, spaces, joiners and other format characters are not on their
# own, nor are these fillers. A code point that is unassigned here may be an emoji of a later Unicode.
_VISIBLE: Final = frozenset("LNPS")
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def new_token() -> str:
    """Return a bearer token of 192 random bits."""
    return secrets.token_urlsafe(24)


def new_secret() -> str:
    """Return an invite of 128 random bits."""
    return secrets.token_urlsafe(16)


def new_id() -> str:
    """Return an id of 104 random bits, for a room or, behind ``p_``, a player.

    It never begins with a dash: ``noughts close ID`` would take it for a flag.
    """
    while (room_id := secrets.token_urlsafe(13)).startswith("-"):
        pass
    return room_id


_CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # without 0, 1, I, L, O and U, which look like others
_CODE_LENGTH: Final = 10


def new_resume_code() -> str:
    """Return a code to type: ten letters from an alphabet of thirty, 49 bits, in two groups."""
    letters = "".join(secrets.choice(_CODE_LETTERS) for _ in range(_CODE_LENGTH))
    return f"{letters[:5]}-{letters[5:]}"


def plain_code(code: str) -> str:
    """Return a typed code reduced to its letters. Raise ``unauthorized`` for a text that is no code."""
    letters = normalized(code).upper()
    if len(letters) != _CODE_LENGTH or not set(letters) <= set(_CODE_LETTERS):
        raise wrong_code()
    return letters


def wrong_code() -> Rejection:
    """Return the rejection of any code that gives no token."""
    return Rejection("unauthorized", "This code is wrong, used or expired: make a new one on the other device.")


def hash_secret(secret: str) -> bytes:
    """Return the hash under which a secret is stored. A random token of this length needs no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def token_id(token_hash: bytes) -> str:
    """Return the id under which a player sees a token. It is of no use to guess the token."""
    return token_hash[:12].hex()


def random_name(rng: random.Random, language: str) -> str:
    """Return a random name in one of the languages of ``NAMES``, for a guest who gave none."""
    words = NAMES[language]
    adjective, animal = rng.choice(words.adjectives), rng.choice(words.animals)
    return f"{adjective} {animal}" if words.adjective_first else f"{animal} {adjective}"


def _may_be_assigned_later(letter: str, kind: str) -> bool:
    """Return whether a later Unicode may show this code point: it is neither a noncharacter nor reserved as ignorable."""
    code = ord(letter)
    reserved = code in range(0xFFF0, 0xFFF9) or code in range(0xE0000, 0xE1000) or code in range(0x2060, 0x2070)
    return kind == "Cn" and code & 0xFFFE != 0xFFFE and code not in range(0xFDD0, 0xFDF0) and not reserved


def clean_name(name: str, most: int = MAX_NAME) -> str:
    """Return a name in NFC, without space at its ends. Raise ``bad_message`` for a name that is not allowed."""
    cleaned = unicodedata.normalize("NFC", name).strip()
    categories = [(letter, unicodedata.category(letter)) for letter in cleaned]
    if FORBIDDEN.search(cleaned):
        raise Rejection("bad_message", "A name may not hold control, private or direction characters.")
    if not any(
        (kind[0] in _VISIBLE and letter not in _BLANK) or _may_be_assigned_later(letter, kind)
        for letter, kind in categories
    ):
        raise Rejection("bad_message", "A name needs at least one visible character.")
    if len(cleaned) > most:
        raise Rejection("bad_message", f"A name has at most {most} characters.")
    return cleaned


def identity_name(identity: str) -> str:
    """Return the name of a player for whom a proxy vouches: the beginning of the identity.

    Raise ``bad_message`` for an identity that is empty, too long, or has a character that no name may have.
    """
    if len(identity) > MAX_IDENTITY:
        raise Rejection("bad_message", f"A name has at most {MAX_IDENTITY} characters.")
    # NFC makes a text three times as long at most.
    return clean_name(clean_name(identity, 3 * MAX_IDENTITY)[:MAX_NAME])
