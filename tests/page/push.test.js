import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const stored = new Map();
let key, requests, subscription, permission, cached, status;

globalThis.window = Object.assign(new EventTarget(), { PushManager: class {} });
globalThis.document = {
  documentElement: { lang: "de", dataset: {} },
  getElementById: (id) => (id === "page-data" ? { textContent: '{"variants":[],"features":{}}' } : null),
  querySelector: () => null,
};
window.localStorage = {
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => stored.set(name, value),
  removeItem: (name) => stored.delete(name),
};
globalThis.Notification = /** @type {any} */ ({
  get permission() {
    return permission;
  },
  requestPermission: async () => permission,
});
globalThis.fetch = async (url, { method, headers, body } = {}) => {
  const path = String(url).replace(/.*\/(api|texts)\//, "$1/");
  if (path.startsWith("texts")) return Response.json({});
  if (path !== "api/push") requests.push([method, path, headers.Authorization, body && JSON.parse(body)]);
  return path === "api/push" ? Response.json({ key }) : Response.json({}, { status });
};
globalThis.caches = {
  open: async () => ({
    async put(name, response) {
      cached = [name, await response.json()];
    },
  }),
  async delete() {
    cached = null;
  },
};
const pushManager = {
  getSubscription: async () => subscription,
  async subscribe({ applicationServerKey }) {
    subscription = {
      options: { applicationServerKey: applicationServerKey.buffer },
      toJSON: () => ({ endpoint: `https://push.test/${[...applicationServerKey]}`, keys: { p256dh: "p", auth: "a" } }),
      async unsubscribe() {
        subscription = null;
      },
    };
    return subscription;
  },
};
const registration = { pushManager };

const { followGuest, pushProblem, subscribe, unsubscribe } = await import("../../client_web/js/net/push.js");

/** @param {object} [more] */
function useBrowser(more = {}) {
  const serviceWorker = {
    register: async () => registration,
    ready: Promise.resolve(registration),
    getRegistration: async () => registration,
  };
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { serviceWorker, ...more } });
}
const signIn = (id) => stored.set("noughts.guest", JSON.stringify({ token: `token_${id}`, player: { id, name: id } }));
const endpoints = () => requests.map(([method, path, token, body]) => [method, path, token, body?.endpoint]);
const PATH = "api/players/me/push";

beforeEach(() => {
  stored.clear();
  [key, requests, subscription, permission, cached, status] = ["AQID", [], null, "granted", null, 201];
  globalThis.isSecureContext = true;
  window.PushManager = class {};
  useBrowser();
  signIn("ann");
});

test("where notices cannot work, a sentence says why", async () => {
  assert.equal(await pushProblem(), null);
  permission = "denied";
  assert.equal(await pushProblem(), "push.denied");
  assert.equal(await subscribe(), "push.denied");
  delete window.PushManager;
  assert.equal(await pushProblem(), "push.unsupported");
  useBrowser({ standalone: false });
  assert.equal(await pushProblem(), "push.home_screen");
  useBrowser({ standalone: true });
  assert.equal(await pushProblem(), "push.unsupported");
  globalThis.isSecureContext = false;
  assert.equal(await subscribe(), "push.insecure");
  key = null;
  assert.equal(await pushProblem(), "push.off");
  assert.deepEqual(requests, []);
});

test("a subscription is sent with its zone, and deleted on the server and here", async () => {
  assert.equal(await subscribe(), null);
  const [method, path, token, body] = requests[0];
  assert.deepEqual([method, path, token], ["POST", PATH, "Bearer token_ann"]);
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  assert.deepEqual(body, { endpoint: "https://push.test/1,2,3", keys: { p256dh: "p", auth: "a" }, zone });
  assert.deepEqual([cached[1].token, cached[1].key, cached[1].language], ["token_ann", "AQID", "de"]);
  await unsubscribe();
  assert.deepEqual(endpoints()[1], ["DELETE", PATH, "Bearer token_ann", "https://push.test/1,2,3"]);
  assert.deepEqual([subscription, cached], [null, null]);
});

test("a subscription that the server rejects is not kept", async () => {
  status = 400;
  assert.match(await subscribe(), /status 400|rejection/);
  assert.equal(subscription, null);
});

test("the subscription follows the guest, the language and the server's key", async () => {
  await followGuest();
  assert.deepEqual(requests, []);
  await subscribe();
  await followGuest();
  assert.equal(requests.length, 1);
  signIn("ben");
  await followGuest();
  document.documentElement.lang = "ar";
  key = "BAUG";
  await followGuest();
  assert.deepEqual(endpoints().slice(1), [
    ["POST", PATH, "Bearer token_ben", "https://push.test/1,2,3"],
    ["POST", PATH, "Bearer token_ben", "https://push.test/4,5,6"],
  ]);
  document.documentElement.lang = "de";
});

test("each page sends the subscription once, because a restored server may have lost it", async () => {
  await subscribe();
  const nextPage = await import("../../client_web/js/net/push.js?next");
  await nextPage.followGuest();
  await nextPage.followGuest();
  assert.equal(requests.length, 2);
});

test("without the guest or the permission there is no subscription", async () => {
  for (const [guest, choice] of [
    [null, "granted"],
    ["ann", "default"],
  ]) {
    signIn("ann");
    permission = "granted";
    await subscribe();
    assert.notEqual(subscription, null);
    if (!guest) stored.delete("noughts.guest");
    permission = choice;
    await followGuest();
    assert.deepEqual([subscription, cached], [null, null]);
  }
});

test("a token that the server does not know ends the subscription", async () => {
  await subscribe();
  signIn("cy");
  status = 401;
  await followGuest();
  await followGuest();
  assert.deepEqual([stored.has("noughts.guest"), subscription, cached], [false, null, null]);
});
