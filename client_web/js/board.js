import { h, listen, setAttr, svg } from "./dom.js";
import { cellForKey, coordinatesOf, landing, layersOf, strokeThrough } from "./geometry.js";
import { t } from "./i18n.js";

/**
 * The board of any variant: an ARIA grid with one tab stop. `draw` takes any drawing at any time and changes only what differs,
 * so the focus stays in its cell. The layers of a 3D board and the small boards of ultimate are parts of the same ARIA grid.
 */

/** @typedef {import("./messages.js").Mark} Mark */
/** @typedef {import("./geometry.js").Coordinates} Coordinates */
/**
 * @typedef {{shape: readonly number[], gravity: boolean, marks: Record<string, Mark>, legal: readonly string[],
 *   mark: Mark|null, last: string|null, line: readonly string[], fading: string|null, pending: string|null,
 *   boards: readonly (Mark|"draw"|null)[]|null, forced: number|null, over: boolean}} Drawing
 *   `mark` is the mark that a click would add, or null while it is not your turn.
 */
/** @typedef {{coordinates: Coordinates, node: HTMLElement}} Cell */

const SMALL_SIZE = 3; // ultimate has 3 by 3 small boards of 3 by 3 cells
const MIN_TOUCH_CELL_PX = 30; // in narrower cells a first touch only previews the move, and a second one plays it

const cross = () => svg("path", { class: "x", d: "M22 22 78 78M78 22 22 78", pathLength: 100 });
const nought = () => svg("circle", { class: "o", cx: 50, cy: 50, r: 30, pathLength: 100 });
export const markPicture = () => svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true", class: "mark" }, cross(), nought());

/**
 * @param {{label: string, shape: readonly number[], hasSmallBoards: boolean, onPlay: (cell: string) => void,
 *   onHint: (sentence: string) => void}} options
 */
