/**
 * The service worker: keeps the static tree, and opens the start page while the server cannot be reached. It stores no
 * game and no answer of the server. The server puts a line before this file that sets `self.tree`.
 *
 * @typedef {{base: string, static: string, files: string[]}} Tree
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

/**
 * Show the page that sent a notification, on the path that it had then. Open a new one if it is closed. A page is found
 * by its id, because `Client.url` stays the URL that it was loaded from.
 * @param {{id: string, path: string}} sender
 */
async function returnTo({ id, path }) {
  const page = await scope.clients.get(id);
  if (!page) return scope.clients.openWindow(path);
  page.postMessage({ type: "open", path });
  return page.focus();
}

scope.addEventListener("notificationclick", (/** @type {WaitingEvent & {notification: Notification}} */ event) => {
  event.notification.close();
  event.waitUntil(returnTo(event.notification.data));
});
