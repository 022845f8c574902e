import { svg } from "../browser/dom.js";
import { boxOf, CELL, centreOf, coordinatesOf } from "./layout.js";
import { createMark } from "./marks.js";

/**
 * What a hovering pointer, a visible focus or a first tap shows: the mark that would be added, a crosshair, the same cell
 * of other layers.
 */

/** @import { Mark } from "../net/messages.js" */
/** @import { Layout } from "./layout.js" */

/** @typedef {{cell: string, target: string|null, mark: Mark|null, hasCrosshair: boolean}} Pointing
 *   `target` is the cell that a click on `cell` would fill, and `mark` the mark that it would add */

/** @param {Layout} layout @param {import("./marks.js").Form} form */
export function createPointer(layout, form) {
  const element = svg("g", { class: "pointer" });
  let key = "";

  /** @param {string} cell */
  function crosshair(cell) {
    const coordinates = coordinatesOf(cell);
    if (!coordinates) return [];
    const { x, y } = centreOf(layout, coordinates);
    const origin = layout.origins[coordinates.layer] ?? { x: 0, y: 0 };
    const [left, top] = layout.style === "crossings" ? [0, 0] : [origin.x, origin.y];
    const half = CELL / 2;
    const d =
      `M${left} ${y}H${x - half}M${x + half} ${y}H${origin.x + layout.layerWidth}` +
      `M${x} ${top}V${y - half}M${x} ${y + half}V${origin.y + layout.layerHeight}`;
    return [svg("path", { class: "crosshair", d })];
  }

  /** Return a frame in the same cell of each other layer. @param {string} cell */
  function twins(cell) {
    const coordinates = coordinatesOf(cell);
    if (!coordinates || layout.layers < 2) return [];
    const frame = { class: "twin", x: 10, y: 10, width: 80, height: 80, rx: 14 };
    return [...layout.origins.keys()]
      .filter((layer) => layer !== coordinates.layer)
      .map((layer) => svg("rect", { ...frame, transform: boxOf(layout, { ...coordinates, layer }) }));
  }

  /** @param {string} target @param {Mark} mark */
  function ghosts(target, mark) {
    const coordinates = coordinatesOf(target);
    if (!coordinates) return [];
    const ghost = createMark(mark, form, boxOf(layout, coordinates), layout.matrix);
    ghost.classList.add("ghost");
    if (layout.style !== "rack") return [ghost];
    const waiting = createMark(mark, form, boxOf(layout, { ...coordinates, row: -1.12 }));
    waiting.classList.add("waiting");
    return [ghost, waiting];
  }

  return {
    element,
    /** @param {Pointing|null} pointing null shows nothing */
    point(pointing) {
      const newKey = JSON.stringify(pointing);
      if (newKey === key) return;
      key = newKey;
      if (!pointing) element.replaceChildren();
      else {
        const { cell, target, mark, hasCrosshair } = pointing;
        element.replaceChildren(
          ...twins(cell),
          ...(hasCrosshair && target && layout.style !== "rack" && layout.matrix[2] === 0 ? crosshair(target) : []),
          ...(target && mark ? ghosts(target, mark) : []),
        );
      }
    },
  };
}
