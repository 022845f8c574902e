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
globalThis.location = { pathname: "/games/r/a" };
globalThis.document = { hidden: true };
globalThis.matchMedia = () => ({ matches: isCoarse });
globalThis.localStorage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
  removeItem: (key) => stored.delete(key),
};

const { canVibrate, notifies, notify, setNotifies, setVibrates, vibrates } = await import(
  "../../client_web/js/browser/notices.js"
);

/** Give the browser a service worker, or none. @param {boolean} hasWorker @param {boolean} [isActive] */
function useBrowser(hasWorker, isActive = true) {
  const worker = {
    active: isActive ? { postMessage: (message) => shown.push(["worker", message]) } : null,
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
  useBrowser(true);
  notify("Your turn", "Classic");
  await settle();
  assert.deepEqual([vibrations, shown], [[], []]);
});

test("only notifications vibrate, never the page itself", async () => {
  setVibrates(true);
  assert.deepEqual([canVibrate(), vibrates()], [false, false]);
  await setNotifies(true);
  assert.deepEqual([canVibrate(), vibrates()], [true, true]);
  document.hidden = false;
  notify("Your turn");
  await settle();
  assert.deepEqual([vibrations, shown], [[], []]);
});

test("a desktop has no switch for vibration", async () => {
  isCoarse = false;
  await setNotifies(true);
  assert.equal(canVibrate(), false);
});

test("a notification comes only while the page is hidden", async () => {
  assert.equal(await setNotifies(true), true);
  document.hidden = false;
  notify("Your turn", "Classic");
  await settle();
  assert.deepEqual(shown, []);
  document.hidden = true;
  notify("Your turn", "Classic");
  await settle();
  assert.deepEqual(shown, [["page", "Your turn", "Classic"]]);
});

test("a service worker shows the notification, and lets it vibrate", async () => {
  useBrowser(true);
  await setNotifies(true);
  setVibrates(true);
  notify("Your friend is here");
  await settle();
  const options = { body: "", tag: "noughts", renotify: true, vibrate: [60] };
  assert.deepEqual(shown, [["worker", { type: "notify", title: "Your friend is here", options, path: "/games/r/a" }]]);
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
  assert.equal(notifies(), false);
  notify("Your turn");
  await settle();
  assert.deepEqual(shown, []);
});
