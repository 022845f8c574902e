import { setAttr, svg } from "../browser/dom.js";
import { BOARD_GAP, CELL, coordinatesOf, offsetOf, pointOf, RACK_MARGIN, smallBoardOf } from "./layout.js";
import { createMark } from "./marks.js";

/**
 * What lies under the marks and never changes: the lines between cells, the rack, the crossings and their rim, the
 * layers.
 */

/** @import { Mark } from "../net/messages.js" */
/** @import { Layout } from "./layout.js" */
/** @import { Position } from "./picture.js" */

const LINE_INSET = 7; // how far the ends of a line stay from the edge, so that they are not cut
const HOLE = 43;
const STAR = 12;
const FIRST_STAR = 3;

/**
 * Return the part of the picture below the marks.
 * @param {Layout} layout
 * @param {readonly string[]} layerNames
 * @returns {Element}
 */
export function createGround(layout, layerNames) {
  const grounds = {
    rack: () => [createHoles(layout)],
    crossings: () => createCrossings(layout),
    layers: () => layout.origins.map((_, layer) => createLayer(layout, layer, layerNames[layer] ?? "")),
    lines: () => [svg("path", { class: "grid-line", d: innerLines(layout.columns, layout.rows) })],
    nested: () => [], // the small boards have grounds of their own
  };
  return svg("g", { class: "board-ground" }, ...grounds[layout.style]());
}

/** Return the lines between cells. @param {number} columns @param {number} rows @param {number} [inset] */
function innerLines(columns, rows, inset = LINE_INSET) {
  const [width, height] = [columns * CELL, rows * CELL];
  let d = "";
  for (let i = 1; i < columns; i++) d += `M${i * CELL} ${inset}V${height - inset}`;
  for (let i = 1; i < rows; i++) d += `M${inset} ${i * CELL}H${width - inset}`;
  return d;
}

/** The dark of the holes, behind the discs. @param {Layout} layout */
function createHoles({ layerWidth, layerHeight, origins }) {
  const { x = 0, y = 0 } = origins[0] ?? {};
  return svg("rect", { class: "hole", x, y, width: layerWidth, height: layerHeight });
}

/** The front of the rack, over a falling disc: a plate with holes. @param {Layout} layout */
export function createRackFront({ columns, rows, layerWidth, layerHeight, origins }) {
  const { x = 0, y = 0 } = origins[0] ?? {};
  const margin = RACK_MARGIN;
  const radius = 36;
  const [width, height] = [layerWidth + 2 * margin, layerHeight + 2 * margin];
  const arc = `a${radius} ${radius} 0 0 1`;
  let d =
    `M${x - margin + radius} ${y - margin}h${width - 2 * radius}${arc} ${radius} ${radius}v${height - 2 * radius}` +
    `${arc} ${-radius} ${radius}h${2 * radius - width}${arc} ${-radius} ${-radius}v${2 * radius - height}` +
    `${arc} ${radius} ${-radius}z`;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const half = `a${HOLE} ${HOLE} 0 1 0`;
      d += `M${x + column * CELL + 50 - HOLE} ${y + row * CELL + 50}${half} ${2 * HOLE} 0${half} ${-2 * HOLE} 0z`;
    }
  }
  return svg("path", { class: "rack", d, "fill-rule": "evenodd" });
}

/** Lines that cross where stones lie, star points, and letters and numbers at the rim. @param {Layout} layout */
function createCrossings({ columns, rows, origins }) {
  const { x: left = 0, y: top = 0 } = origins[0] ?? {};
  const wood = { class: "wood", width: left + columns * CELL, height: top + rows * CELL, rx: 24 };
  const at = (/** @type {number} */ index) => index * CELL + CELL / 2;
  let d = "";
  for (let column = 0; column < columns; column++) d += `M${left + at(column)} ${top + at(0)}V${top + at(rows - 1)}`;
  for (let row = 0; row < rows; row++) d += `M${left + at(0)} ${top + at(row)}H${left + at(columns - 1)}`;
  const [halfAcross, halfDown] = [Math.floor(columns / 2), Math.floor(rows / 2)];
  const stars = [
    [FIRST_STAR, FIRST_STAR],
    [columns - 1 - FIRST_STAR, FIRST_STAR],
    [halfAcross, halfDown],
    [FIRST_STAR, rows - 1 - FIRST_STAR],
    [columns - 1 - FIRST_STAR, rows - 1 - FIRST_STAR],
  ];
  const letters = Array.from({ length: columns }, (_, column) =>
    rimText(String.fromCharCode(97 + column), left + at(column), top - 24, "middle"),
  );
  const numbers = Array.from({ length: rows }, (_, row) =>
    rimText(String(row + 1), left + 5, top + at(row) + 15, "end"),
  );
  return [
    svg("rect", wood),
    svg("path", { class: "grid-line", d }),
    ...stars.map(([column = 0, row = 0]) =>
      svg("circle", { class: "star", cx: left + at(column), cy: top + at(row), r: STAR }),
    ),
    svg("g", { class: "rim" }, ...letters, ...numbers),
  ];
}

/** @param {string} text @param {number} x @param {number} y @param {"middle"|"end"|"start"} anchor */
const rimText = (text, x, y, anchor) => svg("text", { x, y, "text-anchor": anchor, text });

