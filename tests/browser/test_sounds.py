"""Sounds in a room. The browser's functions are replaced: they only keep what they get."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browser import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEEP = """
window.given = { tones: [], notifications: [] };
window.isHidden = false;
Object.defineProperty(Document.prototype, "hidden", { get: () => window.isHidden });
window.Notification = class {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title) { given.notifications.push(title); }
};
window.AudioContext = class {
  currentTime = 0;
  createOscillator() {
    const frequency = { value: 0 };
    return { frequency, connect: next => next, start: () => given.tones.push(frequency.value), stop() {} };
  }
  createGain() {
    return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: next => next };
  }
};
"""
O_HZ = 330
YOUR_TURN_HZ = 659


async def test_a_room_sounds_until_it_is_switched_off(open_window: OpenWindow) -> None:
    """Play a sound for the opponent's mark, and one because it is your turn again. Key M switches them off for good."""
    player = await open_window()
    await player.page.add_init_script(KEEP)
    await player.start("engine")
    await player.play("b2")
    await expect(player.page.locator(".cell.legal").first).to_be_visible()
    tones = await player.page.evaluate("given.tones")
    assert tones[-2:] == [O_HZ, YOUR_TURN_HZ]
    assert await player.page.evaluate("given.notifications") == []
    await player.page.keyboard.press("m")
    await player.page.locator(".cell.legal").first.click()
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(4)
    assert await player.page.evaluate("given.tones") == tones
    await player.page.reload()
    await player.click("Settings")
    await expect(player.page.get_by_label("Sound")).not_to_be_checked()
