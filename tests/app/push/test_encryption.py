"""Check the encryption and the signature of Web Push against the examples of RFC 8291 and RFC 8292."""

from __future__ import annotations

import base64
import itertools
import json
import secrets

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from noughts.app.push.encryption import (
    CURVE,
    MAX_MESSAGE_BYTES,
    ServerKey,
    encrypt,
    is_point,
    new_private_key,
    public_bytes,
    unpadded,
)
from tests.support.push_browser import Browser, decoded

# RFC 8291, section 5 and appendix A.
MESSAGE = b"When I grow up, I want to be a watermelon"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
BROWSER_PRIVATE = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
BROWSER_PUBLIC = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
SERVER_PRIVATE = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y"
    "l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)
# RFC 8292, section 2.4.
TOKEN = (
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1h"
    "aWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
)
TOKEN_KEY = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"


def verify(token: str, public: str) -> dict[str, object]:
    """Return the claims of a token. Raise ``InvalidSignature``."""
    signed, _, signature = token.rpartition(".")
    content = decoded(signature)
    assert len(content) == 64
    encoded = utils.encode_dss_signature(int.from_bytes(content[:32]), int.from_bytes(content[32:]))
    key = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, decoded(public))
    key.verify(encoded, signed.encode(), ec.ECDSA(hashes.SHA256()))
    head, claims = signed.split(".")
    assert json.loads(decoded(head)) == {"typ": "JWT", "alg": "ES256"}
    return dict(json.loads(decoded(claims)))


def test_the_example_of_rfc_8291_gives_its_very_bytes() -> None:
    drawn = iter([decoded(SALT), decoded(SERVER_PRIVATE)])
    assert encrypt(MESSAGE, decoded(BROWSER_PUBLIC), decoded(AUTH), lambda count: next(drawn)) == decoded(BODY)


def test_a_browser_reads_the_example_of_rfc_8291() -> None:
    assert Browser(decoded(BROWSER_PRIVATE), decoded(AUTH)).decrypt(decoded(BODY)) == MESSAGE


@pytest.mark.parametrize("size", [0, 1, 200, MAX_MESSAGE_BYTES])
def test_a_browser_reads_what_the_server_encrypts(size: int) -> None:
    browser = Browser.new()
    body = encrypt(bytes(size), browser.public, browser.auth, secrets.token_bytes)
    assert browser.decrypt(body) == bytes(size)
    assert len(body) <= 4_096


def test_a_message_that_is_too_long_is_not_encrypted() -> None:
    browser = Browser.new()
    with pytest.raises(ValueError, match="too long"):
        encrypt(bytes(MAX_MESSAGE_BYTES + 1), browser.public, browser.auth, secrets.token_bytes)


def test_only_uncompressed_points_of_the_curve_are_keys() -> None:
    point = decoded(BROWSER_PUBLIC)
    assert is_point(point)
    assert not any(map(is_point, [b"", point[:-1], point + b"\0", b"\4" + bytes(64), b"\2" + point[1:33]]))


def test_a_private_key_is_drawn_again_if_it_is_out_of_range() -> None:
    drawn = itertools.chain([bytes(32), b"\xff" * 32, decoded(SERVER_PRIVATE)])
    key = new_private_key(lambda count: next(drawn))
    assert public_bytes(key)[:3] == b"\4\xfe3"


def test_the_token_of_rfc_8292_is_verified_as_ours_are() -> None:
    assert verify(TOKEN, TOKEN_KEY)["aud"] == "https://push.example.net"


def test_the_signature_of_a_server_names_service_contact_and_time() -> None:
    key = ServerKey(decoded(SERVER_PRIVATE))
    scheme, token, public = key.authorization("https://push.example.net", "https://games.example.org", 1_000).split(" ")
    assert (scheme, public) == ("vapid", f"k={key.public}")
    claims = {"aud": "https://push.example.net", "exp": 1_000 + 43_200, "sub": "https://games.example.org"}
    assert verify(token.removeprefix("t=").rstrip(","), key.public) == claims
    with pytest.raises(InvalidSignature):
        verify(token.removeprefix("t=").rstrip(","), ServerKey(secrets.token_bytes(32)).public)


def test_bytes_become_base64url_without_padding() -> None:
    assert unpadded(b"\xff\xfe") == "__4"
    assert base64.urlsafe_b64decode("__4=") == b"\xff\xfe"
