/**
 * The geometry of a board: the names and coordinates of cells, and which cells are next to each other. It knows no
 * rules.
 */

/**
 * @typedef {{cell: string, column: number, row: number, layer: number}} Coordinates  counted from 0, with the cell's name
 */

/** @param {number} column @param {number} row @param {number|null} layer null on a flat board */
export const cellName = (column, row, layer) =>
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
  let { column, row, layer } = from;
  switch (key) {
    case "ArrowLeft":
      column -= 1;
      break;
    case "ArrowRight":
      column += 1;
      break;
    case "ArrowUp":
      row -= 1;
      break;
    case "ArrowDown":
      row += 1;
      break;
    case "Home":
      column = 0;
      if (ctrl) row = 0;
      break;
    case "End":
      column = columns - 1;
      if (ctrl) row = rows - 1;
      break;
    case "PageUp":
      if (layers) layer -= 1;
      else row = 0;
      break;
    case "PageDown":
      if (layers) layer += 1;
      else row = rows - 1;
      break;
    default:
      return null;
  }
  const clamp = (/** @type {number} */ n, /** @type {number} */ size) => Math.min(Math.max(n, 0), size - 1);
  return cellName(clamp(column, columns), clamp(row, rows), layers ? clamp(layer, layers) : null);
}

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
