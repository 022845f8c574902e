import { createPicture } from "../board/picture.js";
import { h } from "../browser/dom.js";
import { request } from "../net/api.js";
import { puzzleUrl } from "../net/urls.js";
import { addTexts, t } from "../texts/i18n.js";
import { wasSolved } from "./solved.js";

/** The puzzle of the day on the start page: a small picture of its position, and what it asks. */

/**
 * @param {readonly import("../net/messages.js").Variant[]} variants
 * @returns {Promise<HTMLElement|null>} null if the server has no puzzle
 */
export async function createDailyPuzzle(variants) {
  /** @type {import("../net/messages.js").DailyPuzzle} */
  const { puzzle } = await request("GET", "puzzles/daily");
  const variant = variants.find(({ key }) => key === puzzle.variant);
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
