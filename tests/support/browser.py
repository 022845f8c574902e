"""A browser window for tests: what a person does in it, and what they expect to see. No method sleeps for a fixed time."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, FloatRect, Locator, Page, expect

from tests.support.player import Api, Socket, guest

TIMEOUT_MS: Final = 60_000.0
"""How long an expectation may take to come true."""

_NOT_PENDING: Final = re.compile(r"^(?!.*\bpending\b)")
_MARK: Final = re.compile("^[XO]$")
_marks: Final = itertools.count(1)

_STORE_ONCE: Final = """if (location.origin !== "null" && !sessionStorage.getItem("%(mark)s")) {
  sessionStorage.setItem("%(mark)s", "stored");
  for (const [name, value] of Object.entries(%(values)s)) localStorage.setItem(name, value);
}"""
"""Store values before the next page loads, and never again: what the page stores afterwards stays."""

WAKE_LOCKS: Final = """window.locks = []; Object.defineProperty(navigator, "wakeLock", {value: {request: async (kind) => {
  const lock = {kind, released: false, release: async () => void (lock.released = true)};
  window.locks.push(lock); return lock;
}}});"""
"""A script that lets a page believe that its browser can keep the screen on. ``window.locks`` are the locks it was given."""

OpenWindow = Callable[..., Awaitable["Window"]]
"""Open a window in a new browser profile. Arguments: width and height in px, origin, and options of Playwright's context."""

Friends = Callable[..., Awaitable[tuple["Window", "Window"]]]
"""Open the windows of two players whose game is on: X, who owns the room, and O. Arguments: as for a window."""

Rival = Callable[..., Awaitable[tuple["Window", Socket]]]
"""Open the window of X, who owns the room, and the socket of O. Their game is on. Arguments: as for a window."""


def in_words(cell: str) -> str:
    """Return where a cell of a flat board is, as the page says it in English."""
    return f"row {cell[1:]}, column {ord(cell[0]) - ord('a') + 1}"


async def box(element: Locator) -> FloatRect:
    """Return the rectangle of an element that is on the page."""
    rectangle = await element.bounding_box()
    assert rectangle is not None
    return rectangle


