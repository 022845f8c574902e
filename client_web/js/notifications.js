import { browserStorage } from "./storage.js";

/** What reaches a player who looks away, and asked for it: notifications while the page is hidden, and vibration. */

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

/** Return whether this is a device that can vibrate: browsers of desktops have the function too. */
export const canVibrate = () => "vibrate" in navigator && matchMedia("(pointer: coarse)").matches;
export const vibrates = () => canVibrate() && browserStorage.get(VIBRATE_KEY) === "on";

/** Turn vibration on or off. @param {boolean} on */
export function setVibrates(on) {
  browserStorage.set(VIBRATE_KEY, on ? "on" : null);
  if (vibrates()) navigator.vibrate(VIBRATION_MS);
}

/**
 * Tell a player who looks away that it is their turn. Browsers let a page vibrate only while it is visible. Once it is hidden,
 * its notification vibrates.
 * @param {string} title @param {string} body
 */
export function notifyTurn(title, body) {
  if (vibrates()) navigator.vibrate(VIBRATION_MS);
  if (document.hidden && notifies()) void showNotification(title, body, vibrates() ? { vibrate: [VIBRATION_MS] } : {});
}

/** Tell a player who looks away what else happened, without vibration. @param {string} title */
export function notify(title) {
  if (document.hidden && notifies()) void showNotification(title, "");
}

/** @param {string} title @param {string} body @param {{vibrate?: number[]}} [vibration] */
async function showNotification(title, body, vibration = {}) {
  // With `renotify`, a notification that replaces the one before it sounds too.
  const options = { body, tag: "noughts", renotify: true, data: location.href, ...vibration };
  try {
    // Browsers of telephones let only a service worker show one.
    const registration = await navigator.serviceWorker?.getRegistration();
    if (registration?.active) await registration.showNotification(title, options);
    else new Notification(title, options).onclick = () => window.focus();
  } catch {
    // The browser has changed its mind since it was asked.
  }
}
