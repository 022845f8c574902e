"""The start page: what it offers, how heavy it is, how it looks on small and dark screens."""

from __future__ import annotations

import gzip
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Request

from tests.browser.driver import NewWindow, expect
from tests.serving import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAX_BYTES = 60_000
VARIANTS = ("classic", "misere", "vanishing", "4x4", "5x5", "four-in-a-row", "qubic", "gomoku", "ultimate")


async def test_offers_nine_variants_and_every_opponent(window: NewWindow) -> None:
    page = (await (await window()).open()).page
    for variant in VARIANTS:
        await page.locator(f"input[name=variant][value='{variant}']").check(force=True)
        await expect(page.locator(".rules p").first).not_to_be_empty()
    for opponent, button in {
        "friend": "Make a room and get the link",
        "engine": "Play the engine",
        "here": "Play here",
        "quick": "Find somebody",
        "anyone": "Open a room",
        "engines": "Watch",
    }.items():
        await page.locator(f"input[name=opponent][value='{opponent}']").check(force=True)
        await expect(page.get_by_role("button", name=button, exact=True)).to_be_visible()


async def test_whole_page_is_at_most_60_kb_compressed(window: NewWindow) -> None:
    someone = await window()
    arrived: list[Request] = []
    someone.page.on("requestfinished", lambda request: arrived.append(request))  # noqa: PLW0108 - playwright cannot wrap a built-in
    await someone.start("engine")
    loaded: dict[str, int] = {}
    for request in arrived:
        response = await request.response()
        if response is not None and not urlsplit(request.url).path.startswith("/api/"):
            loaded[request.url] = len(gzip.compress(await response.body()))
    assert any(url.endswith("/static/js/main.js") for url in loaded)
    assert sum(loaded.values()) <= MAX_BYTES


async def test_every_module_is_fetched_at_once_and_none_in_vain(window: NewWindow) -> None:
    someone = await window()
    asked: list[str] = []
    someone.page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    await someone.open()
    await expect(someone.page.locator(".choose")).to_be_visible()
    preloaded = await someone.page.locator("link[rel=modulepreload]").evaluate_all(
        "links => links.map(link => new URL(link.href).pathname)"
    )
    scripts = {path for path in asked if path.endswith(".js")}
    assert scripts == {*preloaded, "/static/js/main.js"}
    assert len(asked) == len(set(asked))


async def test_narrow_screens_never_scroll_sideways(window: NewWindow) -> None:
    small = await window(320, 640)
    await small.open()
    await expect(small.page.locator(".choose")).to_be_visible()
    assert not await small.scrolls_sideways()
    for variant in ("classic", "qubic", "gomoku", "ultimate"):
        await small.start("here", variant)
        await small.in_phase("playing")
        assert not await small.scrolls_sideways(), variant


async def test_dark_and_light_follow_the_system(window: NewWindow) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        page = (await (await window(color_scheme=scheme)).open()).page
        grounds.append(await page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
    light, dark = ([int(part) for part in ground[4:-1].split(",")] for ground in grounds)
    assert min(light) > 200
    assert max(dark) < 60


async def test_a_guest_is_made_only_when_needed_and_may_change_name(window: NewWindow) -> None:
    someone = await window()
    page = someone.page
    await someone.open()
    await expect(page.locator(".choose")).to_be_visible()
    assert await page.evaluate("() => localStorage.getItem('noughts.guest')") is None
    await page.locator(".who").click()
    await page.get_by_label("Name", exact=True).fill("Zoë")
    await someone.press("Save name")
    await expect(page.locator(".who")).to_have_text("Zoë")


async def test_what_is_switched_off_is_not_offered_and_links_begin_as_the_operator_says(
    window: NewWindow, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    public_url = f"http://games.example.org:{port}"  # it is also what the server prints when it is ready
    settings = {"NOUGHTS_LOBBY": "off", "NOUGHTS_FREE_NAMES": "off", "NOUGHTS_PUBLIC_URL": public_url}
    server = RunningServer(tmp_path, settings)
    server.port = port
    request.addfinalizer(server.start().kill)
    someone = await (await window(origin=f"http://127.0.0.1:{port}")).open()
    page = someone.page
    offered = page.locator("input[name=opponent]")
    await expect(offered).to_have_count(4)
    for opponent in ("friend", "here"):
        await page.locator(f"input[value={opponent}]").check(force=True)
        await expect(page.locator(".choose input[type=text]:visible")).to_have_count(0)
    await expect(page.locator(".lobby")).to_have_count(0)
    await page.locator(".who").click()
    await expect(page.get_by_label("Name", exact=True)).to_be_hidden()
    await someone.press("Close")
    await someone.start("friend")
    assert (await someone.invite_link()).startswith(public_url + "/r/")
    await expect(page.get_by_text("this computer only")).to_be_hidden()


async def test_a_host_may_say_a_name_and_keeps_the_strongest_level_in_another_game(window: NewWindow) -> None:
    someone = await (await window()).open()
    page = someone.page
    await page.locator("input[value=engine]").check(force=True)
    level = page.get_by_role("combobox", name="Level", exact=True)
    await level.select_option("perfect")
    await page.locator("input[value=gomoku]").check(force=True)
    await expect(level).to_have_value("strongest")
    await page.locator("input[value=friend]").check(force=True)
    await page.get_by_label("Your name, if you like").fill("Ada")
    await someone.press("Make a room and get the link")
    await expect(page.locator(".seat-name", has_text="Ada")).to_be_visible()
    await expect(page.get_by_text("this computer only")).to_be_visible()


async def test_storage_that_is_blocked_still_lets_one_play(window: NewWindow) -> None:
    someone = await window()
    await someone.page.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError'); } });"
    )
    await someone.start("engine", Your_mark="X")
    await someone.play("b2")


async def test_who_waits_for_a_stranger_is_offered_the_engine(window: NewWindow) -> None:
    someone = await window()
    await someone.page.clock.install()
    await someone.start("quick", "misere")
    await someone.in_phase("waiting")
    offer = someone.page.get_by_role("button", name="Seat the engine as")
    await expect(offer).to_be_hidden()
    await someone.page.clock.fast_forward(21_000)
    await offer.click()
    await someone.in_phase("playing")


async def test_strangers_meet_by_quick_play_and_in_the_lobby(window: NewWindow) -> None:
    first, second, third = await window(), await window(), await window()
    await third.open()
    await first.start("quick")
    await first.in_phase("waiting")
    await expect(third.page.get_by_role("link", name="Join").first).to_be_visible()
    await second.start("quick")
    await first.in_phase("playing")
    await second.in_phase("playing")
    await third.page.get_by_role("link", name="Watch").first.click()
    await third.in_phase("playing")
    await expect(third.page.locator(".cell.legal")).to_have_count(0)
