import { h, setAttr } from "../browser/dom.js";
import { warn } from "../browser/notices.js";
import { t, textOfName } from "../texts/i18n.js";
import { createBoardInput } from "./input.js";
import { BOARD_GAP, CELL, landing, layersOf, smallBoardOf } from "./layout.js";
import { createPicture } from "./picture.js";

/**
 * The live board of any variant: a picture, and over it an ARIA grid of transparent cells with one tab stop. `draw`
 * takes any position at any time and changes only what differs, so the focus stays in its cell. The layers of a 3D
 * board and the small boards of ultimate are parts of the same ARIA grid.
 */

/** @import { Coordinates, Layout } from "./layout.js" */
/** @import { Position } from "./picture.js" */

/**
 * @typedef {{coordinates: Coordinates, node: HTMLElement, key: string, isLegal: boolean|null}} Cell
 *   `key` and `isLegal` hold what was last drawn
 */
/** @typedef {"large"|"always"|"never"} Confirmation  which boards want a second touch: large ones, all, none */

/**
 * @param {{label: string, variant: import("../board/layout.js").Shape, slanted?: boolean, onPlay: (cell: string) => void,
 *   onFirstTap?: (cell: string|null) => void, confirmation?: () => Confirmation}} options
 *   `onFirstTap` gets the cell that a second tap plays, or null. `confirmation` is read at every touch.
 */
export function createBoard({
  label,
  variant,
  slanted = false,
  onPlay,
  onFirstTap = () => {},
  confirmation = () => "large",
}) {
  const { shape, gravity } = variant;
  const hasLayers = shape.length > 2;
  const layerName = (/** @type {number} */ index) => t("board.layer", { n: index + 1 });
  /** Whether a cell's name says only its mark, and not where a mark would land or which small board is open. */
  const hasPlainNames = !gravity && !variant.nested;
  const picture = createPicture(variant, {
    slanted,
    layerNames: Array.from({ length: shape[2] ?? 1 }, (_, index) => layerName(index)),
  });
  const { layout } = picture;
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  /** @type {Position|null} */
  let position = null;
  let legal = /** @type {Set<string>} */ (new Set());

  const scene = h("div", { class: "board-scene", role: "presentation" }, ...layersOf(shape).map(createLayer));
  scene.prepend(picture.element);
  const element = h(
    "div",
    {
      class: "board",
      role: "grid",
      "aria-label": label,
      "aria-description": t(hasLayers ? "board.keys.layers" : "board.keys"),
      "data-style": layout.style,
    },
    scene,
  );
  element.style.setProperty("--board-ratio", String(layout.width / layout.height));

  /** @param {Coordinates[][]} rows @param {number} index */
  function createLayer(rows, index) {
    const node = h(
      "div",
      { class: "layer", role: "rowgroup", "aria-label": hasLayers ? layerName(index) : null },
      ...rows.map((row) => h("div", { class: "row", role: "row" }, ...row.map(createCell))),
    );
    laySizes(node, layout, index);
    return node;
  }

  /** @param {Coordinates} coordinates */
  function createCell(coordinates) {
    const { cell } = coordinates;
    const node = h("div", { class: "cell", role: "gridcell", tabindex: -1, "data-cell": cell });
    cells.set(cell, { coordinates, node, key: "", isLegal: null });
    return node;
  }

  const target = (/** @type {string} */ cell) =>
    position?.mark && !position.pending ? landing(cell, legal, gravity) : null;
  const input = createBoardInput({
    element,
    scene,
    cells,
    shape,
    layout,
    target,
    confirmation,
    play: (cell) => {
      const landingCell = target(cell);
      if (landingCell) onPlay(landingCell);
    },
    point(cell, hasCrosshair) {
      const next = cell && target(cell);
      for (const node of element.querySelectorAll(".preview"))
        if (node !== cells.get(next ?? "")?.node) node.classList.remove("preview");
      if (next) cells.get(next)?.node.classList.add("preview");
      picture.point(
        cell && (next || hasLayers) ? { cell, target: next, mark: position?.mark ?? null, hasCrosshair } : null,
      );
    },
    onFirstTap,
  });

  /** @param {Position} newPosition */
  function draw(newPosition) {
    position = newPosition;
    legal = new Set(newPosition.legal);
    const line = new Set(newPosition.outcome?.cells);
    const rings = new Set(newPosition.rings);
    setAttr(element, "data-mark", newPosition.mark ?? null);
    setAttr(element, "data-over", newPosition.outcome ? "" : null);
    for (const cell of cells.values()) drawCell(cell, newPosition, line, rings);
    picture.draw(newPosition);
    input.refresh();
  }

  /** @param {Cell} entry @param {Position} drawn @param {Set<string>} line @param {Set<string>} rings */
  function drawCell(entry, drawn, line, rings) {
    const { coordinates, node } = entry;
    const { cell } = coordinates;
    const { pending = null, fading = null, boards = null } = drawn;
    const isPending = pending === cell;
    const mark = drawn.marks[cell] ?? null;
    const next = target(cell);
    const isLast = drawn.moves?.at(-1) === cell;
    const board = layout.small ? smallBoardOf(layout, coordinates) : -1;
    drawLegality(entry, next !== null);
    const named = hasPlainNames ? null : next;
    const drawnMark = isPending && drawn.mark;
    const look = `${line.has(cell)}${rings.has(cell)}${fading === cell}${boards?.[board]}`;
    const key = `${mark}${isPending}${named}${isLast}${look}${drawnMark}`;
    if (key === entry.key) return;
    entry.key = key;
    setAttr(node, "data-mark", isPending ? (drawn.mark ?? drawn.turn ?? null) : mark);
    node.classList.toggle("pending", isPending);
    node.classList.toggle("last", isLast);
    node.classList.toggle("line", line.has(cell));
    node.classList.toggle("fading", fading === cell);
    let name = mark
      ? t(fading === cell ? "cell.fading" : "cell.mark", { cell, mark })
      : next && next !== cell
        ? t("cell.drops", { cell, landing: next })
        : t("cell.empty", { cell });
    if (layout.small) {
      const owner = boards?.[board];
      name +=
        t("comma") +
        t(!owner ? "board.small" : owner === "draw" ? "board.drawn" : "board.won", {
          board: boardName(board),
          mark: owner ?? "",
        });
    }
    if (layout.small && next === cell) name = t("cell.playable", { label: name });
    if (line.has(cell)) name = t("cell.line", { label: name });
    else if (isLast) name = t("cell.last", { label: name });
    else if (rings.has(cell)) name = t("cell.held", { label: name });
    setAttr(node, "aria-label", name);
  }

  /**
   * Say whether a cell can be played. With each turn this changes for every empty cell, and nothing else of them does.
   * @param {Cell} entry @param {boolean} isLegal
   */
  function drawLegality(entry, isLegal) {
    if (entry.isLegal === isLegal) return;
    entry.isLegal = isLegal;
    entry.node.classList.toggle("legal", isLegal);
    setAttr(entry.node, "aria-disabled", isLegal ? null : "true");
  }

  return {
    element,
    draw,
    /** Focus the cell with the tab stop. */
    focus: input.focus,
    hasGravity: gravity,
    /**
     * Play the cell of a name, or of a column with gravity. Return whether it can be played.
     * @param {string} name in any case
     */
    playNamed(name) {
      const word = name.trim().toLowerCase();
      const cell = gravity && word.length === 1 ? word + "1" : word;
      const landingCell = cells.has(cell) ? target(cell) : null;
      if (landingCell) onPlay(landingCell);
      return landingCell !== null;
    },
    dispose() {
      input.dispose();
      element.remove();
    },
  };
}

