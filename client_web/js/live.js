import { h } from "./dom.js";

const KEEP_TOASTS = 3;
const TOAST_MS = 7000;

/** Says something to screen readers alone. @param {string} sentence */
export function announce(sentence) {
  const log = document.getElementById("live");
  if (!log || !sentence) return;
  log.append(h("p", { text: sentence }));
  while (log.childElementCount > 20) log.firstElementChild?.remove();
}

/** Shows a sentence to everybody for a while. @param {string} sentence */
export function toast(sentence) {
  // An open dialog makes the rest of the page inert, so it has a shelf of its own.
  const shelf = document.querySelector("dialog[open] .dialog-toasts") ?? document.getElementById("toasts");
  if (!shelf || !sentence) return;
  for (const old of shelf.children) if (old.textContent === sentence) old.remove();
  const note = h("p", { class: "toast", text: sentence, on: { click: () => note.remove() } });
  shelf.append(note);
  while (shelf.childElementCount > KEEP_TOASTS) shelf.firstElementChild?.remove();
  setTimeout(() => note.remove(), TOAST_MS);
}
