import { browserStorage } from "./storage.js";

/** Notifications of the browser and vibration, for a player who asked for them, only while the page is hidden. */

const KEY = "noughts.notify";
const VIBRATION_MS = 60;

export const canNotify = () => "Notification" in window;
export const notifies = () => canNotify() && Notification.permission === "granted" && browserStorage.get(KEY) === "on";

/** Turn notifications on or off. Return whether they are on: the browser asks the player. @param {boolean} on */
export async function setNotifies(on) {
  const isAllowed = on && canNotify() && (await Notification.requestPermission()) === "granted";
  browserStorage.set(KEY, isAllowed ? "on" : null);
  return isAllowed;
}

/** @param {string} title @param {string} body */
export function notify(title, body) {
  if (!document.hidden || !notifies()) return;
  navigator.vibrate?.(VIBRATION_MS);
  try {
    new Notification(title, { body, tag: "noughts" });
  } catch {
    // Some phones allow notifications from an installed page only.
  }
}
