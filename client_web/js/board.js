import { h, listen, setAttr, svg } from "./dom.js";
import { landing, layersOf, neighbour, placeOf, strokeThrough } from "./geometry.js";
import { t } from "./i18n.js";

/**
 * The board of any variant: an ARIA grid with one tab stop. `draw` may be called with anything at any time; it changes only
 * what differs, so focus stays where it is. Small boards and layers are groups in the same grid.
 */

/** @typedef {import("./wire.js").Mark} Mark */
/** @typedef {import("./geometry.js").Place} Place */
/**
 * @typedef {{shape: readonly number[], gravity: boolean, marks: Record<string, Mark>, legal: readonly string[],
 *   mark: Mark|null, last: string|null, line: readonly string[], fading: string|null, pending: string|null,
 *   boards: readonly (Mark|"draw"|null)[]|null, forced: number|null, over: boolean}} Drawing
 *   `mark` is the one that a click would place, null while it is not ours to move.
 */
/** @typedef {{place: Place, node: HTMLElement}} Cell */

const SMALL = 3; // small boards of ultimate are 3 by 3 of 3 by 3
const FINGER = 30; // below so many pixels a touch aims first and plays with a second touch

const cross = () => svg("path", { class: "x", d: "M22 22 78 78M78 22 22 78", pathLength: 100 });
const nought = () => svg("circle", { class: "o", cx: 50, cy: 50, r: 30, pathLength: 100 });
export const markPicture = () => svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true", class: "mark" }, cross(), nought());

/**
 * @param {{label: string, shape: readonly number[], grouped: boolean, onPlay: (cell: string) => void,
 *   onSay: (sentence: string) => void}} options
 */
