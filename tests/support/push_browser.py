"""The browser's part of Web Push: keys of a subscription, and the decryption of what a push service passes on (RFC 8291)."""

from __future__ import annotations

import base64
import secrets

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def decoded(text: str) -> bytes:
    """Return the bytes of base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(content: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Browser:
    """A browser with one subscription."""

    def __init__(self, private: bytes, auth: bytes) -> None:
        self._private = ec.derive_private_key(int.from_bytes(private), ec.SECP256R1())
        self.public = self._private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.auth = auth

    @classmethod
    def new(cls) -> Browser:
        """Return a browser with new keys."""
        private = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
        return cls(private.to_bytes(32), secrets.token_bytes(16))

    def subscription(self, endpoint: str) -> dict[str, object]:
        """Return what a page sends to ``/api/players/me/push``."""
        return {"endpoint": endpoint, "keys": {"p256dh": encoded(self.public), "auth": encoded(self.auth)}}

    def decrypt(self, body: bytes) -> bytes:
        """Return the message in the body of a post. Raise an exception if it is not for this browser."""
        salt, size = body[:16], body[20]
        key, ciphertext = body[21 : 21 + size], body[21 + size :]
        shared = self._private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key))
        secret = _hkdf(shared, self.auth, b"WebPush: info\x00" + self.public + key, 32)
        content_key = _hkdf(secret, salt, b"Content-Encoding: aes128gcm\x00", 16)
        nonce = _hkdf(secret, salt, b"Content-Encoding: nonce\x00", 12)
        message = AESGCM(content_key).decrypt(nonce, ciphertext, None).rstrip(b"\x00")
        assert message.endswith(b"\x02"), "the last record ends with 2 and zeros"
        return message[:-1]


def _hkdf(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)
