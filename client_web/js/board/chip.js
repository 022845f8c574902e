import { h, svg } from "../browser/dom.js";
import { cellText, SEPARATOR } from "./cell_text.js";
import { coordinatesOf } from "./layout.js";

/** A cell in a sentence: a tiny board with the cell filled. Screen readers hear its row and column. */

/** @import { Shape } from "./layout.js" */

/** @typedef {{text: string, ply?: number|null}} Shown  a sentence, and the ply of the move that it is about */

const LARGE = 9; // columns, from which the chip has a line at each third only

/** @param {Shape} variant @param {string} cell */
export function createChip({ shape }, cell) {
  const [columns = 1, rows = 1, layers] = shape;
  const { column = 0, row = 0, layer = 0 } = coordinatesOf(cell) ?? {};
  const [right, down] = [columns + 1, rows + 1]; // a cube's layers lie two by two
  const every = columns < LARGE ? 1 : columns / 3;
  let d = "";
  for (let n = 0; n < (layers ?? 1); n++) {
    const [x, y] = [(n % 2) * right, (n >> 1) * down];
    d += `M${x} ${y}h${columns}v${rows}h${-columns}z`;
    for (let i = every; i < columns; i += every) d += `M${x + i} ${y}v${rows}`;
    for (let i = every; i < rows; i += every) d += `M${x} ${y + i}h${columns}`;
  }
  const size = Math.max(1, columns / 5);
  const x = (layer % 2) * right + column - (size - 1) / 2;
  const y = (layer >> 1) * down + row - (size - 1) / 2;
  const [width, height] = layers ? [2 * columns + 1, 2 * rows + 1] : [columns, rows];
  return svg(
    "svg",
    { class: "chip", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": cellText(cell) },
    svg("path", { d, "stroke-width": width / 20 }),
    svg("rect", { x, y, width: size, height: size }),
  );
}

/**
 * Show sentences with their chips. With `onPoint`, a tap on a sentence that is about a move passes its ply.
 * @param {HTMLElement} node @param {readonly Shown[]} sentences @param {Shape|null} variant @param {(ply: number) => void} [onPoint]
 */
export function setSentences(node, sentences, variant, onPoint) {
  const text = sentences.map((sentence) => sentence.text).join(" ");
  if (node.dataset["text"] === text) return;
  node.dataset["text"] = text;
  const nodes = sentences.flatMap(({ text, ply }) => {
    /** @type {(Element|string)[]} */
    const parts = text.split(SEPARATOR).map((part, index) => (index % 2 && variant ? createChip(variant, part) : part));
    const point = () => onPoint?.(ply ?? 0);
    return ply && onPoint
      ? [h("button", { type: "button", class: "pointer", on: { click: point } }, ...parts), " "]
      : [...parts, " "];
  });
  node.replaceChildren(...nodes);
}
