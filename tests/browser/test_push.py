"""A notice from the tap that asks for it to the room that it opens.

Chromium reaches no push service here, so the page gets a subscription at the test's own. What the service receives is
decrypted, and handed to the real service worker through the devtools protocol. The headless shell has no notifications, so
there the test only sees what the service worker wants to show.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Worker, expect

from tests.support.axe import violations
from tests.support.browser import OpenWindow, Window
from tests.support.player import Api, enter, friends_room, guest
from tests.support.push_browser import Browser
from tests.support.push_service import PushService
from tests.support.server import QUICK, RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAGE = """
window.isHidden = false;
Object.defineProperty(Document.prototype, "hidden", { get: () => window.isHidden });
window.setHidden = (hidden) => { window.isHidden = hidden; document.dispatchEvent(new Event("visibilitychange")); };
if (Notification.permission !== "granted")
  Object.defineProperties(Notification, {
    permission: { get: () => "granted" },
    requestPermission: { value: async () => "granted" },
  });
window.isSubscribed = false;
PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  window.isSubscribed = true;
  window.subscription = {
    options: { applicationServerKey: applicationServerKey.buffer },
    toJSON: () => (SUBSCRIPTION),
    unsubscribe: async () => { window.isSubscribed = false; },
  };
  return window.subscription;
};
PushManager.prototype.getSubscription = async () => (window.isSubscribed ? window.subscription : null);
"""
WORKER = """async () => {
  const show = registration.showNotification.bind(registration);
  self.given = { shown: [], focused: [], opened: [] };
  self.badge = new Promise((resolve) => { navigator.setAppBadge = async (count) => resolve(count); });
  self.nthShown = async (n) => {
    while (given.shown.length < n) await new Promise((resolve) => setTimeout(resolve));
    return given.shown[n - 1];
  };
  registration.showNotification = async (title, options) => {
    given.shown.push({ title, body: options.body, tag: options.tag, data: options.data });
    await show(title, options).catch(() => {});
  };
  // Only a person's click lets a service worker do these.
  WindowClient.prototype.focus = async function () { given.focused.push(this.url); };
  Clients.prototype.openWindow = async (path) => { given.opened.push(path); };
}"""
CLICK = """async () => {
  let isDone;
  const event = new ExtendableEvent("notificationclick");
  Object.assign(event, { notification: { data: given.shown.at(-1).data, close() {} } });
  event.waitUntil = (promise) => { isDone = promise; };
  dispatchEvent(event);
  await isDone;
  return given;
}"""


class Phone:
    """The window of a player whose service worker gets push messages."""

    def __init__(self, window: Window, worker: Worker, browser: Browser) -> None:
        self.window = window
        self.worker = worker
        self.browser = browser

    async def deliver(self, body: bytes) -> dict[str, Any]:
        """Decrypt the body of a post, and hand the message to the service worker. Return what that shows."""
        devtools = await self.window.context.new_cdp_session(self.window.page)
        registered: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        devtools.on("ServiceWorker.workerRegistrationUpdated", registered.put_nowait)
        await devtools.send("ServiceWorker.enable")
        count = await self.worker.evaluate("given.shown.length")
        message = {
            "origin": self.window.origin.removesuffix("/games"),
            "registrationId": (await registered.get())["registrations"][0]["registrationId"],
            "data": self.browser.decrypt(body).decode(),
        }
        await devtools.send("ServiceWorker.deliverPushMessage", message)
        shown: dict[str, Any] = await self.worker.evaluate("nthShown", count + 1)
        await devtools.detach()
        return shown


async def open_phone(open_window: OpenWindow, server: RunningServer, ann: Api, endpoint: str) -> Phone:
    """Open the start page as a guest in a browser with a push service."""
    browser = Browser.new()
    window = await open_window(390, 844, origin=server.url, permissions=["notifications"], service_workers="allow")
    subscription = json.dumps(browser.subscription(endpoint))
    await window.page.add_init_script(PAGE.replace("SUBSCRIPTION", subscription))
    await window.store(guest={"token": ann.token, "player": ann.player})
    async with window.context.expect_event("serviceworker") as worker:
        await window.open()
    await window.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    phone = Phone(window, await worker.value, browser)
    await phone.worker.evaluate(WORKER)
    return phone


async def test_a_notice_is_offered_shown_and_opens_the_room(open_window: OpenWindow, tmp_path: Path) -> None:
    """Subscribe after the first move, hide the page, get the notice, return by a click, and switch notices off."""
    async with PushService(tmp_path) as service:
        server = RunningServer(tmp_path, {**QUICK, **service.settings(), "NOUGHTS_BASE_PATH": "/games"}).start()
        try:
            ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
            clock = {"mode": "days", "days": 3}
            answer: Any = await friends_room(server, ann, mark="X", clock=clock)
            phone = await open_phone(open_window, server, ann, service.url())
            window, room_path = phone.window, f"/games/r/{answer['room']['id']}"
            prompt = window.page.locator(".prompt")
            async with enter(server, answer["room"]["id"], ben) as socket:
                await socket.ask("sit", mark="O", invite=answer["invite"])
                await window.open(room_path.removeprefix("/games"))
                await window.play("b2")
                await expect(prompt).to_contain_text("Tell me when Ben has moved")
                assert await violations(window.page, "push") == []
                await window.click("Yes, tell me")
                await expect(window.toasts).to_contain_text("You get a notice when it is your turn")
                await expect(prompt).to_be_hidden()
                await window.page.evaluate("setHidden(true)")
                await socket.until_room(lambda view: view["game"]["turn"] == "O")
                await socket.move("a1")
            (post,) = await service.wait(1)
            shown = await phone.deliver(post.body)
            assert (shown["title"], shown["body"]) == ("Your turn against Ben", "Tic-tac-toe · Noughts")
            assert shown["data"]["path"] == room_path
            assert await phone.worker.evaluate("badge") == 1
            if await phone.worker.evaluate("Notification.permission") == "granted":
                tags = "() => registration.getNotifications().then((all) => all.map(({ tag }) => tag))"
                assert await phone.worker.evaluate(tags) == [shown["tag"]]
            assert (await phone.worker.evaluate(CLICK))["focused"] == [window.origin.removesuffix("/games") + room_path]
            await window.page.evaluate("setHidden(false)")
            await window.page.get_by_role("link", name="Noughts: go to the start page").click()
            await expect(window.page.locator(".start")).to_be_visible()
            assert (await phone.worker.evaluate(CLICK))["opened"] == [room_path]
            await window.page.locator(".gear").click()
            await window.click("Stop the notices")
            await expect(window.button("Tell me when it is my turn")).to_be_visible()
            assert await window.page.evaluate("isSubscribed") is False
            await window.page.keyboard.press("Shift")  # two presses at once would be one
            await window.click("Tell me when it is my turn")
            await expect(window.button("Stop the notices")).to_be_visible()
            await window.click("Close")
            await window.page.locator(".guest-button").click()
            await window.click("Delete your guest account")
            await window.click("Yes, delete it")
            await window.page.evaluate(
                "async () => { while (isSubscribed) await new Promise((resolve) => setTimeout(resolve)); }"
            )
        finally:
            server.stop_well()
