import { notificationPermission, notifications, service, serviceWorkers } from "../browser/storage.js";
import { isPushOn, savePush, storedPush } from "../browser/toasts.js";
import { addTexts, t, textDirection } from "../texts/i18n.js";
import { allVariants, request } from "./api.js";
import { discardGuest, ensureToken, guestPlayer, guestToken } from "./guest.js";
import { HttpError } from "./http.js";
import { homeUrl, serviceWorkerUrl } from "./urls.js";

/**
 * Notices about turns in games of days, which arrive while no page is open: the subscription of this browser, and the settings
 * with which its service worker shows them. A service worker reads them from a cache, because it cannot read the page's storage.
 */

const cacheStorage = () => service(() => caches);
const cacheName = () => homeUrl() + "push";
let sentFor = ""; // the guest and the language for which this page has sent the subscription
const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Return why this browser cannot show notices now, as the key of a text. @returns {import("../texts/i18n.js").Key|null} */
function browserProblem() {
  if (!isSecureContext) return "push.insecure";
  if (!serviceWorkers() || !("PushManager" in window)) {
    const isOutsideApp = "standalone" in navigator && !navigator.standalone; // Safari on iOS has the property
    return isOutsideApp ? "push.home_screen" : "push.unsupported";
  }
  return notificationPermission() === "denied" ? "push.denied" : null;
}

/** Return why there can be no notices here and what to do about it, or null. */
export async function pushProblem() {
  await addTexts("server");
  const { key } = await request("GET", "push");
  const problem = key === null ? "push.off" : browserProblem();
  return problem && t(problem);
}

/** Ask the player, and subscribe this browser. Return why that failed and what to do about it, or null. */
export async function subscribe() {
  try {
    // The browser wants to be asked by the tap itself, so this comes before all requests.
    const isAllowed = browserProblem() !== null || (await notifications()?.requestPermission()) === "granted";
    const problem = await pushProblem();
    if (problem ?? !isAllowed) return problem ?? t("push.denied");
    await sendSubscription();
    return null;
  } catch (error) {
    if (!(error instanceof HttpError)) return t("push.failed");
    await forgetSubscription().catch(() => {});
    return error.message;
  }
}

/** Delete the subscription on the server and in this browser. */
export async function unsubscribe() {
  const endpoint = storedPush()?.endpoint;
  if (endpoint && guestToken()) await request("DELETE", "players/me/push", { token: guestToken(), body: { endpoint } });
  await forgetSubscription();
}

/**
 * Let the subscription belong to the guest of this browser: send it again for another guest, in another language and once
 * on each page, because a server that was restored may have lost it. Delete it without a guest. The server deletes the subscriptions of a deleted guest itself.
 */
export async function followGuest() {
  if (!isPushOn()) return;
  const player = guestPlayer()?.id;
  if (!player || notificationPermission() !== "granted") {
    await forgetSubscription();
    return;
  }
  const owner = `${player} ${document.documentElement.lang}`;
  if (owner === sentFor) return;
  const token = await ensureToken();
  try {
    await sendSubscription();
  } catch (error) {
    if (error instanceof HttpError && error.status === 401) discardGuest(token); // and this function runs again
  }
}

/** Subscribe, unless this browser is subscribed, and send the subscription to the server. */
async function sendSubscription() {
  const token = await ensureToken();
  const { key } = await request("GET", "push");
  const { pushManager } = await activeRegistration();
  let subscription = await pushManager.getSubscription();
  const serverKey = bytesOf(key);
  if (subscription && String(new Uint8Array(subscription.options.applicationServerKey ?? [])) !== String(serverKey)) {
    await subscription.unsubscribe(); // it belongs to an earlier key of the server
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: serverKey });
  const { endpoint = "", keys } = subscription.toJSON();
  await request("POST", "players/me/push", { token, body: { endpoint, keys, zone: zone() } });
  const player = guestPlayer()?.id ?? "";
  sentFor = `${player} ${document.documentElement.lang}`;
  savePush({ player, endpoint });
  const cache = await cacheStorage()?.open(cacheName());
  await cache?.put(cacheName(), new Response(JSON.stringify(pushSettings(token, key))));
}

/** @param {string} token @param {string} key the server's */
function pushSettings(token, key) {
  return {
    token,
    key,
    zone: zone(),
    language: document.documentElement.lang,
    direction: textDirection(),
    turn: t("push.turn", { name: "{name}" }),
    reminder: t("push.reminder", { name: "{name}" }),
    someone: t("guest.someone"),
    games: Object.fromEntries(allVariants().map(({ key: variant, name }) => [variant, name])),
  };
}

/** Delete the subscription in this browser, and note that the guest was asked. */
async function forgetSubscription() {
  sentFor = "";
  savePush({ player: guestPlayer()?.id ?? "", endpoint: null });
  await cacheStorage()?.delete(cacheName());
  const registration = await serviceWorkers()?.getRegistration(homeUrl());
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

async function activeRegistration() {
  const workers = serviceWorkers();
  if (!workers) throw new Error("no service worker");
  await workers.register(serviceWorkerUrl(), { scope: homeUrl() });
  return workers.ready;
}

/** Close the notices about a room, because the player sees it. @param {string} id */
export async function closeNotices(id) {
  const registration = await serviceWorkers()?.getRegistration(homeUrl());
  for (const notice of (await registration?.getNotifications({ tag: id })) ?? []) notice.close();
}

/** @param {string} base64url */
const bytesOf = (base64url) =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