/** Return the name of a small board, such as "top right". @param {number} index row by row from 0 */
export const boardName = (index) => textOfName("board.name.", String(index));

/**
 * Lay the cells of a layer over their picture.
 * @param {HTMLElement} node
 * @param {Layout} layout
 * @param {number} index
 */
function laySizes(node, layout, index) {
  const { x = 0, y = 0 } = layout.origins[index] ?? {};
  const [width, height] = [layout.width + 8, layout.height + 8];
  const percent = (/** @type {number} */ part, /** @type {number} */ whole) => `${(100 * part) / whole}%`;
  const tracks = (/** @type {number} */ count) =>
    Array.from(
      { length: count },
      (_, cell) =>
        (layout.small && cell && cell % layout.small === 0 ? `minmax(0, ${BOARD_GAP}fr) ` : "") +
        `minmax(0, ${CELL}fr)`,
    ).join(" ");
  Object.assign(node.style, {
    left: percent(x + 4, width),
    top: percent(y + 4, height),
    width: percent(layout.layerWidth, width),
    height: percent(layout.layerHeight, height),
    gridTemplateRows: tracks(layout.rows),
    transform: layout.matrix[2] ? `matrix(${layout.matrix.join(", ")}, 0, 0)` : "",
  });
  const track = (/** @type {number} */ cell) => cell + 1 + (layout.small ? Math.floor(cell / layout.small) : 0);
  [...node.children].forEach((row, number) => {
    if (!(row instanceof HTMLElement)) return;
    row.style.gridRow = String(track(number));
    row.style.gridTemplateColumns = tracks(layout.columns);
    if (!layout.small) return;
    for (const [column, cell] of [...row.children].entries()) {
      if (cell instanceof HTMLElement) cell.style.gridColumn = String(track(column));
    }
  });
}

/**
 * Open the input for the name of a cell. It is imported when it is first wanted.
 * @param {import("./cell_dialog.js").NamedCells} board
 */
export async function enterCell(board) {
  try {
    const { openCellDialog } = await import("../board/cell_dialog.js");
    openCellDialog(board);
  } catch {
    warn(t("error.unreachable"));
  }
}
