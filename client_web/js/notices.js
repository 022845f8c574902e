import { h } from "./dom.js";

/** Notices: sentences read out by a screen reader, and sentences shown to everyone for a few seconds. */

const MAX_TOASTS = 3;
const MAX_ANNOUNCEMENTS = 20;
const TOAST_MS = 7000;

/** Let a screen reader say a sentence. @param {string} sentence */
export function announce(sentence) {
  const log = document.getElementById("announcements");
  if (!log || !sentence) return;
  log.append(h("p", { text: sentence }));
  while (log.childElementCount > MAX_ANNOUNCEMENTS) log.firstElementChild?.remove();
}

/** Show a sentence for TOAST_MS, or until a click. @param {string} sentence */
export function toast(sentence) {
  // An open dialog makes the rest of the page inert, so it holds its own toasts.
  const container = document.querySelector("dialog[open] .dialog-toasts") ?? document.getElementById("toasts");
  if (!container || !sentence) return;
  for (const earlier of container.children) if (earlier.textContent === sentence) earlier.remove();
  const element = h("p", { class: "toast", text: sentence, on: { click: () => element.remove() } });
  container.append(element);
  while (container.childElementCount > MAX_TOASTS) container.firstElementChild?.remove();
  setTimeout(() => element.remove(), TOAST_MS);
}
