import { browserStorage } from "./storage.js";

/**
 * The player's choices in this browser: the set of colours, how boards look, the muted authors of chat
 * lines, and what was chosen the last time on the start page.
 */

export const THEMES = /** @type {const} */ (["system", "light", "dark", "contrast"]);
const THEME_KEY = "noughts.theme";
export const theme = () => THEMES.find((name) => name === browserStorage.get(THEME_KEY)) ?? "system";

/** Draw the page in the stored colours, else as the system wishes. */
export function applyTheme() {
  const chosen = theme();
  const name = chosen === "system" && applies("(prefers-contrast: more)") ? "contrast" : chosen;
  if (name === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = name;
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) {
    const ofSystem = meta.getAttribute("data-system") ?? meta.getAttribute("content") ?? "";
    meta.setAttribute("data-system", ofSystem);
    // It colours the browser's own bar.
    meta.setAttribute("content", name === "system" ? ofSystem : getComputedStyle(document.body).backgroundColor);
  }
}

/** @param {string} name */
export function setTheme(name) {
  browserStorage.set(THEME_KEY, name === "system" ? null : name);
  applyTheme();
}

const SLANTED_KEY = "noughts.slanted";
/** Return whether a media query applies now. @param {string} text */
const applies = (text) => matchMedia(text).matches;

/** Return whether the system asks for no motion. */
export const wantsNoMotion = () => applies("(prefers-reduced-motion: reduce)");

/** Return whether a board of several layers is drawn as a slanted stack: as chosen, else where a stack has room. */
export function isSlanted() {
  const choice = browserStorage.get(SLANTED_KEY);
  return choice === null ? applies("(min-width: 50em) and (min-height: 37.5em)") : choice === "yes";
}

/** @param {boolean} slanted */
export const setSlanted = (slanted) => browserStorage.set(SLANTED_KEY, slanted ? "yes" : "no");

const MUTED_KEY = "noughts.muted";
const MAX_MUTED = 300;

/** Return the ids of players. */
export const loadMuted = () => browserStorage.load(MUTED_KEY, [""]) ?? [];

/** Store the newest MAX_MUTED authors, and return them. @param {readonly string[]} players */
export function saveMuted(players) {
  const list = players.slice(-MAX_MUTED);
  browserStorage.set(MUTED_KEY, JSON.stringify(list));
  return list;
}

/**
 * @typedef {{variant: string, level: string, mark: string, clock: string}} StoredChoice  `clock` is a setting as JSON
 */

const CHOICE_KEY = "noughts.choice";
/** @type {StoredChoice} */
const FIRST_CHOICE = { variant: "classic", level: "casual", mark: "X", clock: "null" };
const CLOCK = /^{"mode":"(move","move_ms|fischer","initial_ms":\d{4,7},"increment_ms)":\d{1,8}}$/;

/** Return the stored choice. A part that means nothing is that of the first choice; the start page checks variant and level. */
export function loadChoice() {
  const choice = { ...FIRST_CHOICE, ...browserStorage.load(CHOICE_KEY, { 0: "" }) };
  if (!/^([XO]|random)$/.test(choice.mark)) choice.mark = "X";
  if (!CLOCK.test(choice.clock)) choice.clock = "null";
  return choice;
}

/** @param {StoredChoice} choice */
export const saveChoice = (choice) => browserStorage.set(CHOICE_KEY, JSON.stringify(choice));
