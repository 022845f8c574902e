"""Guests over HTTP: made, named, forgotten, moved to another device; and secrets that stand nowhere."""

from __future__ import annotations

import pytest

from tests.support.player import Api, guest
from tests.support.responses import raw_response, rejection


async def test_a_guest_is_made_with_a_name_or_without(server):
    anyone = Api(server.url)
    status, answer = await anyone.call("POST", "/api/players", {"name": "Ann"})
    assert status == 201
    assert answer["player"]["name"] == "Ann"
    assert answer["player"]["id"].startswith("p_")
    assert len(answer["token"]) >= 22  # 128 bits
    for body in (None, {}, {"name": None}, {"unknown": 1}):
        status, answer = await anyone.call("POST", "/api/players", body)
        assert status == 201, answer
        assert 1 <= len(answer["player"]["name"]) <= 24


async def test_a_guest_asks_renames_and_deletes_itself(server):
    ann = await guest(server.url, "Ann")
    assert await ann.get("/api/players/me") == {"player": ann.player}
    status, answer = await ann.call("PATCH", "/api/players/me", {"name": "Anna"})
    assert (status, answer) == (200, {"player": {**ann.player, "name": "Anna"}})
    assert (await ann.get("/api/players/me"))["player"]["name"] == "Anna"
    status, answer = await ann.call("DELETE", "/api/players/me")
    assert (status, answer) == (200, {"player": {**ann.player, "name": "someone"}})
    assert await rejection(ann, "GET", "/api/players/me") == (401, "unauthorized")
    assert await rejection(ann, "DELETE", "/api/players/me") == (401, "unauthorized")


GOOD_NAMES = {
    "trimmed": ("  Ann \t", "Ann"),
    "composed": ("A\u0308nne", "Änne"),
    "twenty-four": ("x" * 24, "x" * 24),
    "twenty-four once composed": ("e\u0301" * 24, "é" * 24),
    "spaces inside": ("Ann of  Kent", "Ann of  Kent"),
    "a family held together by joiners": ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    "Persian with a non-joiner": ("می\u200cخواهم", "می\u200cخواهم"),
    "Arabic": ("ليلى", "ليلى"),
    "an emoji of a later Unicode": ("\U0001fae9", "\U0001fae9"),
    "the flag of Scotland": ("🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",) * 2,
    "markup is text": ("<b>&amp;", "<b>&amp;"),
    "not a null": ("null", "null"),
}
BAD_NAMES = {
    "empty": "",
    "spaces": "   ",
    "twenty-five": "x" * 25,
    "a control": "An\x07n",
    "a null character": "A\0nn",
    "a line break": "An\nn",
    "a delete": "An\x7fn",
    "a C1 control": "An\x9bn",
    "a line separator": "An\u2028n",
    "a paragraph separator": "An\u2029n",
    "private use": "An\ue000n",
    "turned around": "An\u202en",
    "isolated": "An\u2066n",
    "a right-to-left mark": "An\u200fn",
    "an Arabic letter mark": "An\u061cn",
    "joiners alone": "\u200d\u200c",
    "a soft hyphen alone": "\u00ad",
    "a zero width space alone": "\u200b",
    "a combining mark alone": "\u0301",
    "a filler": "\u3164",
    "an empty Braille cell": "\u2800",
    "variation selectors": "\ufe0f\ufe0f",
    "a number": 7,
    "a list": ["Ann"],
}


@pytest.mark.parametrize("kind", GOOD_NAMES)
async def test_a_name_that_may_be(server, kind):
    given, kept = GOOD_NAMES[kind]
    ann = await guest(server.url, given)
    assert ann.player["name"] == kept
    status, answer = await ann.call("PATCH", "/api/players/me", {"name": given})
    assert (status, answer["player"]["name"]) == (200, kept)


@pytest.mark.parametrize("kind", BAD_NAMES)
async def test_a_name_that_may_not_be(server, kind):
    name = BAD_NAMES[kind]
    ann = await guest(server.url, "Ann")
    assert await rejection(Api(server.url), "POST", "/api/players", {"name": name}) == (400, "bad_message")
    assert await rejection(ann, "PATCH", "/api/players/me", {"name": name}) == (400, "bad_message")
    assert (await ann.get("/api/players/me"))["player"]["name"] == "Ann"


