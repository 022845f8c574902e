import { h } from "./dom.js";
import { browserStorage, notificationPermission, notifications, serviceWorkers } from "./storage.js";

/**
 * Notices: sentences that a screen reader reads, sentences that everyone sees for a few seconds, and for a player who wants
 * them, notifications while the page is hidden.
 */

const MAX_ANNOUNCEMENTS = 20;
const CONFIRMATION_MS = 3_000;
const WARNING_MS = 6_000;

/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;

/**
 * Whether this tab speaks for the person, and how it passes on what calls the person. Once `tabs.js` is loaded, one of several
 * tabs speaks.
 */
export const voice = {
  isHere: () => true,
  /** @type {(text: string, sound: string) => void} */
  pass() {},
};

/** Let a screen reader say a sentence: in the page, and in the topmost dialog, around which the page is inert. @param {string} sentence */
export function announce(sentence) {
  const inDialogs = document.querySelectorAll("dialog:modal > .announcements");
  for (const log of [document.getElementById("announcements"), [...inDialogs].at(-1)]) {
    if (!log || !sentence) continue;
    log.append(h("p", { text: sentence }));
    while (log.childElementCount > MAX_ANNOUNCEMENTS) log.firstElementChild?.remove();
  }
}

/**
 * Show one sentence instead of the one before, where it covers no button and no board.
 * @param {string} sentence
 * @param {number} ms
 */
function showToast(sentence, ms) {
  // An open dialog makes the rest of the page inert, so it holds its own toasts.
  const container =
    document.querySelector("dialog:modal .dialog-toasts") ??
    document.querySelector(".page-toasts") ??
    document.getElementById("toasts");
  if (!container || !sentence) return;
  clearToast();
  const element = h("p", { class: "toast", text: sentence, on: { click: () => element.remove() } });
  container.append(element);
  timer = setTimeout(() => element.remove(), ms);
}

/** Hide the sentence that is shown: its reason is gone. */
export function clearToast() {
  for (const earlier of document.querySelectorAll(".toast")) earlier.remove();
  clearTimeout(timer);
}

/** Confirm what the player did. @param {string} sentence */
export const toast = (sentence) => showToast(sentence, CONFIRMATION_MS);

/** Say why something was rejected or failed, or what the player must know. @param {string} sentence */
export const warn = (sentence) => showToast(sentence, WARNING_MS);

const NOTIFY_KEY = "noughts.notify";

export const notifies = () => notificationPermission() === "granted" && browserStorage.get(NOTIFY_KEY) === "on";

/** Turn notifications on or off. Return whether they are on: the browser asks the player. @param {boolean} on */
export async function setNotifies(on) {
  const isAllowed =
    on &&
    (await notifications()
      ?.requestPermission()
      .catch(() => null)) === "granted";
  browserStorage.set(NOTIFY_KEY, isAllowed ? "on" : null);
  return isAllowed;
}

const PUSH_KEY = "noughts.push";

/**
 * @typedef {{player: string, endpoint: string|null}} StoredPush
 *   `player` was asked for notices about games of days, which `net/push.js` subscribes to. Without an `endpoint` there are none.
 */

/** @type {StoredPush} */
const PUSH = { player: "", endpoint: null };
export const storedPush = () => browserStorage.load(PUSH_KEY, PUSH);
/** @param {StoredPush} push */
export const savePush = (push) => browserStorage.set(PUSH_KEY, JSON.stringify(push));
export const isPushOn = () => Boolean(storedPush()?.endpoint);

/** Tell a player who looks away what happened. @param {string} title @param {string} [body] @param {string} [path] where */
export function notify(title, body = "", path = location.pathname) {
  if (document.hidden && voice.isHere() && notifies()) void showNotification(title, body, path);
}

/** @param {string} title @param {string} body @param {string} path */
async function showNotification(title, body, path) {
  // With `renotify`, a notification that replaces the one before it sounds too.
  const options = { body, tag: "noughts", renotify: true };
  try {
    // Browsers of telephones let only a service worker show one. It knows which page sent the message, and shows that
    // page again.
    const registration = await serviceWorkers()?.getRegistration();
    if (registration?.active) registration.active.postMessage({ type: "notify", title, options, path });
    else new Notification(title, options).onclick = () => window.focus();
  } catch {
    // The browser has changed its mind since it was asked.
  }
}
