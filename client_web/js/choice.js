import { browserStorage } from "./storage.js";

/** What this browser chose the last time on the start page: game, level, mark, clock and names. */

/**
 * @typedef {{variant: string, level: string, mark: string, clock: string, name1: string, name2: string, levelX: string,
 *   levelO: string}} StoredChoice
 *   `clock` is a setting as JSON
 */

const KEY = "noughts.choice";
/** @type {StoredChoice} */
const FIRST = {
  variant: "classic",
  level: "casual",
  mark: "X",
  clock: "null",
  name1: "",
  name2: "",
  levelX: "",
  levelO: "",
};

/** @returns {StoredChoice} */
export function loadChoice() {
  try {
    const stored = Object.entries(JSON.parse(browserStorage.get(KEY) ?? "{}") ?? {});
    return {
      ...FIRST,
      ...Object.fromEntries(stored.filter(([name, value]) => name in FIRST && typeof value === "string")),
    };
  } catch {
    return { ...FIRST };
  }
}

/** @param {StoredChoice} choice */
export const saveChoice = (choice) => browserStorage.set(KEY, JSON.stringify(choice));
