/**
 * The service worker: keeps the static tree, and opens the start page while the server cannot be reached. It stores no
 * game and no answer of the server. The server puts a line before this file that sets `self.tree`.
 *
 * @typedef {{base: string, name: string, static: string, files: string[]}} Tree
 *   paths; `files` are those that the first page needs
 * @typedef {Event & {waitUntil: (promise: Promise<unknown>) => void}} WaitingEvent
 * @typedef {WaitingEvent & {request: Request, respondWith: (response: Promise<Response>) => void}} RequestEvent
 */

const scope = /** @type {any} */ (self);
/** @type {Tree} */
const tree = scope.tree;

scope.addEventListener("install", (/** @type {WaitingEvent} */ event) => {
  event.waitUntil(
    caches
      .open(tree.static)
      .then((cache) => cache.addAll([tree.base, ...tree.files]))
      .then(() => scope.skipWaiting()),
  );
});

scope.addEventListener("activate", (/** @type {WaitingEvent} */ event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith(tree.base + "static/") && name !== tree.static))
      .then((names) => Promise.all(names.map((name) => caches.delete(name)))),
  );
});

/** Return a file of the tree from the cache, and store it there if it is new. @param {Request} request */
async function staticFile(request) {
  const cache = await caches.open(tree.static);
  const stored = await cache.match(request);
  if (stored) return stored;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Return a page from the server, or the stored start page, marked as offline. @param {Request} request */
async function page(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const stored = await caches.open(tree.static).then((cache) => cache.match(tree.base));
    if (!stored) throw error;
    const html = await stored.text();
    return new Response(html.replace("<html", "<html data-offline"), { headers: stored.headers });
  }
}

scope.addEventListener("fetch", (/** @type {RequestEvent} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith(tree.static)) event.respondWith(staticFile(request));
  else if (request.mode === "navigate" && !pathname.startsWith(tree.base + "embed/")) event.respondWith(page(request));
});

scope.addEventListener("message", (/** @type {WaitingEvent & MessageEvent} */ event) => {
  const { type, title, options, path } = event.data ?? {};
  const { id } = /** @type {{id?: string}} */ (event.source ?? {});
  // The browser rejects it after the player has withdrawn the permission.
  if (type === "notify") {
    event.waitUntil(scope.registration.showNotification(title, { ...options, data: { id, path } }).catch(() => {}));
  }
});

/** How long a page may take to say its path. */
const PATH_MS = 300;

/**
 * Return the path that a page shows. Its URL stays the one that it was loaded from, so the page is asked first.
 * @param {any} page
 * @returns {Promise<string>}
 */
const pathOf = (page) =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const settle = (/** @type {string} */ path) => {
      port1.close();
      resolve(path);
    };
    port1.onmessage = ({ data }) => settle(data);
    setTimeout(() => settle(new URL(page.url).pathname), PATH_MS);
    page.postMessage({ type: "path" }, [port2]);
  });

/** Return the page that shows a path, or undefined. @param {string} path */
async function pageOn(path) {
  const pages = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
  const paths = await Promise.all(pages.map(pathOf));
  return pages[paths.indexOf(path)];
}

/**
 * Show the page that sent a notification, on the path that it had then, or the page that shows the path. Open a new one if
 * there is none. The sender is found by its id.
 * @param {{id?: string, path: string}} sender
 */
async function returnTo({ id, path }) {
  const page = await (id ? scope.clients.get(id) : pageOn(path));
  if (!page) return scope.clients.openWindow(path);
  page.postMessage({ type: "open", path });
  return page.focus();
}

scope.addEventListener("notificationclick", (/** @type {WaitingEvent & {notification: Notification}} */ event) => {
  event.notification.close();
  event.waitUntil(returnTo(event.notification.data));
});

/**
 * Notices about turns in games of days, which come from the server through the browser's push service. `net/push.js` keeps
 * in a cache what they need: the player's token and the texts in the player's language.
 *
 * @typedef {{token: string, key: string, zone: string, language: string, direction: string, turn: string, reminder: string,
 *   someone: string, games: Record<string, string>}} PushSettings
 * @typedef {{room: string, game: number, variant: string, opponent: string, ply: number, reminder?: boolean}} Notice
 */

const pushCache = tree.base + "push";
const playerPath = tree.base + "api/players/me/";
const ENGLISH = {
  turn: "Your turn against {name}",
  reminder: "Move soon: your turn against {name}",
  someone: "someone",
};

/** @returns {Promise<PushSettings|undefined>} */
async function pushSettings() {
  const stored = await caches.open(pushCache).then((cache) => cache.match(pushCache));
  return stored?.json();
}

/** Show a notice instead of an earlier one about the same room. @param {Notice} notice */
async function showNotice({ room, game, variant, opponent, ply, reminder = false }) {
  const settings = await pushSettings();
  const texts = { ...ENGLISH, ...settings }; // an older version of the page stored fewer
  const turn = `${game} ${ply} ${reminder}`;
  const shown = await scope.registration.getNotifications({ tag: room });
  await scope.registration.showNotification(
    (reminder ? texts.reminder : texts.turn).replace("{name}", () => opponent || texts.someone),
    {
      body: `${settings?.games?.[variant] ?? variant} · ${tree.name}`,
      tag: room,
      // A notice that the server sent twice makes no second sound.
      renotify: !shown.some((/** @type {Notification} */ { data }) => data?.turn === turn),
      icon: tree.static + "icons/192.png",
      ...(settings ? { lang: settings.language, dir: settings.direction } : {}),
      data: { path: `${tree.base}r/${encodeURIComponent(room)}`, turn },
    },
  );
  if (settings) await countTurns(settings);
}

/** Show the number of your turns on the icon of the app. @param {PushSettings} settings */
async function countTurns({ token }) {
  const response = await fetch(playerPath + "rooms?turn=mine", { headers: { Authorization: `Bearer ${token}` } });
  if (response.ok) await /** @type {any} */ (navigator).setAppBadge?.((await response.json()).rooms.length);
}

scope.addEventListener("push", (/** @type {WaitingEvent & {data: {json: () => Notice}|null}} */ event) => {
  if (event.data) event.waitUntil(showNotice(event.data.json()).catch(() => {})); // the permission may be withdrawn by now
});

/**
 * Send the subscription with which the browser replaced the one before. Subscribe again if there is none.
 * @param {PushSubscription|null|undefined} replacement
 */
async function renewSubscription(replacement) {
  const settings = await pushSettings();
  if (!settings) return;
  const { token, key, zone } = settings;
  const letters = atob(key.replaceAll("-", "+").replaceAll("_", "/"));
  const applicationServerKey = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const subscription =
    replacement ?? (await scope.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
  const { endpoint, keys } = subscription.toJSON();
  const response = await fetch(playerPath + "push", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ endpoint, keys, zone }),
  });
  if (response.status === 401) await subscription.unsubscribe(); // the server does not know the player any more
}

scope.addEventListener(
  "pushsubscriptionchange",
  (/** @type {WaitingEvent & {newSubscription?: PushSubscription|null}} */ event) =>
    event.waitUntil(renewSubscription(event.newSubscription).catch(() => {})),
);
