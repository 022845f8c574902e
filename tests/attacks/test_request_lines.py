"""Requests that two parsers could read in two ways, and malformed requests, to a server with its default settings.

Behind a proxy, a body that the server takes for the next request could be a request of another person. So each of these
bytes must be one request, or be rejected with the end of the connection.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from tests.attacks.addresses import new_address
from tests.support.raw_http import END, Answer, exchange, request
from tests.support.server import RunningServer

JSON: Final = "Content-Type: application/json"
HIDDEN: Final = b"GET /api/strength?variant=classic HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
"""A request within a body. Its answer is like no other here."""
ANSWER_OF_HIDDEN: Final = b'"strength"'
NEW_PLAYER: Final = "POST /api/players"


class Case(NamedTuple):
    """Bytes, the statuses that their first answer may have, and whether the request that follows may be answered."""

    data: bytes
    statuses: frozenset[int] = frozenset((400,))
    goes_on: bool = False


def rejected(data: bytes, *statuses: int) -> Case:
    return Case(data, frozenset(statuses or (400,)))


def accepted(data: bytes, *statuses: int) -> Case:
    return Case(data, frozenset(statuses or (200, 201)), True)


def chunked(*headers: str, body: bytes) -> bytes:
    return request(NEW_PLAYER, JSON, *(headers or ("Transfer-Encoding: chunked",)), body=body)


LENGTHS: Final = {
    "CL.TE": rejected(
        request(NEW_PLAYER, JSON, "Content-Length: 75", "Transfer-Encoding: chunked", body=b"0\r\n\r\n" + HIDDEN)
    ),
    "TE.CL": rejected(
        request(NEW_PLAYER, JSON, "Transfer-Encoding: chunked", "Content-Length: 4", body=b"2\r\n{}\r\n0\r\n\r\n" + HIDDEN)
    ),
    "TE.TE": rejected(chunked("Transfer-Encoding: chunked", "Transfer-Encoding: identity", body=b"0\r\n\r\n" + HIDDEN)),
    "two lengths": rejected(request(NEW_PLAYER, JSON, "Content-Length: 2", "Content-Length: 70", body=b"{}" + HIDDEN)),
    "the same length twice": rejected(request(NEW_PLAYER, JSON, "Content-Length: 2", "Content-Length: 2", body=b"{}")),
    **{
        f"the length {length!r}": rejected(request(NEW_PLAYER, JSON, f"Content-Length: {length}", body=b"{}" + HIDDEN))
        for length in (
            "+2", "-2", "2, 2", "2,70", "0x2", "2 0", "2\0", "2.0", "2e0", "two", "\xb2", "184467440737095516160", "",
        )
    },
    "a length that is folded": rejected(request(NEW_PLAYER, JSON, "Content-Length:\r\n 2", body=b"{}")),
    "a space before the colon": rejected(request(NEW_PLAYER, JSON, "Content-Length : 2", body=b"{}" + HIDDEN)),
    "a body that is too large": accepted(request(NEW_PLAYER, JSON, "Content-Length: 16385", body=16_385 * b" "), 413),
    "a GET with a body": accepted(request("GET /api/variants", body=b"{}")),
    "a GET with a request as its body": accepted(request("GET /api/variants", body=HIDDEN)),
    "a length of zeros and a digit": accepted(request(NEW_PLAYER, JSON, "Content-Length: 0002", body=b"{}"), 201, 400),
}  # fmt: skip
ENCODINGS: Final = {
    **{
        f"the encoding {encoding!r}": rejected(
            chunked(f"Transfer-Encoding: {encoding}", body=b"2\r\n{}\r\n0\r\n\r\n"), 400, 415, 501
        )
        for encoding in (
            "xchunked", "chunked, identity", "identity", "chunked\x0b", "chunked;q=1", "chunke", "gzip, chunked, gzip",
            "\x0bchunked", "'chunked'", "",
        )
    },
    "an encoding before a line that is folded": rejected(chunked("Transfer-Encoding:\r\n chunked", body=b"0\r\n\r\n")),
    "a space before the colon": rejected(chunked("Transfer-Encoding : chunked", body=b"0\r\n\r\n")),
    "a line feed before the name": rejected(chunked("X: 1\r\n\nTransfer-Encoding: chunked", body=b"0\r\n\r\n")),
    "a name with an underscore": accepted(chunked("Transfer_Encoding: chunked", "Content-Length: 2", body=b"{}")),
    "an encoding in capitals": accepted(chunked("TRANSFER-ENCODING: CHUNKED", body=b"2\r\n{}\r\n0\r\n\r\n")),
    "chunks": accepted(chunked(body=b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")),
    "chunks with a trailer": accepted(chunked(body=b"2\r\n{}\r\n0\r\nX-More: 1\r\n\r\n"), 201, 400),
    "a trailer with a length": accepted(chunked(body=b"2\r\n{}\r\n0\r\nContent-Length: 99\r\n\r\n"), 201, 400),
    **{
        f"the chunk size {size!r}": rejected(chunked(body=size + b"\r\n{}\r\n0\r\n\r\n"))
        for size in (b"0x2", b"+2", b"-2", b"2 2", b" 2", b"", b"2_0", b"g", b"FFFFFFFFFFFFFFFFF", b"2\0", b"\xb2")
    },
    "a chunk that ends in a line feed": rejected(chunked(body=b"2\n{}\n0\n\n")),
    "a chunk that is longer than its size": rejected(chunked(body=b"2\r\n{}}\r\n0\r\n\r\n")),
    "a line feed in an extension": rejected(chunked(body=b"2;x\n{}\r\n0\r\n\r\n")),
    "a line feed after the size": rejected(chunked(body=b"2\n{}\r\n0\r\n\r\n")),
}  # fmt: skip
LINES: Final = {
    "no version": rejected(b"GET /\r\n\r\n"),
    **{
        f"the version {version}": rejected(f"GET / {version}\r\nHost: a\r\n\r\n".encode(), 400, 505)
        for version in (
            "HTTP/0.9",
            "HTTP/1.2",
            "HTTP/2.0",
            "HTTP/3",
            "HTTP/1.10",
            "http/1.1",
            "HTTP/1.1x",
            "HTTP/11",
            "X",
        )
    },
    "the preface of HTTP/2": rejected(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "TLS": rejected(bytes.fromhex("16030100c8010000c40303") + bytes(200)),
    "a line feed as the only end": rejected(b"GET /api/variants HTTP/1.1\nHost: a\n\n"),
    "a carriage return within the line": rejected(b"GET /\r HTTP/1.1\r\nHost: a\r\n\r\n"),
    "a NUL in the target": rejected(b"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"),
    "a NUL in a method": rejected(b"G\0T / HTTP/1.1\r\nHost: a\r\n\r\n"),
    "a space in the target": rejected(b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
    "a tab for a space": rejected(b"GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n"),
    "a method in small letters": rejected(b"get / HTTP/1.1\r\nHost: a\r\n\r\n", 400, 405),
    "a long method": rejected(b"A" * 9_000 + b" / HTTP/1.1\r\nHost: a\r\n\r\n"),
    "a long target": rejected(b"GET /" + 9_000 * b"a" + b" HTTP/1.1\r\nHost: a\r\n\r\n", 400, 414),
    "a long query": rejected(b"GET /?" + 20_000 * b"a" + b" HTTP/1.1\r\nHost: a\r\n\r\n", 400, 414),
    "the authority form": accepted(b"CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n", 400, 404, 405),
    "the absolute form": accepted(request("GET http://elsewhere.example/api/variants")),
    "only the method": rejected(b"GET\r\n\r\n"),
    "only spaces": rejected(b"   \r\n\r\n"),
    "TRACE": accepted(request("TRACE /api/variants"), 405),
    "OPTIONS for all": accepted(request("OPTIONS *"), 400, 404, 405),
    "a target without a slash": accepted(request("GET api/variants"), 400, 404),
}
HEADERS: Final = {
    "no Host": rejected(request("GET /", host=None)),
    "two Hosts": accepted(request("GET /", "Host: other"), 400),
    **{
        f"the Host {host!r}": accepted(request("GET /api/variants", host=host), 400)
        for host in (
            "", "a b", "a/b", "a@b", "a?b", "a#b", "a:b", "a:123456", "[::1", "::1", "a,b", "\xe4", "a\\b", "<a>", 300 * "a",
            "[::1]x", "a:", '"', "'", "a:80:80",
        )
    },
    "a folded header": rejected(b"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n"),
    "a NUL in a header": rejected(b"GET / HTTP/1.1\r\nHost: a\r\nX: 1\0\r\n\r\n"),
    "a carriage return in a header": rejected(b"GET / HTTP/1.1\r\nHost: a\r\nX: 1\rY: 2\r\n\r\n"),
    "a header without a colon": rejected(b"GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n"),
    "a header without a name": rejected(b"GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n"),
    "a name with a space": rejected(b"GET / HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n"),
    "a name with a colon in brackets": rejected(b"GET / HTTP/1.1\r\nHost: a\r\nX(: 1\r\n\r\n"),
    "a name that is not ASCII": rejected(b"GET / HTTP/1.1\r\nHost: a\r\n\xe4: 1\r\n\r\n"),
    "a long header": rejected(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + 9_000 * b"a" + b"\r\n\r\n", 400, 431),
    "a long name": rejected(b"GET / HTTP/1.1\r\nHost: a\r\n" + 9_000 * b"a" + b": 1\r\n\r\n", 400, 431),
    "very many headers": rejected(request("GET /", *[f"X-{n}: 1" for n in range(20_000)]), 400, 431),
    "an unknown expectation": accepted(request(NEW_PLAYER, JSON, "Expect: a-miracle", body=b"{}"), 417),
    "an encoded body": accepted(request(NEW_PLAYER, JSON, "Content-Encoding: gzip", body=b"{}"), 415),
    "an upgrade to HTTP/2": rejected(request("GET /api/variants", "Connection: Upgrade", "Upgrade: h2c"), 200),
    "another method by a header": accepted(request("GET /api/variants", "X-HTTP-Method-Override: DELETE")),
    "another path by a header": accepted(request("GET /api/variants", "X-Original-URL: /admin/rooms")),
}  # fmt: skip
CASES: Final = {
    f"{group}: {name}": case
    for group, cases in (("lengths", LENGTHS), ("encodings", ENCODINGS), ("lines", LINES), ("headers", HEADERS))
    for name, case in cases.items()
}


def is_short(answer: Answer) -> bool:
    """Return whether an answer to malformed bytes names neither versions nor what was sent."""
    return len(answer.body) < 400 and not any(
        text in answer.body.lower() for text in (b"aiohttp", b"python", b"elsewhere", b"traceback")
    )


@pytest.mark.parametrize("name", CASES)
async def test_malformed_bytes_are_never_two_requests(default_server: RunningServer, name: str) -> None:
    data, statuses, goes_on = CASES[name]
    answers = await exchange(default_server, data + END, new_address())
    final = [answer for answer in answers if answer.status >= 200]
    assert final, "no answer"
    assert final[0].status in statuses, final[0]
    assert final[0].status < 400 or is_short(final[0]), final[0]
    assert all(ANSWER_OF_HIDDEN not in answer.body for answer in final[1:]), "a body was taken for a request"
    assert len(final) <= 2
    if not goes_on:
        assert len(final) == 1, "the connection must end after a request that is malformed"
    elif final[0].status < 400:
        assert [answer.status for answer in final[1:]] == [200], "the next request must be answered"


async def test_a_pipeline_is_answered_in_order(default_server: RunningServer) -> None:
    paths = ("/api/variants", "/api/strength?variant=classic", "/api/rooms", "/nothing")
    answers = await exchange(default_server, b"".join(request(f"GET {path}") for path in paths) + END, new_address())
    assert [answer.status for answer in answers] == [200, 200, 200, 404, 200]
    assert ANSWER_OF_HIDDEN in answers[1].body


async def test_a_malformed_request_ends_a_pipeline(default_server: RunningServer) -> None:
    """aiohttp also drops the requests before it, if all came in one piece."""
    pipeline = request("GET /api/rooms") + b"GET / HTTP/9\r\n\r\n" + HIDDEN
    statuses = [answer.status for answer in await exchange(default_server, pipeline + END, new_address())]
    assert statuses in ([400], [200, 400])


@pytest.mark.parametrize("path", ["/api/variants", "/ws", "/nothing"])
async def test_an_upgrade_that_is_not_made_ends_the_connection(default_server: RunningServer, path: str) -> None:
    """aiohttp reads no further request after it, so a client must not wait for the next answer."""
    data = request(f"GET {path}", "Connection: Upgrade", "Upgrade: h2c", "Origin: https://evil.example")
    (answer,) = await exchange(default_server, data, new_address())
    assert answer.header("Connection") == "close"


async def test_a_head_has_no_body(default_server: RunningServer) -> None:
    data = request("HEAD /api/variants", "Connection: close")
    (answer,) = await exchange(default_server, data, new_address(), heads_only=True)
    assert answer.status == 200
