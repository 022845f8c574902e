import { browserStorage } from "./storage.js";

/** The authors whose chat lines this browser hides. */

const KEY = "noughts.muted";
const MAX_MUTED = 300;

/** @returns {string[]} ids of players */
export function loadMuted() {
  try {
    const list = JSON.parse(browserStorage.get(KEY) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** Store the newest MAX_MUTED authors, and return them. @param {readonly string[]} players */
export function saveMuted(players) {
  const list = players.slice(-MAX_MUTED);
  browserStorage.set(KEY, JSON.stringify(list));
  return list;
}
