import { coordinatesOf } from "../board/layout.js";
import { svg } from "../browser/dom.js";

/** A board of 3x3 as a small picture, light enough for a tree of them, and its mirror images. */

/** @import { Mark } from "../net/messages.js" */

/** The width and height of the picture. */
export const SIZE = 48;
const CELL = 16;

/** Return the mark of a move by its number from 0. @param {number} ply @returns {Mark} */
export const markOf = (ply) => (ply % 2 ? "O" : "X");

/** Return the marks on the board after moves of 3x3. @param {readonly string[]} moves @returns {Record<string, Mark>} */
export const marksAfter = (moves) => Object.fromEntries(moves.map((cell, ply) => [cell, markOf(ply)]));

/**
 * @param {readonly string[]} moves @param {readonly string[]} [line] the cells of a completed line
 */
export function smallBoard(moves, line = []) {
  const group = svg("g", { class: "small" }, svg("rect", { class: "small-paper", width: SIZE, height: SIZE, rx: 5 }));
  const last = moves.at(-1);
  for (const cell of line.length ? line : last ? [last] : []) {
    const at = coordinatesOf(cell);
    const mark = marksAfter(moves)[cell];
    if (at && mark)
      group.append(
        svg("rect", {
          class: `small-last ${mark.toLowerCase()}`,
          x: at.column * CELL + 1,
          y: at.row * CELL + 1,
          width: CELL - 2,
          height: CELL - 2,
          rx: 3,
        }),
      );
  }
  group.append(svg("path", { class: "small-lines", d: "M16 3V45M32 3V45M3 16H45M3 32H45" }));
  for (const [cell, mark] of Object.entries(marksAfter(moves))) {
    const at = coordinatesOf(cell);
    if (!at) continue;
    const [x, y] = [at.column * CELL, at.row * CELL];
    group.append(
      mark === "X"
        ? svg("path", { class: "small-mark x", d: `M${x + 4} ${y + 4}l8 8m0 -8l-8 8` })
        : svg("circle", { class: "small-mark o", cx: x + 8, cy: y + 8, r: 4.5 }),
    );
  }
  return group;
}

/** The eight ways in which a board of 3x3 is turned and mirrored. @type {readonly ((c: number, r: number) => [number, number])[]} */
const TURNS = [
  (c, r) => [c, r],
  (c, r) => [2 - r, c],
  (c, r) => [2 - c, 2 - r],
  (c, r) => [r, 2 - c],
  (c, r) => [2 - c, r],
  (c, r) => [r, c],
  (c, r) => [c, 2 - r],
  (c, r) => [2 - r, 2 - c],
];

/**
 * Return moves turned and mirrored in all ways that give another board, the moves themselves first.
 * @param {readonly string[]} moves
 */
export function imagesOf(moves) {
  const images = TURNS.map((turn) =>
    moves.map((cell) => {
      const at = coordinatesOf(cell);
      const [column, row] = turn(at?.column ?? 0, at?.row ?? 0);
      return "abc".charAt(column) + (row + 1);
    }),
  );
  const keyOf = (/** @type {string[]} */ image) => JSON.stringify(Object.entries(marksAfter(image)).sort());
  return images.filter((image, index) => images.findIndex((other) => keyOf(other) === keyOf(image)) === index);
}
