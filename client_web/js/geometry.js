/** Where cells are: names, neighbours and strokes, from the shape alone. No rule of any game is here. */

/** @typedef {{cell: string, column: number, row: number, layer: number}} Place */

/** @param {number} column @param {number} row @param {number|null} layer */
export const nameOf = (column, row, layer) =>
  String.fromCharCode(97 + column) + (row + 1) + (layer === null ? "" : "." + (layer + 1));

/** All cells by layer and row. @param {readonly number[]} shape @returns {Place[][][]} */
export function layersOf(shape) {
  const [columns = 0, rows = 0, layers] = shape;
  return Array.from({ length: layers ?? 1 }, (_, layer) =>
    Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, column) => ({
        cell: nameOf(column, row, layers === undefined ? null : layer), column, row, layer,
      }))));
}

/** @param {string} cell @returns {Place|null} */
export function placeOf(cell) {
  const match = /^([a-z])(\d+)(?:\.(\d+))?$/.exec(cell);
  if (!match) return null;
  return { cell, column: (match[1] ?? "a").charCodeAt(0) - 97, row: Number(match[2]) - 1, layer: Number(match[3] ?? 1) - 1 };
}

/**
 * Where a key leads from a place, or null when the key is not ours.
 * @param {string} key @param {Place} from @param {readonly number[]} shape @param {boolean} ctrl
 */
export function neighbour(key, from, shape, ctrl) {
  const [columns = 1, rows = 1, layers] = shape;
  let { column, row, layer } = from;
  switch (key) {
    case "ArrowLeft": column -= 1; break;
    case "ArrowRight": column += 1; break;
    case "ArrowUp": row -= 1; break;
    case "ArrowDown": row += 1; break;
    case "Home": column = 0; if (ctrl) row = 0; break;
    case "End": column = columns - 1; if (ctrl) row = rows - 1; break;
    case "PageUp": if (layers) layer -= 1; else row = 0; break;
    case "PageDown": if (layers) layer += 1; else row = rows - 1; break;
    default: return null;
  }
  const within = (/** @type {number} */ n, /** @type {number} */ size) => Math.min(Math.max(n, 0), size - 1);
  return nameOf(within(column, columns), within(row, rows), layers ? within(layer, layers) : null);
}

/**
 * The legal cell that a wish for `cell` means: with gravity the one in the same column, else the cell itself.
 * @param {string} cell @param {ReadonlySet<string>} legal @param {boolean} gravity
 */
export function landing(cell, legal, gravity) {
  if (!gravity) return legal.has(cell) ? cell : null;
  const rest = placeOf(cell);
  for (const one of legal) {
    const place = placeOf(one);
    if (place && rest && place.column === rest.column && place.layer === rest.layer) return one;
  }
  return null;
}

/**
 * One stroke through cells that lie on one straight line of one layer, in units of cells, or null.
 * @param {readonly string[]} cells
 */
export function strokeThrough(cells) {
  const places = cells.map(placeOf).filter((place) => place !== null);
  if (places.length < 2 || places.length !== cells.length) return null;
  places.sort((a, b) => a.column - b.column || a.row - b.row);
  const [first, last] = [/** @type {Place} */ (places[0]), /** @type {Place} */ (places.at(-1))];
  const [width, height] = [last.column - first.column, last.row - first.row];
  const straight = places.every((place) => place.layer === first.layer
    && (place.column - first.column) * height === (place.row - first.row) * width);
  return straight ? { x1: first.column + 0.5, y1: first.row + 0.5, x2: last.column + 0.5, y2: last.row + 0.5 } : null;
}