async def test_half_a_surrogate_pair_is_no_name(server):
    for text in (b'{"name":"\\ud800"}', b'{"name":"Ann\\udc00"}', b'{"name":"\xed\xa0\x80"}', b'{"name":"\xff"}'):
        json = {"Content-Type": "application/json"}
        status, _, body = await raw_response(server, "POST", "/api/players", text, json)
        assert (status, b'"bad_message"' in body) == (400, True)


async def test_a_rename_needs_a_name(server):
    ann = await guest(server.url, "Ann")
    for body in (None, {}, {"name": None}):
        assert await rejection(ann, "PATCH", "/api/players/me", body) == (400, "bad_message")


async def test_a_resume_code_gives_a_second_token_once(server):
    ann = await guest(server.url, "Ann")
    status, code = await ann.call("POST", "/api/players/me/resume-code")
    assert status == 201
    assert set(code) == {"code", "expires_ms"}
    assert len(code["code"].replace("-", "")) >= 9  # of 30 letters: more than 40 bits
    typed = " " + code["code"].lower().replace("-", " ") + " "
    anyone = Api(server.url)
    status, answer = await anyone.call("POST", "/api/players/resume", {"code": typed})
    assert (status, answer["player"]) == (200, ann.player)
    assert answer["token"] != ann.token
    for token in (ann.token, answer["token"]):
        assert (await Api(server.url, token).get("/api/players/me"))["player"] == ann.player


async def test_resume_codes_are_few_tries_even_without_limits(start_server):
    server = start_server()
    ann = await guest(server.url, "Ann")
    anyone = Api(server.url)
    code = (await ann.post("/api/players/me/resume-code"))["code"]
    assert (await anyone.call("POST", "/api/players/resume", {"code": code}))[0] == 200
    assert await rejection(anyone, "POST", "/api/players/resume", {"code": code}) == (401, "unauthorized")
    for _ in range(3):
        assert await rejection(anyone, "POST", "/api/players/resume", {"code": "AAAAA-AAAAA"}) == (401, "unauthorized")
    code = (await ann.post("/api/players/me/resume-code"))["code"]
    status, headers, _ = await raw_response(
        server, "POST", "/api/players/resume", f'{{"code":"{code}"}}'.encode(), {"Content-Type": "application/json"}
    )
    assert status == 429
    assert 1 <= int(headers["Retry-After"]) <= 60


NEEDS_TOKEN = [
    ("GET", "/api/players/me"),
    ("PATCH", "/api/players/me"),
    ("DELETE", "/api/players/me"),
    ("POST", "/api/players/me/resume-code"),
    ("POST", "/api/rooms"),
    ("POST", "/api/quickplay"),
]


@pytest.mark.parametrize(("method", "path"), NEEDS_TOKEN)
@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic YTpi", "Bearer " + "x" * 4000, "Bearer ä"]
)
async def test_what_needs_a_token_is_401_without(server, method, path, header):
    headers = {} if header is None else {"Authorization": header}
    assert await rejection(Api(server.url), method, path, None if method == "GET" else {}, headers) == (
        401,
        "unauthorized",
    )


@pytest.mark.parametrize("path", ["/api/variants", "/api/rooms", "/api/analysis?variant=classic", "/r/nowhere", "/"])
async def test_other_gets_ask_for_no_token_and_take_any(server, path):
    for headers in (None, {"Authorization": "Bearer wrong"}):
        assert (await raw_response(server, "GET", path, headers=headers))[0] in (200, 404)


@pytest.mark.parametrize("name", ["token", "access_token", "invite", "%74oken"])
@pytest.mark.parametrize("path", ["/api/rooms", "/", "/r/nowhere", "/ws", "/nowhere", "/healthz"])
async def test_a_secret_in_a_query_string_is_400_and_reaches_no_log(server, path, name):
    secret = "donttellanybody"
    status, answer = await Api(server.url).call("GET", f"{path}?a=1&{name}={secret}")
    assert (status, answer["error"]["code"]) == (400, "bad_message")
    assert secret not in str(answer)
    assert secret not in server.log


async def test_a_secret_in_an_address_that_is_too_long_reaches_no_log_either(server):
    status, _, _ = await raw_response(server, "GET", "/?token=donttellanybody" + "x" * 10_000)
    assert status in (400, 414)
    # The next call of the same kind has been served: the first one is long since logged, if at all.
    await raw_response(server, "GET", "/healthz")
    assert "donttell" not in server.log
