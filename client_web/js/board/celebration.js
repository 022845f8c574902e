import { svg } from "../browser/dom.js";
import { createMark } from "./marks.js";

/** What flies over a board when a game ends. A room imports it before that. */

/** @import { Layout } from "./layout.js" */
/** @import { Point } from "./highlights.js" */

const STROKES = 14; // that fly out of the end of a won line
const FLIGHT = 150;

/** Create small marks that fly away from a point and fall. @param {import("../net/messages.js").Mark} mark @param {Point} from */
export function createBurst(mark, { x, y }) {
  const flying = Array.from({ length: STROKES }, (_, index) => {
    const angle = (2 * Math.PI * (index + 0.5)) / STROKES;
    const far = FLIGHT * (index % 2 ? 1 : 0.65);
    const node = svg("g", { class: "flying" }, createMark(mark, "strokes", "scale(.3) translate(-50 -50)"));
    node.style.setProperty("--dx", `${Math.cos(angle) * far}px`);
    node.style.setProperty("--dy", `${Math.sin(angle) * far}px`);
    return node;
  });
  return svg("g", { class: "burst", transform: `translate(${x} ${y})` }, ...flying);
}

/** Create the "=" of a draw, as large as the board. @param {Layout} layout */
export function createEquals({ width, height }) {
  const stroke = (/** @type {number} */ share) =>
    svg("path", { d: `M${width * 0.22} ${height * share}H${width * 0.78}`, pathLength: 100 });
  return svg("g", { class: "equals", "stroke-width": width / 18 }, stroke(0.41), stroke(0.59));
}
