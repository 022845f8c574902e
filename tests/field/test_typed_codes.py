"""PINs and resume codes in the digits of any script, and with what a chat adds to them.

Seen in quiz and conference systems: a class with Arabic keyboards could not join, because a PIN matched `[0-9]` alone.
"""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.conftest import StartServer
from tests.support.browser import OpenWindow
from tests.support.player import Api, guest
from tests.support.server import RunningServer
from tests.support.tournament_client import new_cup

pytestmark = pytest.mark.asyncio(loop_scope="session")

ZEROS = {"Arabic": "٠", "Persian": "۰", "Devanagari": "०", "Bengali": "০", "Thai": "๐", "full width": "０"}


def _in_digits_of(zero: str, text: str) -> str:
    return "".join(chr(ord(zero) + int(letter)) if letter.isdigit() else letter for letter in text)


async def test_the_server_takes_a_pin_in_the_digits_of_any_script(start_server: StartServer) -> None:
    server = start_server(limits="on")
    cup = await new_cup(server)
    spellings = [_in_digits_of(zero, cup.pin) for zero in ZEROS.values()]
    spellings += [
        f"PIN: {cup.pin}",
        f"\u200f{cup.pin[:3]}\u2013{cup.pin[3:]}\u200e",
        f"{cup.pin[:3]}\u202f{cup.pin[3:]}\n",
    ]
    for pin in spellings:
        found = await Api(server.url).post("/api/tournaments/find", {"pin": pin})
        assert found["tournament"]["id"] == cup.id
    for pin in ("PIN", "12 34", "x" * 6) * 4:
        status, _ = await Api(server.url).call("POST", "/api/tournaments/find", {"pin": pin})
        assert status == 404, "a text that is no PIN uses up a try"


async def test_a_resume_code_works_as_it_was_copied_and_nonsense_uses_no_try(start_server: StartServer) -> None:
    server = start_server(limits="on")
    ann = await guest(server.url, "Ann")
    code = (await ann.post("/api/players/me/resume-code"))["code"]
    for text in ("?", "-----", "Ann", code[:-1], "ABCDE-FGHI0") * 2:
        status, _ = await Api(server.url).call("POST", "/api/players/resume", {"code": text})
        assert status == 401
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in code)
    resumed = await Api(server.url).post("/api/players/resume", {"code": f"\u2066{wide}\u2069 "})
    assert resumed["player"]["name"] == "Ann"


async def test_the_page_finds_a_pin_and_takes_a_code_as_they_were_copied(
    open_window: OpenWindow, server: RunningServer
) -> None:
    cup = await new_cup(server)
    window = await open_window()
    await window.open("/join")
    page = window.page
    pins = [_in_digits_of(zero, f"{cup.pin[:3]} {cup.pin[3:]}") for zero in ZEROS.values()]
    for pin in (f"PIN: {cup.pin}", *pins, f"\u200e{cup.pin}"):
        await page.locator(".pin-input").fill("")
        await expect(page.get_by_role("button", name="Next")).to_be_visible()
        await page.locator(".pin-input").focus()
        await page.keyboard.insert_text(pin)
        await expect(page.locator("input[autocomplete=nickname]:visible")).to_be_focused()
        assert await page.locator(".pin-input").evaluate("input => input.form.checkValidity()")
    await window.open(f"/t/{cup.id}#p={_in_digits_of('۰', cup.pin)}")
    await expect(page.get_by_role("button", name="Join")).to_be_visible()
    ann = await guest(server.url, "Ann")
    code = (await ann.post("/api/players/me/resume-code"))["code"]
    await window.open()
    await page.locator(".guest-button").click()
    await window.click("I have a code")
    await page.get_by_label("Code").fill(f" {_in_digits_of('٠', code.lower())}\u200f")
    await page.keyboard.press("Enter")
    await expect(page.locator(".guest-button")).to_contain_text("Ann")
