"""A push service of the test's own: HTTPS on the loopback, with a certificate that ``SSL_CERT_FILE`` names."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import ssl
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

CONTACT = "mailto:games@club.example.org"
"""What a push service is told of the operator."""


class Post(NamedTuple):
    """A post as the service received it."""

    path: str
    headers: Mapping[str, str]
    body: bytes


def write_certificate(directory: Path) -> tuple[Path, Path]:
    """Write a certificate for localhost and 127.0.0.1, and its key. Return their files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    names = x509.SubjectAlternativeName(
        [x509.DNSName("localhost"), x509.DNSName("*.push.test"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = directory / "push.crt", directory / "push.key"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return public, private


class PushService:
    """Answers the next posts with ``answers`` (status, headers), then with 201. It runs inside ``async with``."""

    def __init__(self, directory: Path, *answers: tuple[int, Mapping[str, str]]) -> None:
        self.certificate, self._key = write_certificate(directory)
        self.answers = list(answers)
        self.posts: list[Post] = []
        self.answers_of: dict[str, tuple[int, Mapping[str, str]]] = {}
        """The answers to all posts to a path. The status 0 is silence."""
        self.silent = False
        """Whether posts get no answer at all."""
        self.port = 0
        self._arrived = asyncio.Event()

    async def __aenter__(self) -> PushService:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._receive)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self._key)
        site = web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=context)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    def url(self, path: str = "p/1", host: str = "localhost") -> str:
        """Return the URL of an endpoint."""
        return f"https://{host}:{self.port}/{path}"

    async def wait(self, count: int, seconds: float = 10.0) -> list[Post]:
        """Return the posts as soon as there are ``count``."""
        async with asyncio.timeout(seconds):
            while len(self.posts) < count:
                self._arrived.clear()
                await self._arrived.wait()
        return self.posts

    def settings(self) -> dict[str, str]:
        """Return the environment of a server that may post to this service."""
        return {
            "SSL_CERT_FILE": str(self.certificate),
            "NOUGHTS_PUSH_HOSTS": f"localhost:{self.port}",
            "NOUGHTS_CONTACT": CONTACT,
        }

    async def _receive(self, request: web.Request) -> web.Response:
        self.posts.append(Post(request.path, dict(request.headers), await request.read()))
        self._arrived.set()
        status, headers = self.answers_of.get(request.path) or (self.answers.pop(0) if self.answers else (201, {}))
        if self.silent or not status:
            await asyncio.sleep(3_600)
        return web.Response(status=status, headers=dict(headers), body=b"x" * 100_000)


def statuses(*codes: int) -> list[tuple[int, Mapping[str, str]]]:
    """Return answers with these statuses and no headers."""
    return [(code, {}) for code in codes]
