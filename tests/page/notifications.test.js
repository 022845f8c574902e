import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

let vibrations, shown, stored, permission, isCoarse;

class FakeNotification {
  static get permission() {
    return permission;
  }
  static requestPermission = async () => permission;
  constructor(title, { body }) {
    shown.push(["page", title, body]);
  }
}

globalThis.window = globalThis;
globalThis.location = { href: "https://games.example.org/r/a" };
globalThis.document = { hidden: true };
globalThis.matchMedia = () => ({ matches: isCoarse });
globalThis.localStorage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
  removeItem: (key) => stored.delete(key),
};

const { canVibrate, notifies, notify, notifyTurn, setNotifies, setVibrates, vibrates } = await import(
  "../../client_web/js/notifications.js"
);

/** Give the browser a service worker, or none. @param {boolean} hasWorker @param {boolean} [isActive] */
function useBrowser(hasWorker, isActive = true) {
  const worker = {
    active: isActive ? {} : null,
    showNotification: async (title, { body, renotify, vibrate }) =>
      shown.push(["worker", title, body, renotify, vibrate]),
  };
  const serviceWorker = hasWorker ? { getRegistration: async () => worker } : undefined;
  Object.defineProperty(globalThis, "navigator", {
    configurable: true,
    value: { vibrate: (ms) => vibrations.push(ms), serviceWorker },
  });
}

/** Let everything happen that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  [vibrations, shown, stored, permission, isCoarse] = [[], [], new Map(), "granted", true];
  globalThis.Notification = FakeNotification;
  document.hidden = true;
  useBrowser(false);
});

test("nothing reaches a player who did not ask for it", async () => {
  notifyTurn("Your turn", "Classic");
  await settle();
  assert.deepEqual([vibrations, shown], [[], []]);
});

test("vibration needs no notifications", async () => {
  delete globalThis.Notification;
  setVibrates(true);
  assert.deepEqual(vibrations, [60]); // the player feels what was turned on
  notifyTurn("Your turn", "");
  await settle();
  assert.deepEqual([vibrations, notifies(), shown], [[60, 60], false, []]);
  setVibrates(false);
  notifyTurn("Your turn", "");
  assert.deepEqual([vibrations.length, vibrates()], [2, false]);
});

test("a desktop has no switch for vibration", () => {
  isCoarse = false;
  assert.equal(canVibrate(), false);
  setVibrates(true);
  assert.deepEqual(vibrations, []);
});

test("a notification comes only while the page is hidden", async () => {
  assert.equal(await setNotifies(true), true);
  document.hidden = false;
  notifyTurn("Your turn", "Classic");
  await settle();
  assert.deepEqual(shown, []);
  document.hidden = true;
  notifyTurn("Your turn", "Classic");
  await settle();
  assert.deepEqual([shown, vibrations], [[["page", "Your turn", "Classic"]], []]);
});

test("a service worker shows the notification, and lets it vibrate", async () => {
  useBrowser(true);
  await setNotifies(true);
  setVibrates(true);
  notifyTurn("Your turn", "Classic");
  await settle();
  assert.deepEqual(shown, [["worker", "Your turn", "Classic", true, [60]]]);
});

test("only a turn vibrates", async () => {
  useBrowser(true);
  await setNotifies(true);
  setVibrates(true);
  notify("Your friend is here");
  await settle();
  assert.deepEqual(shown, [["worker", "Your friend is here", "", true, undefined]]);
  assert.deepEqual(vibrations, [60]); // from the switch
});

test("the page shows the notification while its service worker is not active", async () => {
  useBrowser(true, false);
  await setNotifies(true);
  notify("Your friend is here");
  await settle();
  assert.deepEqual(shown, [["page", "Your friend is here", ""]]);
});

test("a player who says no to the browser gets none", async () => {
  permission = "denied";
  assert.equal(await setNotifies(true), false);
  notifyTurn("Your turn", "");
  await settle();
  assert.deepEqual(shown, []);
});