class Window:
    """A browser window on the page of one server.

    ``faults`` collects uncaught exceptions and breaches of the Content Security Policy, ``foreign_urls`` requests to other
    servers.
    """

    def __init__(self, context: BrowserContext, page: Page, origin: str) -> None:
        self.context = context
        self.page = page
        self.origin = origin
        self._guest: Api | None = None
        self.faults: list[str] = []
        self.foreign_urls: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda line: self._on_console(line.type, line.text))
        page.on("request", lambda request: self._on_request(request.url))
        page.on("websocket", lambda socket: self._on_request(socket.url))

    def _on_console(self, level: str, text: str) -> None:
        if level == "error" and ("Content Security Policy" in text or "Uncaught" in text):
            self.faults.append(text)

    def _on_request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(self.origin).netloc:
            self.foreign_urls.append(url)

    # What a person does

    async def open(self, path: str = "/") -> Window:
        """Load a path of the server, or a whole URL. Return the window."""
        await self.page.goto(path if path.startswith("http") else self.origin + path)
        return self

    async def choose(self, variant: str) -> None:
        """Choose a variant on the start page, which shows some games on a phone only when asked."""
        choice, more = (
            self.page.locator(f".start input[type=radio][value='{variant}']"),
            self.page.locator(".more-games"),
        )
        await choice.wait_for(state="attached")
        if await more.is_visible():
            await more.click()
        await choice.check(force=True)

    async def store(self, **values: object) -> None:
        """Let the next page find values in the browser's storage, as texts or as JSON."""
        texts = {
            f"noughts.{name}": value if isinstance(value, str) else json.dumps(value) for name, value in values.items()
        }
        script = _STORE_ONCE % {"mark": f"test {next(_marks)}", "values": json.dumps(texts)}
        await self.page.add_init_script(script)

    async def start(self, opponent: str, variant: str = "classic", **options: str) -> Window:
        """Open a room that the API makes, in half the time that the start page takes.

        ``opponent`` is the API's, or ``pass_and_play``; ``quick`` goes through the start page. ``options`` are choices, such
        as ``mark="X"``.
        """
        choice = {"variant": variant, "mark": "X", **options}
        if opponent == "quick":
            await self.store(choice=choice)
            await self.open()
            await self.click("Find an opponent")
        else:
            await self.open("/r/" + await self._make_room(opponent, choice))
        await expect(self.page.locator(".room .board")).to_be_visible()
        return self

    async def _make_room(self, opponent: str, choice: dict[str, str]) -> str:
        """Return the id of a new room of this window's guest."""
        body: dict[str, object] = {"opponent": opponent, **choice, "clock": json.loads(choice.get("clock", "null"))}
        if opponent == "pass_and_play":
            return await self._make_room_for_two(body)
        if self._guest is None:
            self._guest = await guest(self.origin)
            await self.store(guest={"token": self._guest.token, "player": self._guest.player})
        if opponent == "engine":
            body = {"level": "skilled", **body}
        elif opponent == "engines":
            body = {**body, "mark": "random", "levels": ["novice", "novice"]}
        return str((await self._guest.post("/api/rooms", body))["room"]["id"])

    async def _make_room_for_two(self, body: dict[str, object]) -> str:
        """Return the id of a new room in which this window plays both seats."""
        players = [await guest(self.origin, f"Player {number}") for number in (1, 2)]
        made = await players[0].post("/api/rooms", {**body, "opponent": "friend", "visibility": "unlisted"})
        room = str(made["room"]["id"])
        await self.store(here={room: {"tokens": [player.token for player in players], "invite": made["invite"]}})
        return room

    async def click(self, label: str) -> None:
        """Click the button with a label."""
        await self.button(label).click()

    async def hold_animations(self) -> None:
        """Let every animation that begins from now on stand at its first moment, where a test can set its time."""
        session = await self.context.new_cdp_session(self.page)
        await session.send("Animation.enable")
        await session.send("Animation.setPlaybackRate", {"playbackRate": 0})

    async def resign(self) -> None:
        """Resign, which on a small board is in the menu, and answer the question."""
        if not await self.button("Resign").is_visible():
            await self.click("More")
        await self.click("Resign")
        await self.click("Resign?")
        await expect(self.page.locator(".sheet:modal")).to_have_count(0)

    async def offer_draw(self) -> None:
        """Offer a draw on a small board, and answer the question."""
        await self.click("More")
        await self.click("Offer a draw")
        await self.click("Offer a draw?")

    async def play(self, *cells: str) -> None:
        """Play one cell after the other, each as soon as it is this window's turn."""
        for cell in cells:
            await expect(self.page.locator(".board[data-mark]").first).to_be_attached()
            await self.begin()
            await self.cell(cell).click()
            await expect(self.cell(cell)).to_have_class(_NOT_PENDING)
            await expect(self.cell(cell)).to_have_attribute("data-mark", _MARK)

    async def begin(self) -> None:
        """Wait until a tap on the board is a move of the game, and begin a game that waits for one."""
        awaited = self.page.locator(".board-area[data-awaits]")
        await expect(self.page.locator(".board-area[data-awaits=friend]")).to_have_count(0)
        await self.page.evaluate("() => document.querySelector('.knock')?.click()")
        await expect(awaited).to_have_count(0)

    # What is on the page

    @property
    def board(self) -> Locator:
        """Return the board."""
        return self.page.get_by_role("grid")

    @property
    def toasts(self) -> Locator:
        """Return the toast that is shown."""
        return self.page.locator(".page-toasts")

    def button(self, label: str) -> Locator:
        """Return the button with a label."""
        return self.page.get_by_role("button", name=label, exact=True)

    def cell(self, name: str) -> Locator:
        """Return the cell with a name."""
        return self.page.locator(f"[role=gridcell][data-cell='{name}']")

    async def marks(self) -> dict[str, str]:
        """Return the marks on the board by cell."""
        pairs: list[tuple[str, str]] = await self.page.locator("[role=gridcell][data-mark]").evaluate_all(
            "nodes => nodes.map(node => [node.dataset.cell, node.dataset.mark])"
        )
        return dict(pairs)

    async def invite_link(self) -> str:
        """Return the invite link."""
        return await self.page.locator(".board-overlay .share input.link").input_value()

    async def scrolls_sideways(self) -> bool:
        """Return whether the page is wider than the window."""
        return bool(
            await self.page.evaluate(
                "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
            )
        )

    # What a person expects

    async def expect_status(self, text: str) -> None:
        """Expect a text below the board."""
        await expect(self.page.locator(".zone")).to_contain_text(text)

    async def expect_announcement(self, text: str) -> None:
        """Expect a text for screen readers."""
        await expect(self.page.locator("#announcements")).to_contain_text(text)

    async def expect_phase(self, phase: str) -> None:
        """Expect a phase of the room: waiting, playing, finished or closed."""
        await expect(self.page.locator(".room")).to_have_attribute("data-phase", phase)
