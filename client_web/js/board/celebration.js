import { svg } from "../browser/dom.js";
import { createMark } from "./marks.js";

/** What flies over a board when a game ends. A room imports it before that. */

/** @import { Layout } from "./layout.js" */
/** @import { Point } from "./highlights.js" */

const STROKES = 14; // that fly out of the end of a won line

/**
 * Create small marks that fly away from a point and fall, as large on each board.
 * @param {import("../net/messages.js").Mark} mark @param {Point} from @param {Layout} layout
 */
export function createBurst(mark, { x, y }, { width }) {
  const flying = Array.from({ length: STROKES }, (_, index) => {
    const angle = (2 * Math.PI * (index + 0.5)) / STROKES;
    const far = (width / 2) * (index % 2 ? 1 : 0.65);
    const node = svg(
      "g",
      { class: "flying" },
      createMark(mark, "strokes", `scale(${width / 1000}) translate(-50 -50)`),
    );
    node.style.setProperty("--dx", `${Math.cos(angle) * far}px`);
    node.style.setProperty("--dy", `${Math.sin(angle) * far + width / 5}px`);
    return node;
  });
  return svg("g", { class: "burst", transform: `translate(${x} ${y})` }, ...flying);
}

/** Create the "=" of a draw: two horizontals of the grid, around the middle of the board. @param {Layout} layout */
export function createEquals({ width, height, rows }) {
  const stroke = (/** @type {number} */ y) => svg("path", { d: `M${width * 0.02} ${y}H${width * 0.98}` });
  const half = (height / rows) * (rows % 2 ? 0.5 : 1);
  return svg(
    "g",
    { class: "equals", "stroke-width": width / 40 },
    stroke(height / 2 - half),
    stroke(height / 2 + half),
  );
}