export function createBoard({ label, shape, hasSmallBoards, onPlay, onHint }) {
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  /** @type {HTMLElement[]} */
  const smallBoards = [];
  /** @type {{line: Element, layer: number}[]} */
  const strokes = [];
  /** @type {Drawing|null} */
  let drawing = null;
  let legal = /** @type {Set<string>} */ (new Set());
  let tabStop = "";
  /** @type {string|null} */ let previewCell = null;
  /** @type {string|null} */ let touchedCell = null; // the next touch of this cell plays
  let isTouch = false; // whether the last input was a touch: then the focus, which follows it, previews no move

  const [columns = 1, rows = 1] = shape;
  const hasLayers = shape.length > 2;
  const element = h("div", {
    class: "board", role: "grid", "aria-label": label,
    "aria-description": t(hasLayers ? "board.keys.layers" : "board.keys"),
    "data-size": Math.max(columns, rows) > 9 ? "large" : Math.max(columns, rows) > 5 ? "medium" : "small",
    "data-small-boards": String(hasSmallBoards), "data-layers": String(hasLayers),
  });
  element.style.setProperty("--columns", String(columns));
  element.style.setProperty("--rows", String(rows));
  element.append(...layersOf(shape).map((layer, index) => drawLayer(layer, index)));

  /** @param {Coordinates[][]} layer @param {number} index */
  function drawLayer(layer, index) {
    const stroke = svg("line", { class: "stroke" });
    strokes.push({ line: stroke, layer: index });
    const group = h("div", { class: "layer", role: "rowgroup", "aria-label": hasLayers ? t("board.layer", { n: index + 1 }) : null },
      ...layer.map((row) => h("div", { class: "row", role: "row" }, ...row.map(createCell))),
      h("div", { class: "overlay", "aria-hidden": "true" },
        svg("svg", { viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none", class: "strokes" }, stroke)));
    if (hasLayers) group.append(h("span", { class: "layer-name", "aria-hidden": "true", text: t("board.layer", { n: index + 1 }) }));
    if (hasSmallBoards) group.append(h("div", { class: "small-boards", "aria-hidden": "true" }, ...Array.from({ length: SMALL_SIZE * SMALL_SIZE }, () => {
      const smallBoard = h("div", { class: "small-board" }, markPicture());
      smallBoards.push(smallBoard);
      return smallBoard;
    })));
    return group;
  }

  /** @param {Coordinates} coordinates */
  function createCell(coordinates) {
    const { cell } = coordinates;
    const node = h("div", { class: "cell", role: "gridcell", tabindex: -1, "data-cell": cell }, markPicture());
    cells.set(cell, { coordinates, node });
    return node;
  }

  setTabStop(cells.keys().next().value ?? "");

  /** @param {string} cell */
  function setTabStop(cell) {
    cells.get(tabStop)?.node.setAttribute("tabindex", "-1");
    tabStop = cell;
    cells.get(tabStop)?.node.setAttribute("tabindex", "0");
  }

  /** @param {EventTarget|null} target */
  const cellOf = (target) =>
    (target instanceof Element ? /** @type {HTMLElement|null} */ (target.closest("[data-cell]"))?.dataset["cell"] : null) ?? null;

  /** Show the mark that a click on `cell` would add. @param {string|null} cell null shows none */
  function preview(cell) {
    const next = cell && drawing?.mark && !drawing.pending ? landing(cell, legal, drawing.gravity) : null;
    if (next === previewCell) return;
    if (previewCell) cells.get(previewCell)?.node.classList.remove("preview");
    if (next) cells.get(next)?.node.classList.add("preview");
    previewCell = next;
  }

  /** @param {string} cell */
  function play(cell) {
    const target = drawing?.mark ? landing(cell, legal, drawing.gravity) : null;
    if (target && !drawing?.pending) onPlay(target);
  }

  const removeListeners = [
    listen(element, "pointerdown", (event) => {
      isTouch = event.pointerType === "touch";
    }),
    listen(element, "click", (event) => {
      const cell = cellOf(event.target);
      if (!cell) return;
      const target = drawing?.mark ? landing(cell, legal, drawing.gravity) : null;
      const node = cells.get(cell)?.node;
      const isTiny = isTouch && node !== undefined && node.clientWidth < MIN_TOUCH_CELL_PX;
      setTabStop(cell);
      if (isTiny && target && touchedCell !== target) {
        touchedCell = target;
        preview(cell);
        onHint(t("cell.again", { cell: target }));
        return;
      }
      touchedCell = null;
      play(cell);
    }),
    listen(element, "pointerover", (event) => event.pointerType !== "touch" && preview(cellOf(event.target))),
    listen(element, "pointerleave", (event) => event.pointerType !== "touch" && !isTouch && preview(cellOf(document.activeElement))),
    listen(element, "focusin", (event) => {
      const cell = cellOf(event.target);
      if (!cell) return;
      setTabStop(cell);
      if (!isTouch) preview(cell);
    }),
    listen(element, "focusout", () => preview(null)),
    listen(element, "keydown", (event) => {
      isTouch = false;
      if (event.altKey || event.metaKey) return;
      const current = cells.get(cellOf(event.target) ?? "");
      if (!current) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        if (!event.repeat) play(current.coordinates.cell);
        return;
      }
      const next = cellForKey(event.key, current.coordinates, shape, event.ctrlKey);
      if (next === null) return;
      event.preventDefault();
      cells.get(next)?.node.focus();
    }),
  ];

  /** @param {Drawing} newDrawing */
  function draw(newDrawing) {
    drawing = newDrawing;
    legal = new Set(newDrawing.legal);
    const inLine = new Set(newDrawing.line);
    setAttr(element, "data-mark", newDrawing.mark);
    setAttr(element, "data-over", newDrawing.over ? "" : null);
    for (const { coordinates, node } of cells.values()) drawCell(coordinates, node, newDrawing, inLine);
    newDrawing.boards?.forEach((outcome, index) => drawSmallBoard(outcome, index));
    smallBoards.forEach((node, index) => node.classList.toggle("forced", !newDrawing.over && newDrawing.forced === index));
    drawStroke(newDrawing.line);
    if (previewCell && (!newDrawing.mark || newDrawing.pending || !legal.has(previewCell))) preview(null);
    if (!previewCell && !isTouch && newDrawing.mark && element.contains(document.activeElement)) preview(cellOf(document.activeElement));
  }

  /** @param {Coordinates} coordinates @param {HTMLElement} node @param {Drawing} newDrawing @param {Set<string>} inLine */
  function drawCell({ cell, column, row }, node, newDrawing, inLine) {
    const mark = newDrawing.marks[cell] ?? null;
    const isPending = newDrawing.pending === cell;
    const target = newDrawing.mark && !newDrawing.pending ? landing(cell, legal, newDrawing.gravity) : null;
    setAttr(node, "data-mark", isPending ? newDrawing.mark : mark);
    node.classList.toggle("pending", isPending);
    node.classList.toggle("last", newDrawing.last === cell);
    node.classList.toggle("line", inLine.has(cell));
    node.classList.toggle("fading", newDrawing.fading === cell);
    node.classList.toggle("legal", target !== null);
    let label = mark ? t(newDrawing.fading === cell ? "cell.fading" : "cell.mark", { cell, mark })
      : target && target !== cell ? t("cell.drops", { cell, landing: target })
      : t("cell.empty", { cell });
    if (hasSmallBoards) {
      const index = Math.floor(row / SMALL_SIZE) * SMALL_SIZE + Math.floor(column / SMALL_SIZE);
      const outcome = newDrawing.boards?.[index];
      const key = !outcome ? "board.small" : outcome === "draw" ? "board.drawn" : "board.won";
      label += ", " + t(key, { n: index + 1, mark: outcome ?? "" });
    }
    if (hasSmallBoards && target === cell) label = t("cell.playable", { label });
    if (inLine.has(cell)) label = t("cell.line", { label });
    else if (newDrawing.last === cell) label = t("cell.last", { label });
    setAttr(node, "aria-label", label);
    setAttr(node, "aria-disabled", target === null ? "true" : null);
  }

  /** @param {Mark|"draw"|null} outcome @param {number} index */
  function drawSmallBoard(outcome, index) {
    const node = smallBoards[index];
    if (node) setAttr(node, "data-mark", outcome);
  }

  /** @param {readonly string[]} line */
  function drawStroke(line) {
    const ends = strokeThrough(line);
    const layer = line[0] === undefined ? -1 : coordinatesOf(line[0])?.layer;
    for (const stroke of strokes) {
      const isVisible = ends !== null && stroke.layer === layer && !hasSmallBoards;
      stroke.line.classList.toggle("shown", isVisible);
      if (isVisible) for (const [name, value] of Object.entries(ends)) setAttr(stroke.line, name, String(value));
    }
  }

  return {
    element,
    draw,
    /** Focus the cell with the tab stop. */
    focus: () => cells.get(tabStop)?.node.focus(),
    dispose() {
      for (const removeListener of removeListeners) removeListener();
      element.remove();
    },
  };
}
