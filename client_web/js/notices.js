import { h } from "./dom.js";

/** Notices: sentences read out by a screen reader, and sentences shown to everyone for a few seconds. */

const MAX_ANNOUNCEMENTS = 20;
const CONFIRMATION_MS = 2_500;
const WARNING_MS = 6_000;

/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;

/** Let a screen reader say a sentence. @param {string} sentence */
export function announce(sentence) {
  const log = document.getElementById("announcements");
  if (!log || !sentence) return;
  log.append(h("p", { text: sentence }));
  while (log.childElementCount > MAX_ANNOUNCEMENTS) log.firstElementChild?.remove();
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
  for (const earlier of document.querySelectorAll(".toast")) earlier.remove();
  clearTimeout(timer);
  const element = h("p", { class: "toast", text: sentence, on: { click: () => element.remove() } });
  container.append(element);
  timer = setTimeout(() => element.remove(), ms);
}

/** Confirm what the player did. @param {string} sentence */
export const toast = (sentence) => showToast(sentence, CONFIRMATION_MS);

/** Say why something was rejected or failed, or what the player must know. @param {string} sentence */
export const warn = (sentence) => showToast(sentence, WARNING_MS);
