import { createPicture } from "../board/picture.js";
import { h } from "../browser/dom.js";
import { browserStorage } from "../browser/storage.js";
import { knownVariant, request } from "../net/api.js";
import { puzzleUrl } from "../net/urls.js";
import { addTexts, t } from "../texts/i18n.js";

/** The puzzle of the day on the start page: a small picture of its position, and what it asks or that it was solved here. */

const SOLVED_KEY = "noughts.puzzles";
/** The most solved puzzles that are remembered. The oldest give way. */
const MAX_SOLVED = 2_000;

/** Return the ids, oldest first. */
const solvedPuzzles = () => browserStorage.load(SOLVED_KEY, [""]) ?? [];

/** Return whether a puzzle was solved. @param {string} id */
export const wasSolved = (id) => solvedPuzzles().includes(id);

/** @param {string} id */
export function rememberSolved(id) {
  const others = solvedPuzzles().filter((other) => other !== id);
  browserStorage.set(SOLVED_KEY, JSON.stringify([...others, id].slice(-MAX_SOLVED)));
}

/** @returns {Promise<HTMLElement|null>} null if the server has no puzzle */
export async function createDailyPuzzle() {
  /** @type {import("../net/messages.js").DailyPuzzle} */
  const { puzzle } = await request("GET", "puzzles/daily");
  const variant = knownVariant(puzzle.variant);
  if (!variant) return null;
  const isSolved = wasSolved(puzzle.id);
  if (isSolved) await addTexts("server");
  const picture = createPicture(variant);
  picture.draw({ ...puzzle, outcome: null, variant, still: true });
  picture.element.classList.add("thumbnail");
  return h(
    "a",
    { class: "daily-puzzle", href: puzzleUrl(puzzle.id), "data-page-link": "" },
    picture.element,
    h(
      "span",
      {},
      h("b", { text: t("puzzle.daily") }),
      " ",
      h("span", {
        class: "secondary",
        text: isSolved ? `✓ ${t("puzzle.solved")}` : t(`puzzle.task.${puzzle.kind}`, { mark: puzzle.turn }),
      }),
    ),
  );
}
