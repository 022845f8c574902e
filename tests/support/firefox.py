"""Debian's Firefox, driven by WebDriver BiDi, because Playwright drives only a build of its own.

The protocol: https://www.w3.org/TR/webdriver-bidi/.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import websockets

TIMEOUT_S: Final = 60.0
"""How long an expectation may take to come true."""

_LISTENS: Final = "WebDriver BiDi listening on "

_PREFERENCES: Final = {
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "http://127.0.0.1:9",
    "extensions.getAddons.cache.enabled": False,
}
"""Without these, Firefox asks servers of its maker."""


class Firefox:
    """A running browser. ``faults`` collects uncaught exceptions of all tabs."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self.faults: list[str] = []
        self._connection = connection
        self._ids = itertools.count(1)

    async def call(self, method: str, **params: Any) -> Any:
        """Carry out one command. Return its result. Fail the test if Firefox reports an error."""
        number = next(self._ids)
        await self._connection.send(json.dumps({"id": number, "method": method, "params": params}))
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                message = json.loads(await self._connection.recv())
                if message.get("method") == "log.entryAdded" and message["params"]["type"] == "javascript":
                    self.faults.append(str(message["params"]["text"]))
                if message.get("id") == number:
                    assert message["type"] == "success", message
                    return message["result"]

    async def new_person(self) -> Tab:
        """Open a tab with a storage of its own, as on another computer."""
        person = (await self.call("browser.createUserContext"))["userContext"]
        answer = await self.call("browsingContext.create", type="window", userContext=person)
        return Tab(self, answer["context"])


class Tab:
    """One tab: what a person does in it, and what they see."""

    def __init__(self, firefox: Firefox, context: str) -> None:
        self._firefox = firefox
        self._context = context

    async def open(self, url: str) -> None:
        """Load a page."""
        await self._firefox.call("browsingContext.navigate", context=self._context, url=url, wait="complete")

    async def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        result = await self._evaluate(f"JSON.stringify({expression})")
        return json.loads(result["value"]) if result["type"] == "string" else None

    async def expect(self, expression: str, value: object = True) -> None:
        """Wait until a JavaScript expression has a value."""
        current: object = None
        try:
            async with asyncio.timeout(TIMEOUT_S):
                while (current := await self.value(expression)) != value:  # noqa: ASYNC110 - it shows in a value
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"{expression} is {current!r}, not {value!r}") from None

    async def expect_text(self, selector: str, text: str) -> None:
        """Wait until an element contains a text."""
        await self.expect(f"(document.querySelector({selector!r})?.innerText ?? '').includes({json.dumps(text)})")

    async def click(self, element: str, pointer: str = "mouse") -> None:
        """Click or touch the middle of the element that a JavaScript expression returns, once it is there to be clicked."""
        can_be_clicked = "node => !!node && !node.disabled && node.ariaDisabled !== 'true' && node.checkVisibility()"
        await self.expect(f"({can_be_clicked})({element})")
        node = await self._evaluate(element)
        origin = {"type": "element", "element": {"sharedId": node["sharedId"]}}
        steps = [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        source = {"type": "pointer", "id": pointer, "parameters": {"pointerType": pointer}, "actions": steps}
        await self._evaluate(f"{element}.scrollIntoView({{block: 'nearest'}})")
        await self._firefox.call("input.performActions", context=self._context, actions=[source])

    async def press(self, key: str) -> None:
        """Press and release a key."""
        steps = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        source = {"type": "key", "id": "keyboard", "actions": steps}
        await self._firefox.call("input.performActions", context=self._context, actions=[source])

    async def _evaluate(self, expression: str) -> Any:
        answer = await self._firefox.call(
            "script.evaluate", expression=expression, target={"context": self._context}, awaitPromise=True
        )
        assert answer["type"] == "success", (expression, answer)
        return answer["result"]


def button(label: str) -> str:
    """Return the expression for the visible button with a label."""
    return (
        "[...document.querySelectorAll('button')].find(node => node.checkVisibility()"
        f" && (node.getAttribute('aria-label') ?? node.innerText).trim() === {json.dumps(label)})"
    )


@asynccontextmanager
async def firefox(profile: Path) -> AsyncIterator[Firefox]:
    """Run Firefox with an empty profile in a directory."""
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    assert path, "no firefox found: apt-get install firefox-esr"
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    arguments = ("--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(profile))
    environment = {"HOME": str(profile), "PATH": "/usr/bin:/bin"}
    process = await asyncio.create_subprocess_exec(
        path, *arguments, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, env=environment
    )
    try:
        url = await _listening(process)
        async with websockets.connect(f"{url}/session", max_size=None) as connection:
            browser = Firefox(connection)
            await browser.call("session.new", capabilities={})
            await browser.call("session.subscribe", events=["log.entryAdded"])
            yield browser
    finally:
        process.kill()
        await process.communicate()


async def _listening(process: asyncio.subprocess.Process) -> str:
    """Return the URL that Firefox names on its standard error."""
    assert process.stderr is not None
    async with asyncio.timeout(TIMEOUT_S):
        async for line in process.stderr:
            text = line.decode().strip()
            if text.startswith(_LISTENS):
                return text.removeprefix(_LISTENS)
    raise AssertionError("firefox ended at its start")
