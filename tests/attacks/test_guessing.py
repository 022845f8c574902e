"""Guesses of rooms, tokens, invites and resume codes: every wrong one gets the same answer, whatever it resembles."""

from __future__ import annotations

from typing import Final

from noughts.app.players.identity import new_resume_code
from noughts.app.runtime.limits import RESUME
from tests.attacks.addresses import new_address
from tests.attacks.resume_tries import statuses_of
from tests.support.player import Api, enter, friends_room, guest
from tests.support.raw_http import END, Answer, exchange, request
from tests.support.raw_websocket import CLOSE, TEXT, client_frame, handshake
from tests.support.server import RunningServer

JSON: Final = "Content-Type: application/json"


def guesses(secret: str) -> list[str]:
    """Return texts that resemble a secret, and some that do not."""
    other = "A" if secret[0] != "A" else "B"
    last = "A" if secret[-1] != "A" else "B"
    return [
        other + secret[1:],
        secret[:-1] + last,
        secret[:-1],
        secret + "A",
        secret[: len(secret) // 2],
        secret.swapcase(),
        secret[::-1],
        len(secret) * "A",
        "A",
        "-",
        "p_" + secret,
        secret + " x",
        300 * "A",
    ]


def without_length(answer: Answer) -> tuple[int, list[str], bytes]:
    """Return an answer without the headers that differ from time to time."""
    lines = [line for line in answer.head.split("\r\n") if not line.lower().startswith("date:")]
    return answer.status, lines, answer.body


async def test_unknown_rooms_are_alike(default_server: RunningServer) -> None:
    ann = await guest(default_server.url, "Ann")
    room, closed = [(await friends_room(default_server, ann))["room"]["id"] for _ in range(2)]
    async with enter(default_server, closed, ann) as socket:
        await socket.ask("close")
        assert await socket.closed() == 4410
    rooms = [closed, *(guess.replace(" ", "%20") for guess in guesses(room))]
    for path in ("/api/rooms/{}", "/api/rooms/{}/games/1"):
        answers = [
            (await exchange(default_server, request(f"GET {path.format(r)}") + END, new_address()))[0] for r in rooms
        ]
        assert {answer.status for answer in answers} == {404}
        assert len({str(without_length(answer)) for answer in answers}) == 1
    codes = []
    for text in (closed, *guesses(room)):
        async with handshake(default_server, address=new_address()) as client:
            hello = f'{{"type":"hello","protocol":1,"room":"{text}","token":"{ann.token}"}}'
            client.writer.write(client_frame(TEXT, hello.encode()))
            codes.append(await client.until_frame(CLOSE))
    assert len(set(codes)) == 1
    assert codes[0][:2] == (4404).to_bytes(2, "big")


async def test_wrong_tokens_are_alike(default_server: RunningServer) -> None:
    token = str((await guest(default_server.url)).token)
    answers, codes = [], []
    for text in guesses(token):
        header = f"Authorization: Bearer {text}"
        answers.append((await exchange(default_server, request("GET /api/players/me", header) + END, new_address()))[0])
        async with handshake(default_server, address=new_address()) as client:
            hello = f'{{"type":"hello","protocol":1,"lobby":true,"token":"{text}"}}'
            client.writer.write(client_frame(TEXT, hello.encode()))
            codes.append(await client.until_frame(CLOSE))
    assert {answer.status for answer in answers} == {401}
    assert len({str(without_length(answer)) for answer in answers}) == 1
    assert len(set(codes)) == 1
    assert codes[0][:2] == (4401).to_bytes(2, "big")
    print(f"{len(answers)} false tokens over HTTP and {len(codes)} in a hello: 1 answer each")


async def test_wrong_invites_are_alike(default_server: RunningServer) -> None:
    answer = await friends_room(default_server, await guest(default_server.url, "Ann"))
    async with enter(default_server, answer["room"]["id"], await guest(default_server.url, "Eve")) as socket:
        rejections = [await socket.ask("sit", mark="O", id="same", invite=text) for text in guesses(answer["invite"])]
    assert len({str(rejection) for rejection in rejections}) == 1
    assert rejections[0]["code"] == "forbidden"
    print(f"{len(rejections)} false invites: 1 answer")


async def test_wrong_resume_codes_are_alike(default_server: RunningServer) -> None:
    ann = await guest(default_server.url, "Ann")
    used = (await ann.post("/api/players/me/resume-code"))["code"]
    await Api(default_server.url).post("/api/players/resume", {"code": used})
    void = (await ann.post("/api/players/me/resume-code"))["code"]
    valid = (await ann.post("/api/players/me/resume-code"))["code"]
    answers = []
    for text in (used, void, *guesses(valid)):
        if len(text) > 64 or text.replace("-", "").upper() == valid.replace("-", "").upper():
            continue  # longer than a code may be, or the code in small letters
        data = request("POST /api/players/resume", JSON, body=f'{{"code":"{text}"}}'.encode())
        answers.append((await exchange(default_server, data + END, new_address()))[0])
    assert {answer.status for answer in answers} == {401}
    assert len({str(without_length(answer)) for answer in answers}) == 1
    print(f"{len(answers)} false resume codes: 1 answer")


async def test_resume_codes_allow_few_guesses(default_server: RunningServer) -> None:
    """Afterwards the valid code is rejected too, so its holder must wait, and the guesser learns nothing."""
    code = (await (await guest(default_server.url)).post("/api/players/me/resume-code"))["code"]
    guesses_of_codes = [new_resume_code() for _ in range(int(RESUME.rate.burst))]
    statuses = await statuses_of(default_server, [*guesses_of_codes, new_resume_code(), code])
    assert statuses == [401] * len(guesses_of_codes) + [429, 429]
    print(f"{statuses.count(401)} guesses of resume codes answered, then 429 for the valid one too")
