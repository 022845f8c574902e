import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

/** @type {Map<string, (event: any) => void>} */
const listeners = new Map();
let pages, shown, opened, isRejected, stored, requests, badges;

globalThis.self = {
  tree: { base: "/games/", static: "/games/static/x/", files: [], name: "Chess club" },
  addEventListener: (type, listener) => listeners.set(type, listener),
  registration: {
    async showNotification(title, options) {
      if (isRejected) throw new TypeError("no permission");
      shown.push([title, options]);
    },
    getNotifications: async ({ tag }) => shown.map(([, options]) => options).filter((options) => options.tag === tag),
    pushManager: {
      subscribe: async ({ applicationServerKey }) => subscription(`https://push.test/${[...applicationServerKey]}`),
    },
  },
  clients: {
    get: async (id) => pages.get(id),
    matchAll: async () => [...pages.values()],
    openWindow: async (path) => opened.push(path),
  },
};
globalThis.caches = { open: async () => ({ match: async () => stored && { json: async () => stored } }) };
globalThis.fetch = async (path, { headers, body }) => {
  requests.push([path, headers.Authorization, body && JSON.parse(body)]);
  return { ok: true, status: 200, json: async () => ({ rooms: [{}, {}] }) };
};
Object.defineProperty(globalThis, "navigator", { value: { setAppBadge: async (count) => badges.push(count) } });

/** @param {string} endpoint */
const subscription = (endpoint) => ({ toJSON: () => ({ endpoint, expirationTime: null, keys: { auth: "a" } }) });
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
  [stored, requests, badges] = [null, [], []];
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

const NOTICE = { type: "turn", room: "a", game: 1, variant: "classic", opponent: "Ann", ply: 1, url: "https://x/r/a" };
const SETTINGS = {
  token: "secret",
  key: "AQID",
  zone: "Europe/Berlin",
  language: "ar",
  direction: "rtl",
  turn: "T {name}",
  reminder: "R {name}",
  someone: "?",
  games: { classic: "XO" },
};
const push = (notice) => send("push", { data: { json: () => notice } });

test("a notice names opponent and game in the player's language, and counts the turns", async () => {
  stored = SETTINGS;
  await push(NOTICE);
  await push({ ...NOTICE, opponent: "", reminder: true });
  const [[title, { body, lang, dir, tag, data }], [reminder]] = shown;
  assert.deepEqual([title, reminder, body, lang, dir], ["T Ann", "R ?", "XO · Chess club", "ar", "rtl"]);
  assert.deepEqual([tag, data.path, badges], ["a", "/games/r/a", [2, 2]]);
  assert.deepEqual(requests[0], ["/games/api/players/me/rooms?turn=mine", "Bearer secret", undefined]);
});

test("a notice that comes twice is heard once", async () => {
  for (const notice of [NOTICE, NOTICE, { ...NOTICE, ply: 3 }]) await push(notice);
  assert.deepEqual([shown[0][0], shown[0][1].body], ["Your turn against Ann", "classic · Chess club"]);
  assert.deepEqual(
    shown.map(([, { renotify }]) => renotify),
    [true, false, true],
  );
});

test("a click on a notice brings the page of its room to the front, or opens one", async () => {
  const calls = [];
  const page = (path, isAwake) => ({
    url: `https://x/games/loaded/${path}`,
    postMessage: ({ type }, ports) => type === "path" && isAwake && ports[0].postMessage(path),
    focus: async () => calls.push(path),
  });
  for (const [index, [path, isAwake]] of [
    ["/games/", true],
    ["/games/r/a", true],
    ["/games/r/b", false],
  ].entries())
    pages.set(index, page(path, isAwake));
  for (const room of ["a", "b"]) {
    await push({ ...NOTICE, room });
    await send("notificationclick", { notification: { data: shown.at(-1)[1].data, close() {} } });
  }
  assert.deepEqual([calls, opened], [["/games/r/a"], ["/games/r/b"]]);
});

test("a subscription that the browser replaces is sent to the server", async () => {
  await send("pushsubscriptionchange", { newSubscription: null });
  assert.deepEqual(requests, []);
  stored = SETTINGS;
  await send("pushsubscriptionchange", { newSubscription: subscription("https://push.test/new") });
  await send("pushsubscriptionchange", {});
  const bodies = ["https://push.test/new", "https://push.test/1,2,3"].map((endpoint) => ({
    endpoint,
    keys: { auth: "a" },
    zone: "Europe/Berlin",
  }));
  assert.deepEqual(
    requests,
    bodies.map((body) => ["/games/api/players/me/push", "Bearer secret", body]),
  );
});
