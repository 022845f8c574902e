import { setAttr, setText } from "./dom.js";

/** The header of every page, which the HTML brings: the way home, your own face, and the gear. */

/** @param {string} selector */
export const inHeader = (selector) => /** @type {HTMLElement} */ (document.querySelector(`#top ${selector}`));

/** Let the name of the site lead to the start page, or nowhere on that page itself. @param {string|null} path */
export const linkHome = (path) => setAttr(inHeader(".brand"), "href", path);

/** Show your name on the button with your face. @param {string} name @param {string} label */
export function showName(name, label) {
  setText(inHeader(".guest-name"), name);
  inHeader(".guest-button").setAttribute("aria-label", label);
}

/** Show your mark in the circle of your face, or a person without a mark. @param {string|null} mark */
export const showFace = (mark) => setAttr(inHeader(".face"), "data-mark", mark === "X" || mark === "O" ? mark : null);
