import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

let shown, stored, permission;

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
globalThis.localStorage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
  removeItem: (key) => stored.delete(key),
};

const { notifies, notify, setNotifies } = await import("../../client_web/js/browser/toasts.js");

/** Give the browser a service worker, or none. @param {boolean} hasWorker @param {boolean} [isActive] */
function useBrowser(hasWorker, isActive = true) {
  const worker = {
    active: isActive ? { postMessage: (message) => shown.push(["worker", message]) } : null,
  };
  const serviceWorker = hasWorker ? { getRegistration: async () => worker } : undefined;
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { serviceWorker } });
}

/** Let everything happen that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  [shown, stored, permission] = [[], new Map(), "granted"];
  globalThis.Notification = FakeNotification;
  document.hidden = true;
  useBrowser(false);
});

test("nothing reaches a player who did not ask for it", async () => {
  useBrowser(true);
  notify("Your turn", "Classic");
  await settle();
  assert.deepEqual(shown, []);
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

test("a service worker shows the notification", async () => {
  useBrowser(true);
  await setNotifies(true);
  notify("Your friend is here");
  await settle();
  const options = { body: "", tag: "noughts", renotify: true };
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
