import { svg } from "../browser/dom.js";
import { CELL, centreOf, linesOfBoards, offsetOf, straightLines } from "./layout.js";

/**
 * What shows a completed line: a highlighter behind a won one, a zigzag over a lost one, one stroke through small boards
 * and through a stack, numbers through flat layers.
 */

/** @import { Layout } from "./layout.js" */

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{under: Element[], over: Element[]}} Highlights  behind the marks, and over them */

const WIDTH = 66; // of the highlighter, in units
/** Stones are wider than strokes, and would hide a highlighter of the usual width. Discs cover the ends of a narrow one. */
const SCALES = { crossings: 1.5, rack: 0.85 };
const REACH = 12; // how far it goes past the centres of both ends
const ZIGZAG_STEP = 21;
const ZIGZAG_HEIGHT = 14;
const BOARDS_WIDTH = 18; // of the stroke through small boards, behind the large marks
const STACK_WIDTH = 12;

/** @param {Point} from @param {Point} to */
function unitOf(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: (to.x - from.x) / length, y: (to.y - from.y) / length, length };
}

/**
 * Return what shows the lines of an outcome.
 * @param {Layout} layout @param {readonly string[]} cells of the outcome @param {string|null} last the newest mark
 * @param {string} className the mark that completed the line, in small letters @param {boolean} misere
 * @returns {Highlights}
 */
export function createHighlights(layout, cells, last, className, misere) {
  if (layout.style === "nested") {
    const half = (layout.small * CELL) / 2;
    const centre = (/** @type {{column: number, row: number}} */ { column, row }) => ({
      x: (layout.origins[0]?.x ?? 0) + offsetOf(layout, column * layout.small) + half,
      y: (layout.origins[0]?.y ?? 0) + offsetOf(layout, row * layout.small) + half,
    });
    const strokes = linesOfBoards(layout, cells, last).map((line) => straight(line.map(centre), BOARDS_WIDTH, half));
    return { under: [svg("g", { class: `highlight ${className}` }, ...strokes)], over: [] };
  }
  const lines = straightLines(cells, last);
  if (layout.style === "layers") {
    const parts = lines.map((line) => throughLayers(layout, line, className));
    return { under: parts.flatMap(({ under }) => under), over: parts.flatMap(({ over }) => over) };
  }
  const points = lines.map((line) => line.map((coordinates) => centreOf(layout, coordinates)));
  if (misere) return { under: [], over: points.map((line) => zigzag(line)) };
  const scale = SCALES[/** @type {keyof typeof SCALES} */ (layout.style)] ?? 1;
  const highlighters = points.map((line) => highlighter(line, scale, className));
  return layout.style === "rack" ? { under: [], over: highlighters } : { under: highlighters, over: [] };
}

/** @param {Point[]} line @param {number} scale @param {string} className */
function highlighter(line, scale, className) {
  const [first, last] = [/** @type {Point} */ (line[0]), /** @type {Point} */ (line.at(-1))];
  const unit = unitOf(first, last);
  const reach = REACH * scale;
  const [x, y] = [first.x - unit.x * reach, first.y - unit.y * reach];
  const length = unit.length + 2 * reach;
  const width = WIDTH * scale;
  const angle = (Math.atan2(unit.y, unit.x) * 180) / Math.PI;
  const end = `${x + unit.x * length} ${y + unit.y * length}`;
  return svg(
    "g",
    { class: `highlight ${className}` },
    svg("path", { class: "highlighter", d: `M${x} ${y}L${end}`, "stroke-width": width, pathLength: 100 }),
    svg("rect", {
      class: "capsule",
      x: -width / 2,
      y: -width / 2,
      width: length + width,
      height: width,
      rx: width / 2,
      transform: `translate(${x} ${y}) rotate(${angle})`,
    }),
  );
}

/** A line that loses is crossed out. @param {Point[]} line */
function zigzag(line) {
  const [first, last] = [/** @type {Point} */ (line[0]), /** @type {Point} */ (line.at(-1))];
  const unit = unitOf(first, last);
  const before = 34;
  const steps = Math.round((unit.length + 2 * before) / ZIGZAG_STEP / 2) * 2;
  const step = (unit.length + 2 * before) / steps;
  const points = Array.from({ length: steps + 1 }, (_, index) => {
    const along = index * step - before;
    const across = index === 0 || index === steps ? 0 : index % 2 ? ZIGZAG_HEIGHT : -ZIGZAG_HEIGHT;
    const x = first.x + unit.x * along - unit.y * across;
    const y = first.y + unit.y * along + unit.x * across;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  const d = "M" + points.join("L");
  return svg(
    "g",
    {},
    svg("path", { class: "zigzag halo", d, pathLength: 100 }),
    svg("path", { class: "zigzag stroke", d, pathLength: 100 }),
  );
}

/**
 * Tint the cells of a line through layers. In a stack they lie on one straight line; in the flat view they have numbers,
 * because a path between them would run through other marks.
 * @param {Layout} layout @param {import("./layout.js").Coordinates[]} line @param {string} className
 */
function throughLayers(layout, line, className) {
  const points = line.map((coordinates) => centreOf(layout, coordinates));
  const [a, b, c, d] = layout.matrix;
  const box = { class: "line-cell", x: -44, y: -44, width: 88, height: 88, rx: 14 };
  const tints = points.map(({ x, y }) => svg("rect", { ...box, transform: `matrix(${a} ${b} ${c} ${d} ${x} ${y})` }));
  const isStack = c !== 0;
  const [left, up] = className === "x" ? [36, 0] : [33, 30]; // where the mark leaves the cell free
  const numbers = points.map(({ x, y }, index) =>
    svg("text", { class: "line-number", x: x - left, y: y - up + 8, "text-anchor": "middle", text: index + 1 }),
  );
  return {
    under: [
      svg("g", { class: `highlight ${className}` }, ...tints, ...(isStack ? [straight(points, STACK_WIDTH)] : [])),
    ],
    over: isStack ? [] : numbers,
  };
}

/** Draw one stroke from end to end. @param {Point[]} line @param {number} width @param {number} [reach] past both ends */
function straight(line, width, reach = 0) {
  const [first, last] = [/** @type {Point} */ (line[0]), /** @type {Point} */ (line.at(-1))];
  const { x, y } = unitOf(first, last);
  const d = `M${first.x - x * reach} ${first.y - y * reach}L${last.x + x * reach} ${last.y + y * reach}`;
  return svg("path", { class: "straight", d, "stroke-width": width, pathLength: 100 });
}
