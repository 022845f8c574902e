import { oneAtATime, setAttr, setText } from "./dom.js";

/** The header of every page: the way home, your own face, and the gear. */

/** @param {string} selector */
const inHeader = (selector) => /** @type {HTMLElement} */ (document.querySelector(`#top ${selector}`));

/**
 * Put the header, which the HTML brings, into the page's language, and let its buttons work.
 * @param {{home: string, name: string, gear: string, foot: (key: string) => string}} texts
 * @param {{settings: () => unknown, guest: () => unknown}} open  opens a dialog
 */
export function startHeader(texts, open) {
  inHeader(".brand").setAttribute("aria-label", texts.home);
  setText(inHeader(".brand-name"), texts.name);
  for (const link of document.querySelectorAll(".page-foot a"))
    setText(link, texts.foot(link.getAttribute("data-text") ?? ""));
  const gear = inHeader(".gear");
  gear.setAttribute("aria-label", texts.gear);
  gear.title = texts.gear;
  gear.addEventListener("click", oneAtATime(open.settings));
  inHeader(".guest-button").addEventListener("click", oneAtATime(open.guest));
  inHeader(".top-right").inert = false;
}

/** Let the name of the site lead to the start page, or nowhere on that page itself. @param {string|null} path */
export const linkHome = (path) => setAttr(inHeader(".brand"), "href", path);

/** Show your name on the button with your face. @param {string} name @param {string} label */
export function showName(name, label) {
  setText(inHeader(".guest-name"), name);
  inHeader(".guest-button").setAttribute("aria-label", label);
}

/** Show your mark in the circle of your face, or a person without a mark. @param {string|null} mark */
export const showFace = (mark) => setAttr(inHeader(".face"), "data-mark", mark === "X" || mark === "O" ? mark : null);
