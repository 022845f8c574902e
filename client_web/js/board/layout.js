/**
 * The geometry of a board of any shape: the names and coordinates of cells, and where they lie in its picture, in which a
 * cell is 100 units wide. It knows no rules and no DOM.
 */

/**
 * @typedef {{cell: string, column: number, row: number, layer: number}} Coordinates  counted from 0, with the cell's name
 */

/** @param {number} column @param {number} row @param {number|null} layer null on a flat board */
const cellName = (column, row, layer) =>
  String.fromCharCode(97 + column) + (row + 1) + (layer === null ? "" : "." + (layer + 1));

/** Return all cells by layer and row. @param {readonly number[]} shape @returns {Coordinates[][][]} */
export function layersOf(shape) {
  const [columns = 0, rows = 0, layers] = shape;
  return Array.from({ length: layers ?? 1 }, (_, layer) =>
    Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, column) => ({
        cell: cellName(column, row, layers === undefined ? null : layer),
        column,
        row,
        layer,
      })),
    ),
  );
}

/** Return the cells of an empty board on which a first mark can land. @param {Shape} variant */
export function openingCells({ shape, gravity }) {
  const cells = layersOf(shape).flatMap((rows) => (gravity ? rows.slice(-1) : rows).flat());
  return cells.map(({ cell }) => cell);
}

/** @param {string} cell @returns {Coordinates|null} */
export function coordinatesOf(cell) {
  const match = /^([a-z])(\d+)(?:\.(\d+))?$/.exec(cell);
  if (!match) return null;
  return {
    cell,
    column: (match[1] ?? "a").charCodeAt(0) - 97,
    row: Number(match[2]) - 1,
    layer: Number(match[3] ?? 1) - 1,
  };
}

/**
 * Return the cell to which a key moves the focus, or null for any other key.
 * @param {string} key @param {Coordinates} from @param {readonly number[]} shape @param {boolean} ctrl
 */
export function cellForKey(key, from, shape, ctrl) {
  const [columns = 1, rows = 1, layers] = shape;
  const { column, row, layer } = from;
  const cellAt = (/** @type {number} */ column, /** @type {number} */ row, layer = from.layer) =>
    cellName(clamp(column, columns), clamp(row, rows), layers ? clamp(layer, layers) : null);
  /** @type {Record<string, () => string>} */
  const steps = {
    ArrowLeft: () => cellAt(column - 1, row),
    ArrowRight: () => cellAt(column + 1, row),
    ArrowUp: () => cellAt(column, row - 1),
    ArrowDown: () => cellAt(column, row + 1),
    Home: () => cellAt(0, ctrl ? 0 : row),
    End: () => cellAt(columns - 1, ctrl ? rows - 1 : row),
    PageUp: () => (layers ? cellAt(column, row, layer - 1) : cellAt(column, 0)),
    PageDown: () => (layers ? cellAt(column, row, layer + 1) : cellAt(column, rows - 1)),
  };
  return steps[key]?.() ?? null;
}

/** Return the index of 0 to `size` - 1 that is nearest to `n`. @param {number} n @param {number} size */
const clamp = (n, size) => Math.min(Math.max(n, 0), size - 1);

/**
 * Return the legal cell that a click on `cell` fills: with gravity the one in the same column, else the cell itself.
 * Return null if there is none.
 * @param {string} cell @param {ReadonlySet<string>} legal @param {boolean} gravity
 */
export function landing(cell, legal, gravity) {
  if (!gravity) return legal.has(cell) ? cell : null;
  const target = coordinatesOf(cell);
  for (const legalCell of legal) {
    const candidate = coordinatesOf(legalCell);
    if (candidate && target && candidate.column === target.column && candidate.layer === target.layer) return legalCell;
  }
  return null;
}

/**
 * @typedef {{shape: readonly number[], line: number, gravity: boolean, misere: boolean, marks_kept: number|null,
 *   nested: boolean}} Shape
 *   what the drawing needs to know of a variant
 */
/** @typedef {"lines"|"rack"|"crossings"|"layers"|"nested"} Style */
/** @typedef {readonly [number, number, number, number]} Matrix  the linear part of an affine map: a, b, c, d */
/**
 * @typedef {{style: Style, columns: number, rows: number, layers: number, width: number, height: number,
 *   origins: {x: number, y: number}[], matrix: Matrix, layerWidth: number, layerHeight: number, small: number}} Layout
 *   `origins` holds each layer's top left corner and `matrix` maps a layer's units to the picture's. `small` is the
 *   number of cells along a small board, or 0.
 */

export const CELL = 100;
/** Between two small boards, in units. */
export const BOARD_GAP = 34;
export const RACK_MARGIN = 16;
/** Around a flat board: before its first column and row, and after its last ones. */
const MARGINS = {
  lines: { left: 0, top: 0, end: 0 },
  rack: { left: RACK_MARGIN, top: CELL + RACK_MARGIN, end: RACK_MARGIN },
  crossings: { left: 62, top: 62, end: 0 },
  nested: { left: 10, top: 10, end: 10 },
};
const LAYER_GAP = 32;
const LAYER_LABEL = 44;
const CROSSINGS_FROM = 13;
export const FLAT = /** @type {Matrix} */ ([1, 0, 0, 1]);
const SLANTED = /** @type {Matrix} */ ([1, 0, 0.6, 0.44]);
const SLANTED_STEP = 226;

