"""What Web Push needs of cryptography: the encryption of a message for one browser, and the signature of a server.

RFC 8291 (message encryption), RFC 8188 (content encoding ``aes128gcm``) and RFC 8292 (VAPID). A server imports this module
only with its first subscription, by the table ``command_line.PARTS``: it takes 40 ms to load.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE: Final = ec.SECP256R1()
POINT_BYTES: Final = 65
"""An uncompressed point of the curve: 4, x and y."""
AUTH_BYTES: Final = 16
SALT_BYTES: Final = 16
RECORD_BYTES: Final = 4_096
"""The size of a record of the encoding. A message is one record."""
TAG_BYTES: Final = 16
LAST_RECORD: Final = b"\x02"
"""The byte after the content of the last record."""
MAX_MESSAGE_BYTES: Final = RECORD_BYTES - SALT_BYTES - 4 - 1 - POINT_BYTES - TAG_BYTES - len(LAST_RECORD)
"""The longest message that push services must accept (RFC 8291, section 4)."""
TOKEN_S: Final = 12 * 3_600
"""Seconds for which a token of the server is valid. RFC 8292 allows 24 hours."""

Random = Callable[[int], bytes]
"""Return that many random bytes, such as ``secrets.token_bytes``."""


def unpadded(content: bytes) -> str:
    """Return bytes as base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def public_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the public part of a key as an uncompressed point."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def new_private_key(random: Random) -> ec.EllipticCurvePrivateKey:
    """Return a key made of random bytes."""
    while True:
        scalar = int.from_bytes(random(32))
        if 0 < scalar < CURVE.group_order:
            return ec.derive_private_key(scalar, CURVE)


def is_point(point: bytes) -> bool:
    """Return whether bytes are an uncompressed point of the curve."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
    except ValueError:
        return False
    return len(point) == POINT_BYTES


def encrypt(message: bytes, browser_key: bytes, auth: bytes, random: Random) -> bytes:
    """Return the body of a post to a push service.

    ``browser_key`` (an uncompressed point) and ``auth`` (16 bytes) are those of the subscription. The layout is::

        salt (16) | record size (4) | length of the key (1) | the server's key of this message (65) | ciphertext and tag

    Raise ValueError for a message of more than :data:`MAX_MESSAGE_BYTES`, and for a key that is no point of the curve.
    """
    if len(message) > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {len(message)} bytes is too long for Web Push")
    salt, private = random(SALT_BYTES), new_private_key(random)
    server_key = public_bytes(private)
    shared = private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, browser_key))
    secret = _derive(shared, auth, b"WebPush: info\0" + browser_key + server_key, 32)
    content_key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4) + bytes([POINT_BYTES]) + server_key
    return head + AESGCM(content_key).encrypt(nonce, message + LAST_RECORD, None)


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


class ServerKey:
    """The key pair with which a server identifies itself to push services."""

    def __init__(self, secret: bytes) -> None:
        """``secret`` is the private scalar, 32 bytes. Raise ValueError if it is none."""
        self._private = ec.derive_private_key(int.from_bytes(secret), CURVE)
        self.public = unpadded(public_bytes(self._private))
        """The public key in base64url, as a page gives it to its browser."""

    def authorization(self, origin: str, contact: str, now_s: int) -> str:
        """Return the header ``Authorization`` for a push service with this origin. ``contact`` is a URL of the operator."""
        claims = {"aud": origin, "exp": now_s + TOKEN_S, "sub": contact}
        signed = ".".join(unpadded(_compact(part)) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
        r, s = utils.decode_dss_signature(self._private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"vapid t={signed}.{unpadded(r.to_bytes(32) + s.to_bytes(32))}, k={self.public}"


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
