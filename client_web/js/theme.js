import { browserStorage } from "./storage.js";

/** The set of colours: of the system, light, dark or high contrast. */

const KEY = "noughts.theme";
export const THEMES = /** @type {const} */ (["system", "light", "dark", "contrast"]);

export const theme = () => THEMES.find((name) => name === browserStorage.get(KEY)) ?? "system";

/** Draw the page in the stored colours. */
export function applyTheme() {
  const name = theme();
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
  browserStorage.set(KEY, name === "system" ? null : name);
  applyTheme();
}
