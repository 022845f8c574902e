"""A browser window on the page, as a person would use it. What no person ever does, wait for a fixed time, is not here."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Locator, Page, expect

_SETTLED: Final = re.compile(r"^(?!.*\bpending\b)")
_MARK: Final = re.compile("^[XO]$")

NewWindow = Callable[..., Awaitable["Window"]]
"""Opens a window of a person of its own: a fresh browser profile each time."""


class Window:
    """A page, and everything that went wrong in it."""

    def __init__(self, context: BrowserContext, page: Page, origin: str) -> None:
        self.context = context
        self.page = page
        self.origin = origin
        self.faults: list[str] = []
        self.strangers: list[str] = []
        page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        page.on("console", lambda line: self._console(line.type, line.text))
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda socket: self._request(socket.url))

    def _console(self, kind: str, text: str) -> None:
        if kind == "error" and ("Content Security Policy" in text or "Uncaught" in text):
            self.faults.append(text)

    def _request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(self.origin).netloc:
            self.strangers.append(url)

    # Going somewhere

    async def open(self, path: str = "/") -> Window:
        await self.page.goto(path if path.startswith("http") else self.origin + path)
        return self

    async def start(self, opponent: str, variant: str = "classic", **choices: str) -> Window:
        """Makes a room from the start page. `choices` are values of the selects by their label."""
        await self.open()
        await self.page.locator(f"input[name=variant][value='{variant}']").check(force=True)
        await self.page.locator(f"input[name=opponent][value='{opponent}']").check(force=True)
        for label, value in choices.items():
            await self.page.get_by_role("combobox", name=label.replace("_", " "), exact=True).select_option(value)
        await self.page.locator("button[type=submit].big").click()
        await expect(self.page.locator(".room .board")).to_be_visible()
        return self

    # What is on it

    @property
    def board(self) -> Locator:
        return self.page.get_by_role("grid")

    def cell(self, name: str) -> Locator:
        return self.page.locator(f"[role=gridcell][data-cell='{name}']")

    async def press(self, label: str) -> None:
        await self.page.get_by_role("button", name=label, exact=True).click()

    async def play(self, *cells: str) -> None:
        """Plays cell after cell, each as soon as it is this window's turn."""
        for cell in cells:
            await self.cell(cell).click()
            await expect(self.cell(cell)).to_have_class(_SETTLED)
            await expect(self.cell(cell)).to_have_attribute("data-mark", _MARK)

    async def says(self, text: str) -> None:
        await expect(self.page.locator(".status")).to_contain_text(text)

    async def heard(self, text: str) -> None:
        await expect(self.page.locator("#live")).to_contain_text(text)

    async def in_phase(self, phase: str) -> None:
        await expect(self.page.locator(".room")).to_have_attribute("data-phase", phase)

    async def marks(self) -> dict[str, str]:
        found: list[tuple[str, str]] = await self.page.locator("[role=gridcell][data-mark]").evaluate_all(
            "nodes => nodes.map(node => [node.dataset.cell, node.dataset.mark])"
        )
        return dict(found)

    async def scrolls_sideways(self) -> bool:
        return bool(
            await self.page.evaluate(
                "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
            )
        )

    async def invite_link(self) -> str:
        return await self.page.locator(".share input.link").input_value()
