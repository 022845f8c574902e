import { browserStorage } from "../browser/storage.js";

/** The puzzles that this browser solved. */

const SOLVED_KEY = "noughts.puzzles";
/** The most solved puzzles that are remembered. The oldest give way. */
const MAX_SOLVED = 2_000;

/** @returns {string[]} the ids, oldest first */
function solvedPuzzles() {
  const ids = browserStorage.load(SOLVED_KEY);
  return Array.isArray(ids) ? ids : [];
}

/** Return whether a puzzle was solved. @param {string} id */
export const wasSolved = (id) => solvedPuzzles().includes(id);

/** @param {string} id */
export function rememberSolved(id) {
  const others = solvedPuzzles().filter((other) => other !== id);
  browserStorage.set(SOLVED_KEY, JSON.stringify([...others, id].slice(-MAX_SOLVED)));
}
