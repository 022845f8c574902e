import { browserStorage } from "./storage.js";

/** How this browser shows boards and takes touches on them. */

/** @typedef {import("./board.js").Confirmation} Confirmation */

const CONFIRMATION_KEY = "noughts.confirmation";
const SLANTED_KEY = "noughts.slanted";
export const CONFIRMATIONS = /** @type {const} */ (["large", "always", "never"]);

/** Return which boards want a second touch. @returns {Confirmation} */
export const confirmation = () =>
  CONFIRMATIONS.find((name) => name === browserStorage.get(CONFIRMATION_KEY)) ?? "large";

/** @param {string} name one of CONFIRMATIONS */
export const setConfirmation = (name) => browserStorage.set(CONFIRMATION_KEY, name === "large" ? null : name);

/** Return whether a board of several layers is drawn as a slanted stack. */
export const isSlanted = () => browserStorage.get(SLANTED_KEY) !== null;

/** @param {boolean} slanted */
export const setSlanted = (slanted) => browserStorage.set(SLANTED_KEY, slanted ? "yes" : null);
