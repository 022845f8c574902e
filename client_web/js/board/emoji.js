import { layersOf } from "./layout.js";

/** A board in a message. This module needs no page. */

/** @import { Mark } from "../net/messages.js" */

const EMOJI = { X: "🟦", O: "🟧" };
const FREE = "⬜";

/**
 * Return a board as lines of emoji, for a message. An empty line comes between two layers.
 * @param {readonly number[]} shape @param {Record<string, Mark>} marks
 */
export function boardEmoji(shape, marks) {
  const layers = layersOf(shape).map((rows) =>
    rows.map((row) => row.map(({ cell }) => EMOJI[/** @type {Mark} */ (marks[cell])] ?? FREE).join("")).join("\n"),
  );
  return layers.join("\n\n");
}