export function createBoard({ label, shape, grouped, onPlay, onSay }) {
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  /** @type {HTMLElement[]} */
  const smallBoards = [];
  /** @type {{line: Element, layer: number}[]} */
  const strokes = [];
  /** @type {Drawing|null} */
  let drawn = null;
  let legal = /** @type {Set<string>} */ (new Set());
  let tabStop = "";
  /** @type {string|null} */ let aimed = null;
  /** @type {string|null} */ let armed = null; // aimed at by a finger: the next touch there plays
  let finger = false; // the last that touched the board: then focus, which follows the touch, aims at nothing

  const [columns = 1, rows = 1] = shape;
  const layered = shape.length > 2;
  const element = h("div", {
    class: "board", role: "grid", "aria-label": label,
    "aria-description": t(layered ? "board.keys.layers" : "board.keys"),
    "data-size": Math.max(columns, rows) > 9 ? "large" : Math.max(columns, rows) > 5 ? "medium" : "small",
    "data-grouped": String(grouped), "data-layered": String(layered),
  });
  element.style.setProperty("--columns", String(columns));
  element.style.setProperty("--rows", String(rows));
  element.append(...layersOf(shape).map((layer, index) => drawLayer(layer, index)));

  /** @param {Place[][]} layer @param {number} index */
  function drawLayer(layer, index) {
    const stroke = svg("line", { class: "stroke" });
    strokes.push({ line: stroke, layer: index });
    const group = h("div", { class: "layer", role: "rowgroup", "aria-label": layered ? t("board.layer", { n: index + 1 }) : null },
      ...layer.map((row) => h("div", { class: "row", role: "row" }, ...row.map(makeCell))),
      h("div", { class: "over", "aria-hidden": "true" },
        svg("svg", { viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none", class: "strokes" }, stroke)));
    if (layered) group.append(h("span", { class: "layer-name", "aria-hidden": "true", text: t("board.layer", { n: index + 1 }) }));
    if (grouped) group.append(h("div", { class: "smalls", "aria-hidden": "true" }, ...Array.from({ length: SMALL * SMALL }, () => {
      const small = h("div", { class: "small" }, markPicture());
      smallBoards.push(small);
      return small;
    })));
    return group;
  }

  /** @param {Place} place */
  function makeCell(place) {
    const node = h("div", { class: "cell", role: "gridcell", tabindex: -1, "data-cell": place.cell }, markPicture());
    if (grouped && place.column % SMALL === 0 && place.column) node.classList.add("first-column");
    if (grouped && place.row % SMALL === 0 && place.row) node.classList.add("first-row");
    cells.set(place.cell, { place, node });
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

  /** Where a mark would go for a pointer or the focus on `cell`. @param {string|null} cell */
  function aim(cell) {
    const next = cell && drawn?.mark && !drawn.pending ? landing(cell, legal, drawn.gravity) : null;
    if (next === aimed) return;
    if (aimed) cells.get(aimed)?.node.classList.remove("aim");
    if (next) cells.get(next)?.node.classList.add("aim");
    aimed = next;
  }

  /** @param {string} cell */
  function play(cell) {
    const target = drawn?.mark ? landing(cell, legal, drawn.gravity) : null;
    if (target && !drawn?.pending) onPlay(target);
  }

  const offs = [
    listen(element, "pointerdown", (event) => {
      finger = event.pointerType === "touch";
    }),
    listen(element, "click", (event) => {
      const cell = cellOf(event.target);
      if (!cell) return;
      const target = drawn?.mark ? landing(cell, legal, drawn.gravity) : null;
      const node = cells.get(cell)?.node;
      const tiny = finger && node !== undefined && node.clientWidth < FINGER;
      setTabStop(cell);
      if (tiny && target && armed !== target) {
        armed = target;
        aim(cell);
        onSay(t("cell.again", { cell: target }));
        return;
      }
      armed = null;
      play(cell);
    }),
    listen(element, "pointerover", (event) => event.pointerType !== "touch" && aim(cellOf(event.target))),
    listen(element, "pointerleave", (event) => event.pointerType !== "touch" && !finger && aim(cellOf(document.activeElement))),
    listen(element, "focusin", (event) => {
      const cell = cellOf(event.target);
      if (!cell) return;
      setTabStop(cell);
      if (!finger) aim(cell);
    }),
    listen(element, "focusout", () => aim(null)),
    listen(element, "keydown", (event) => {
      finger = false;
      if (event.altKey || event.metaKey) return;
      const at = cells.get(cellOf(event.target) ?? "");
      if (!at) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        if (!event.repeat) play(at.place.cell);
        return;
      }
      const next = neighbour(event.key, at.place, shape, event.ctrlKey);
      if (next === null) return;
      event.preventDefault();
      cells.get(next)?.node.focus();
    }),
  ];

  /** @param {Drawing} drawing */
  function draw(drawing) {
    drawn = drawing;
    legal = new Set(drawing.legal);
    const inLine = new Set(drawing.line);
    setAttr(element, "data-mark", drawing.mark);
    setAttr(element, "data-over", drawing.over ? "" : null);
    for (const { place, node } of cells.values()) drawCell(place, node, drawing, inLine);
    drawing.boards?.forEach((owner, index) => drawSmall(owner, index));
    smallBoards.forEach((node, index) => node.classList.toggle("forced", !drawing.over && drawing.forced === index));
    drawStroke(drawing.line);
    if (aimed && (!drawing.mark || drawing.pending || !legal.has(aimed))) aim(null);
    if (!aimed && !finger && drawing.mark && element.contains(document.activeElement)) aim(cellOf(document.activeElement));
  }

  /** @param {Place} place @param {HTMLElement} node @param {Drawing} drawing @param {Set<string>} inLine */
  function drawCell({ cell, column, row }, node, drawing, inLine) {
    const mark = drawing.marks[cell] ?? null;
    const pending = drawing.pending === cell;
    const target = drawing.mark && !drawing.pending ? landing(cell, legal, drawing.gravity) : null;
    setAttr(node, "data-mark", pending ? drawing.mark : mark);
    node.classList.toggle("pending", pending);
    node.classList.toggle("last", drawing.last === cell);
    node.classList.toggle("line", inLine.has(cell));
    node.classList.toggle("fading", drawing.fading === cell);
    node.classList.toggle("legal", target !== null);
    let label = mark ? t(drawing.fading === cell ? "cell.fading" : "cell.mark", { cell, mark })
      : target && target !== cell ? t("cell.drops", { cell, landing: target })
      : t("cell.empty", { cell });
    if (grouped) {
      const small = Math.floor(row / SMALL) * SMALL + Math.floor(column / SMALL);
      const owner = drawing.boards?.[small];
      const key = !owner ? "board.small" : owner === "draw" ? "board.drawn" : "board.won";
      label += ", " + t(key, { n: small + 1, mark: owner ?? "" });
    }
    if (grouped && target === cell) label = t("cell.playable", { label });
    if (inLine.has(cell)) label = t("cell.line", { label });
    else if (drawing.last === cell) label = t("cell.last", { label });
    setAttr(node, "aria-label", label);
    setAttr(node, "aria-disabled", target === null ? "true" : null);
  }

  /** @param {Mark|"draw"|null} owner @param {number} index */
  function drawSmall(owner, index) {
    const node = smallBoards[index];
    if (node) setAttr(node, "data-mark", owner);
  }

  /** @param {readonly string[]} line */
  function drawStroke(line) {
    const found = strokeThrough(line);
    const layer = line[0] === undefined ? -1 : placeOf(line[0])?.layer;
    for (const stroke of strokes) {
      const here = found !== null && stroke.layer === layer && !grouped;
      stroke.line.classList.toggle("shown", here);
      if (here) for (const [name, value] of Object.entries(found)) setAttr(stroke.line, name, String(value));
    }
  }

  return {
    element,
    draw,
    /** Focus the cell that holds the tab stop. */
    focus: () => cells.get(tabStop)?.node.focus(),
    dispose() {
      for (const off of offs) off();
      element.remove();
    },
  };
}