/** One layer of a cube, flat or slanted. @param {Layout} layout @param {number} layer @param {string} name */
function createLayer(layout, layer, name) {
  const { columns, rows, layerWidth, layerHeight, matrix, origins } = layout;
  const { x = 0, y = 0 } = origins[layer] ?? {};
  const isSlanted = matrix[2] !== 0;
  const outline = svg("path", { class: "grid-line layer-outline", d: `M0 0H${layerWidth}V${layerHeight}H0Z` });
  const lines = svg("path", { class: "grid-line", d: innerLines(columns, rows, isSlanted ? 0 : LINE_INSET) });
  const plane = { class: "layer-plane", transform: `matrix(${matrix.join(" ")} ${x} ${y})` };
  const corner = pointOf(layout, layer, 0, isSlanted ? layerHeight : 0);
  const label = isSlanted
    ? rimText(name, corner.x - 110, corner.y, "end")
    : rimText(name, corner.x + 6, corner.y - 14, "start");
  const rim = svg("g", { class: isSlanted ? "rim stacked" : "rim" }, label);
  return svg("g", {}, svg("g", plane, ...(isSlanted ? [outline] : []), lines), rim);
}

/** The small boards of one large: which may be played in, which are decided, and the large marks of their owners. */

const LARGE_MARK_MARGIN = 24;

/** @param {Layout} layout */
export function createSmallBoards(layout) {
  const along = layout.columns / layout.small;
  const grounds = Array.from({ length: along * along }, (_, index) =>
    createSmallBoard(layout, index % along, Math.floor(index / along)),
  );
  const marks = svg("g", { class: "large" });
  /** @type {Map<number, {owner: Mark, node: Element}>} by the number of the small board */
  const largeMarks = new Map();
  let drawnKey = "";

  /** @param {readonly string[]} cells */
  const boardsOf = (cells) =>
    new Set(cells.map((cell) => smallBoardOf(layout, coordinatesOf(cell) ?? { column: 0, row: 0 })));

  /** @param {readonly (Mark|"draw"|null)[]} boards @param {ReadonlySet<number>} inLine @param {boolean} isFirst */
  function drawLargeMarks(boards, inLine, isFirst) {
    grounds.forEach((_, index) => {
      const owner = boards[index];
      const drawn = largeMarks.get(index);
      if (drawn && drawn.owner !== owner) {
        drawn.node.remove();
        largeMarks.delete(index);
      }
      if ((owner === "X" || owner === "O") && !largeMarks.has(index)) {
        const corner = (/** @type {number} */ board) => offsetOf(layout, board * layout.small) + LARGE_MARK_MARGIN;
        const { x, y } = pointOf(layout, 0, corner(index % along), corner(Math.floor(index / along)));
        const scale = (layout.small * CELL - 2 * LARGE_MARK_MARGIN) / CELL;
        const node = createMark(owner, "strokes", `translate(${x} ${y}) scale(${scale})`);
        if (!isFirst) node.classList.add("entering");
        largeMarks.set(index, { owner, node });
        marks.append(node);
      }
      largeMarks.get(index)?.node.classList.toggle("in-line", inLine.has(index));
    });
  }

  return {
    /** What lies under the marks of the cells. */
    grounds,
    /** The large marks, over them. */
    marks,
    /** @param {Position} position @param {boolean} isFirst whether nothing was drawn before, so that nothing moves */
    draw({ boards, forced = null, legal = [], turn, outcome }, isFirst) {
      const playable = boardsOf(legal);
      const key = JSON.stringify([boards, forced, [...playable], turn, outcome?.cells]);
      if (key === drawnKey) return;
      drawnKey = key;
      grounds.forEach((node, index) => {
        const owner = boards?.[index] ?? null;
        const isPlayable = !outcome && (playable.size ? playable.has(index) : forced === index);
        const names = [
          "small-board",
          ...(owner ? ["decided", owner.toLowerCase()] : []),
          ...(isPlayable ? ["playable"] : []),
        ];
        setAttr(node, "class", names.join(" "));
        setAttr(node, "data-turn", isPlayable && turn ? turn : null);
      });
      drawLargeMarks(boards ?? [], boardsOf(outcome?.cells ?? []), isFirst);
    },
  };
}

/**
 * Create one small board of many: its ground, its lines, a hatch that shows once it is drawn, and the frame inside its edge.
 * @param {Layout} layout @param {number} column among the boards @param {number} row
 */
function createSmallBoard(layout, column, row) {
  const { small, origins } = layout;
  const { x = 0, y = 0 } = origins[0] ?? {};
  const size = small * CELL + 2 * 8;
  const group = svg("g", {
    class: "small-board",
    transform: `translate(${x + offsetOf(layout, column * small) - 8} ${y + offsetOf(layout, row * small) - 8})`,
  });
  let hatch = "";
  for (let i = BOARD_GAP; i < 2 * size; i += BOARD_GAP) {
    const [from, to] = [Math.max(8, i - size + 8), Math.min(size - 8, i - 8)];
    if (to > from) hatch += `M${from} ${i - from}L${to} ${i - to}`;
  }
  group.append(
    svg("rect", { class: "small-ground", width: size, height: size, rx: 22 }),
    svg("path", { class: "grid-line", d: innerLines(small, small, 10), transform: "translate(8 8)" }),
    svg("path", { class: "hatch", d: hatch }),
    svg("rect", { class: "frame", x: 5, y: 5, width: size - 10, height: size - 10, rx: 18 }),
  );
  return group;
}