/** Return how a board is drawn. @param {Shape} variant @returns {Style} */
export function styleOf({ shape, gravity, nested }) {
  const [columns = 1, rows = 1] = shape;
  if (shape.length > 2) return "layers";
  if (nested) return "nested";
  if (gravity) return "rack";
  return Math.min(columns, rows) >= CROSSINGS_FROM ? "crossings" : "lines";
}

/** @param {Shape} variant @param {boolean} [slanted] show the layers as a stack @returns {Layout} */
export function layoutOf(variant, slanted = false) {
  const style = styleOf(variant);
  const [columns = 1, rows = 1, layers = 1] = variant.shape;
  const small = style === "nested" ? variant.line : 0;
  const gaps = (/** @type {number} */ cells) => (small ? (cells / small - 1) * BOARD_GAP : 0);
  const layerWidth = columns * CELL + gaps(columns);
  const layerHeight = rows * CELL + gaps(rows);
  const flat = { style, columns, rows, layers, matrix: FLAT, layerWidth, layerHeight, small };
  if (style === "layers" && slanted) {
    return {
      ...flat,
      matrix: SLANTED,
      width: layerWidth + SLANTED[2] * layerHeight,
      height: SLANTED_STEP * (layers - 1) + SLANTED[3] * layerHeight,
      origins: Array.from({ length: layers }, (_, layer) => ({ x: 0, y: layer * SLANTED_STEP })),
    };
  }
  if (style === "layers") {
    const [stepX, stepY] = [layerWidth + LAYER_GAP, layerHeight + LAYER_LABEL];
    return {
      ...flat,
      width: stepX * 2 - LAYER_GAP,
      height: stepY * Math.ceil(layers / 2),
      origins: Array.from({ length: layers }, (_, layer) => ({
        x: (layer % 2) * stepX,
        y: Math.floor(layer / 2) * stepY + LAYER_LABEL,
      })),
    };
  }
  const { left, top, end } = MARGINS[style];
  return {
    ...flat,
    width: left + layerWidth + end,
    height: top + layerHeight + end,
    origins: [{ x: left, y: top }],
  };
}

/** Return where a cell begins along one axis of its layer. @param {Layout} layout @param {number} index */
export const offsetOf = ({ small }, index) => index * CELL + (small ? Math.floor(index / small) * BOARD_GAP : 0);

/**
 * Return the picture's units of a point of a layer.
 * @param {Layout} layout
 * @param {number} layer
 * @param {number} x
 * @param {number} y
 */
export function pointOf({ origins, matrix: [a, b, c, d] }, layer, x, y) {
  const origin = origins[layer] ?? { x: 0, y: 0 };
  return { x: origin.x + a * x + c * y, y: origin.y + b * x + d * y };
}

/**
 * Return the transform of a cell's box of 100. The cell may lie outside of the board, such as above a rack.
 * @param {Layout} layout @param {{column: number, row: number, layer: number}} coordinates
 */
export function boxOf(layout, { column, row, layer }) {
  const { x, y } = pointOf(layout, layer, offsetOf(layout, column), offsetOf(layout, row));
  return `matrix(${layout.matrix.join(" ")} ${x} ${y})`;
}

/** Return the centre of a cell in the picture's units. @param {Layout} layout @param {Coordinates} coordinates */
export const centreOf = (layout, { column, row, layer }) =>
  pointOf(layout, layer, offsetOf(layout, column) + CELL / 2, offsetOf(layout, row) + CELL / 2);

/**
 * Return the number of the small board of a cell, row by row from 0.
 * @param {Layout} layout
 * @param {{column: number, row: number}} coordinates
 */
export const smallBoardOf = ({ small, columns }, { column, row }) =>
  Math.floor(row / small) * (columns / small) + Math.floor(column / small);

/**
 * Divide the cells of completed lines into straight lines. All of them contain `last`, the newest mark.
 * @param {readonly string[]} cells @param {string|null} last
 * @returns {Coordinates[][]} each from end to end
 */
export function straightLines(cells, last) {
  const points = cells.map(coordinatesOf).filter((point) => point !== null);
  const through = points.find(({ cell }) => cell === last) ?? points[0];
  if (!through) return [];
  /** @type {Map<string, Coordinates[]>} */
  const byDirection = new Map();
  for (const point of points) {
    if (point === through) continue;
    const key = directionOf([point.column - through.column, point.row - through.row, point.layer - through.layer]);
    byDirection.set(key, [...(byDirection.get(key) ?? [through]), point]);
  }
  return [...byDirection.values()].map((line) =>
    line.sort((a, b) => a.layer - b.layer || a.row - b.row || a.column - b.column),
  );
}

/** Name the direction of a step, the same forwards and backwards. @param {number[]} step */
function directionOf(step) {
  const length = Math.max(...step.map(Math.abs)) || 1;
  const sign = (step.find((part) => part !== 0) ?? 1) < 0 ? -1 : 1;
  return step.map((part) => (sign * part) / length + 0).join();
}

/**
 * Return the small boards of the completed large lines, as straight lines of boards.
 * @param {Layout} layout @param {readonly string[]} cells @param {string|null} last
 * @returns {Coordinates[][]} a board's column and row among the boards
 */
export function linesOfBoards(layout, cells, last) {
  const boardCell = (/** @type {string} */ cell) => {
    const point = coordinatesOf(cell);
    return (
      point &&
      String.fromCharCode(97 + Math.floor(point.column / layout.small)) + (Math.floor(point.row / layout.small) + 1)
    );
  };
  const boards = [...new Set(cells.map(boardCell).filter((cell) => cell !== null))];
  return straightLines(boards, last && boardCell(last));
}
