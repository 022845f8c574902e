import { t } from "../texts/i18n.js";
import { coordinatesOf } from "./layout.js";

/** Cells in sentences: marked in a text, for `chip.js` to draw, and in words. */

export const SEPARATOR = "\0";

/** Return a cell as a value for the text of a sentence. @param {string} cell */
export const cellMark = (cell) => SEPARATOR + cell + SEPARATOR;

/** Return in words where a cell is. @param {string} cell */
export function cellText(cell) {
  const { column = 0, row = 0, layer = 0 } = coordinatesOf(cell) ?? {};
  const values = { row: row + 1, column: column + 1, layer: layer + 1 };
  return t(cell.includes(".") ? "cell.at.layer" : "cell.at", values);
}

/** Return a sentence with its cells in words. @param {string} text */
export const sentenceText = (text) => text.replace(/\0(.+?)\0/g, (_, cell) => cellText(cell));
