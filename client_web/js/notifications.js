import { browserStorage } from "./storage.js";

/**
 * What reaches a player who looks away, and asked for it: notifications while the page is hidden, and their
 * vibration.
 */

const NOTIFY_KEY = "noughts.notify";
const VIBRATE_KEY = "noughts.vibrate";
const VIBRATION_MS = 60;

export const canNotify = () => "Notification" in window;
export const notifies = () =>
  canNotify() && Notification.permission === "granted" && browserStorage.get(NOTIFY_KEY) === "on";

/** Turn notifications on or off. Return whether they are on: the browser asks the player. @param {boolean} on */
export async function setNotifies(on) {
  const isAllowed = on && canNotify() && (await Notification.requestPermission()) === "granted";
  browserStorage.set(NOTIFY_KEY, isAllowed ? "on" : null);
  return isAllowed;
}

/**
 * Return whether notifications can vibrate: on a device with a touch screen, because browsers of desktops have the
 * function too. A page itself may vibrate only while it is visible, when no player needs it.
 */
export const canVibrate = () => notifies() && "vibrate" in navigator && matchMedia("(pointer: coarse)").matches;
export const vibrates = () => canVibrate() && browserStorage.get(VIBRATE_KEY) === "on";

/** Let notifications vibrate, or not. @param {boolean} on */
export const setVibrates = (on) => browserStorage.set(VIBRATE_KEY, on ? "on" : null);

/** Tell a player who looks away what happened. @param {string} title @param {string} [body] */
export function notify(title, body = "") {
  if (document.hidden && notifies()) void showNotification(title, body);
}

/** @param {string} title @param {string} body */
async function showNotification(title, body) {
  // With `renotify`, a notification that replaces the one before it sounds too.
  const options = { body, tag: "noughts", renotify: true, ...(vibrates() ? { vibrate: [VIBRATION_MS] } : {}) };
  try {
    // Browsers of telephones let only a service worker show one. It knows which page sent the message, and shows that
    // page again.
    const registration = await navigator.serviceWorker?.getRegistration();
    if (registration?.active)
      registration.active.postMessage({ type: "notify", title, options, path: location.pathname });
    else new Notification(title, options).onclick = () => window.focus();
  } catch {
    // The browser has changed its mind since it was asked.
  }
}
