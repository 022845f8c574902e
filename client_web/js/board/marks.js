import { svg } from "../browser/dom.js";
import { FLAT } from "./layout.js";

/** The marks, as pen strokes in a box of 100. */

/** @import { Mark } from "../net/messages.js" */

/** @typedef {"strokes"|"disc"|"stone"} Form */

const X_STROKES = ["M24 24Q52 48 76 77", "M76 23Q49 49 24 76"];
const O_STROKE = "M50 22C34.500 22 22 34.500 22 50S34.500 78 50 78S78 65.500 78 50S65.500 22 50 22";
/** The outlines of the strokes: what stays of a hollow mark. */
const X_OUTLINE =
  "M27 21Q40 33 50.200 43.700Q61 33 73 20A4.200 4.200 0 0 1 79 26Q66 38 56.500 50.200" +
  "Q68 62 79 74A4.200 4.200 0 0 1 73 80Q61 68 50.200 56.700" +
  "Q40 67 27 79A4.200 4.200 0 0 1 21 73Q33 61 43.600 50.200Q32 38 21 27A4.200 4.200 0 0 1 27 21Z";
const O_OUTLINE =
  "M50 17.800A32.200 32.200 0 1 0 50 82.200A32.200 32.200 0 1 0 50 17.800Z" +
  "M50 26.200A23.800 23.800 0 1 0 50 73.800A23.800 23.800 0 1 0 50 26.200Z";
const DISC = 41;
const STONE = 41;

/**
 * Return a path on a slanted plane. The pen itself is not slanted, so that all strokes have one width.
 * @param {string} d @param {import("./layout.js").Matrix} matrix
 */
const onPlane = (d, [a, b, c, e]) =>
  d.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_, x, y) => `${a * x + c * y} ${b * x + e * y}`);

/** @param {import("./layout.js").Matrix} matrix */
function inverse([a, b, c, d]) {
  const scale = 1 / (a * d - b * c);
  return `matrix(${d * scale} ${-b * scale} ${-c * scale} ${a * scale} 0 0)`;
}

/** @param {string} d @param {string} className */
const stroke = (d, className) => svg("path", { d, class: className, pathLength: 100 });

/** Return the strokes of a mark. @param {Mark} mark @param {import("./layout.js").Matrix} [matrix] */
const strokesOf = (mark, matrix = FLAT) =>
  mark === "X"
    ? X_STROKES.map((d, index) => stroke(onPlane(d, matrix), `stroke stroke-${index + 1}`))
    : [stroke(onPlane(O_STROKE, matrix), "stroke")];

/**
 * Create a mark. Its class tells the mark and its form. A mark of strokes also holds its outline, which shows while it
 * is hollow.
 * @param {Mark} mark @param {Form} form @param {string} transform of its box of 100
 * @param {import("./layout.js").Matrix} [matrix] the linear part of the transform
 */
export function createMark(mark, form, transform, matrix = FLAT) {
  const group = svg("g", { class: `board-mark ${mark.toLowerCase()} ${form}`, transform });
  if (form === "strokes")
    group.append(
      svg("g", { class: "pen", transform: inverse(matrix) }, ...strokesOf(mark, matrix)),
      stroke(mark === "X" ? X_OUTLINE : O_OUTLINE, "outline"),
    );
  else if (form === "disc")
    group.append(
      svg(
        "g",
        { class: "body" },
        svg("circle", { class: "disc", cx: 50, cy: 50, r: DISC }),
        svg("g", { class: "cut", transform: "translate(11 11) scale(.78)" }, ...strokesOf(mark)),
      ),
    );
  else {
    const circle = (/** @type {string} */ name) =>
      svg("circle", { class: name, cx: 50, cy: 50, r: mark === "X" ? STONE : STONE - 5 });
    group.append(circle("under"), circle("body"));
  }
  return group;
}

/** Create a picture of both marks. A style sheet shows one of them. */
export const markPicture = () =>
  svg(
    "svg",
    { viewBox: "0 0 100 100", "aria-hidden": "true", class: "mark" },
    ...X_STROKES.map((d) => svg("path", { class: "x", d, pathLength: 100 })),
    svg("path", { class: "o", d: O_STROKE, pathLength: 100 }),
  );
