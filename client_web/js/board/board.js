import { h, setAttr, svg } from "../browser/dom.js";
import { t, textOfName } from "../texts/i18n.js";
import { cellText } from "./cell_text.js";
import { createBoardInput } from "./input.js";
import { boxOf, CELL, landing, layersOf, smallBoardOf } from "./layout.js";
import { createPicture } from "./picture.js";

/**
 * The live board of any variant: a picture whose cells are the cells of an ARIA grid, with one tab stop. `draw` takes any
 * position at any time and changes only what differs, so the focus stays in its cell. The layers of a 3D board and the
 * small boards of ultimate are parts of the same ARIA grid.
 */

/** @import { Coordinates } from "./layout.js" */
/** @import { Position } from "./picture.js" */

/** @typedef {{coordinates: Coordinates, node: SVGElement}} Cell */
/** @typedef {ReturnType<typeof createBoard>} Board */

/**
 * @param {{label: string, variant: import("../board/layout.js").Shape, slanted?: boolean, onPlay: (cell: string) => void,
 *   onFirstTap?: (cell: string|null) => void, describedBy?: string|null}} options
 *   `onFirstTap` gets the cell that a second touch plays, or null.
 */
function createBoard({ label, variant, slanted = false, onPlay, onFirstTap = () => {}, describedBy = null }) {
  const { shape, gravity } = variant;
  const hasLayers = shape.length > 2;
  const layerName = (/** @type {number} */ index) => t("board.layer", { n: index + 1 });
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

  const cellGroups = svg("g", { class: "cells" }, ...layersOf(shape).map(createLayer));
  picture.element.append(cellGroups);
  setAttr(picture.element, "aria-hidden", null);
  setAttr(picture.element, "role", "presentation");
  const element = h(
    "div",
    {
      class: "board",
      role: "grid",
      translate: "no",
      "aria-label": label,
      "aria-description": t(hasLayers ? "board.keys.layers" : "board.keys"),
      "aria-describedby": describedBy,
      "data-style": layout.style,
    },
    picture.element,
  );
  element.style.setProperty("--board-ratio", String(layout.width / layout.height));

  /** @param {Coordinates[][]} rows @param {number} index */
  function createLayer(rows, index) {
    const node = svg(
      "g",
      { role: "rowgroup" },
      ...rows.map((row) => svg("g", { role: "row" }, ...row.map(createCell))),
    );
    setAttr(node, "aria-label", hasLayers ? layerName(index) : null);
    return node;
  }

  /** @param {Coordinates} coordinates */
  function createCell(coordinates) {
    const { cell } = coordinates;
    const area = svg("rect", {
      class: "area",
      width: CELL,
      height: CELL,
      rx: 8,
      transform: boxOf(layout, coordinates),
    });
    const node = svg("g", { class: "cell", role: "gridcell", tabindex: -1, "data-cell": cell }, area);
    cells.set(cell, { coordinates, node });
    return node;
  }

  const target = (/** @type {string} */ cell) =>
    position?.mark && !position.pending ? landing(cell, legal, gravity) : null;
  const input = createBoardInput({
    element,
    cells,
    shape,
    layout,
    target,
    play: (cell) => {
      const landingCell = target(cell);
      if (landingCell) onPlay(landingCell);
    },
    point(cell, hasCrosshair) {
      const next = cell && target(cell);
      for (const node of element.querySelectorAll(".preview"))
        if (node !== cells.get(next ?? "")?.node) node.classList.remove("preview");
      if (next) cells.get(next)?.node.classList.add("preview");
      const shows = next || (hasLayers && !position?.outcome);
      picture.point(cell && shows ? { cell, target: next, mark: position?.mark ?? null, hasCrosshair } : null);
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
  function drawCell({ coordinates, node }, drawn, line, rings) {
    const { cell } = coordinates;
    const isPending = drawn.pending === cell;
    const isFading = drawn.fading === cell || drawn.lifted === cell;
    const isLast = drawn.moves?.at(-1) === cell;
    const mark = drawn.marks[cell] ?? null;
    const next = target(cell);
    setAttr(node, "data-mark", isPending ? (drawn.mark ?? drawn.turn ?? null) : mark);
    setAttr(node, "aria-disabled", next === null ? "true" : null);
    node.classList.toggle("legal", next !== null);
    node.classList.toggle("pending", isPending);
    node.classList.toggle("last", isLast);
    node.classList.toggle("line", line.has(cell));
    node.classList.toggle("fading", isFading);
    const words = { cell: cellText(cell), mark: mark ?? "", landing: cellText(next ?? cell) };
    let name = t(
      mark ? (isFading ? "cell.fading" : "cell.mark") : next && next !== cell ? "cell.drops" : "cell.empty",
      words,
    );
    if (layout.small) {
      const board = smallBoardOf(layout, coordinates);
      const owner = drawn.boards?.[board] ?? "";
      const key = !owner ? "board.small" : owner === "draw" ? "board.drawn" : "board.won";
      name += t("comma") + t(key, { board: textOfName("board.name.", String(board)), mark: owner });
      if (next === cell) name = t("cell.playable", { label: name });
    }
    if (line.has(cell)) name = t("cell.line", { label: name });
    else if (isLast) name = t("cell.last", { label: name });
    else if (rings.has(cell)) name = t("cell.held", { label: name });
    setAttr(node, "aria-label", name);
  }

  return {
    element,
    draw,
    focus: input.focus,
    celebrate: picture.celebrate,
    dispose() {
      input.dispose();
      element.remove();
    },
  };
}

/**
 * Create the holder of a page's board. It shows the board of the variant that was drawn last.
 * @param {Omit<Parameters<typeof createBoard>[0], "label"|"variant"|"slanted">} options
 */
export function createBoardHolder(options) {
  /** @type {Board|null} */
  let board = null;
  let shown = "";
  const element = h("div", { class: "board-holder" }, h("div", { class: "board-placeholder" }));

  /** @param {import("../net/messages.js").Variant} variant @param {boolean} slanted */
  function replaceBoard(variant, slanted) {
    board?.dispose();
    board = createBoard({ label: t("room.board", { variant: variant.name }), variant, slanted, ...options });
    element.replaceChildren(board.element);
    return board;
  }

  return {
    element,
    /** @param {import("../net/messages.js").Variant} variant @param {Omit<Position, "variant">} position @param {boolean} [slanted] */
    draw(variant, position, slanted = false) {
      const isStack = slanted && variant.shape.length > 2;
      const key = `${variant.key} ${isStack}`;
      const current = board && shown === key ? board : replaceBoard(variant, isStack);
      shown = key;
      current.draw({ ...position, variant });
    },
    /** @param {string} [cell] */
    focus: (cell) => board?.focus(cell),
    /** Show once how a game ended. @param {"won"|"lost"|"draw"|"seen"|"solved"} ending */
    celebrate: (ending) => board?.celebrate(ending),
    dispose: () => board?.dispose(),
  };
}
