import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

/** @type {Map<string, (event: any) => void>} */
const listeners = new Map();
let pages, shown, opened, isRejected;

globalThis.self = {
  tree: { base: "/games/", static: "/games/static/x/", files: [] },
  addEventListener: (type, listener) => listeners.set(type, listener),
  registration: {
    async showNotification(title, options) {
      if (isRejected) throw new TypeError("no permission");
      shown.push([title, options]);
    },
  },
  clients: {
    get: async (id) => pages.get(id),
    openWindow: async (path) => opened.push(path),
  },
};
await import("../../client_web/js/service_worker.js");

/**
 * Send an event to the service worker. Resolve when it has dealt with it.
 * @param {string} type
 * @param {object} event
 */
async function send(type, event) {
  const waits = [];
  listeners.get(type)?.({ waitUntil: (promise) => waits.push(promise), ...event });
  await Promise.all(waits);
}

const message = (path) => ({ type: "notify", title: "Your turn", options: { body: "Classic" }, path });

beforeEach(() => {
  [pages, shown, opened, isRejected] = [new Map(), [], [], false];
});

test("a click on a notification returns to the page that sent it, wherever that page is now", async () => {
  const calls = [];
  pages.set("tab", { postMessage: (data) => calls.push(data), focus: async () => calls.push("focus") });
  await send("message", { data: message("/games/r/a"), source: { id: "tab" } });
  const [[title, { body, data }]] = shown;
  assert.deepEqual([title, body], ["Your turn", "Classic"]);
  let isClosed = false;
  await send("notificationclick", { notification: { data, close: () => (isClosed = true) } });
  assert.deepEqual([isClosed, calls, opened], [true, [{ type: "open", path: "/games/r/a" }, "focus"], []]);
});

test("a click opens the room again when its page is closed", async () => {
  await send("message", { data: message("/games/r/a"), source: { id: "tab" } });
  await send("notificationclick", { notification: { data: shown[0][1].data, close() {} } });
  assert.deepEqual(opened, ["/games/r/a"]);
});

test("a message of another kind, and a withdrawn permission, do no harm", async () => {
  await send("message", { data: null, source: null });
  await send("message", { data: { type: "other" }, source: { id: "tab" } });
  isRejected = true;
  await send("message", { data: message("/games/r/a"), source: { id: "tab" } });
  assert.deepEqual(shown, []);
});
