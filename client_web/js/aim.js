import { centreOf } from "./board_layout.js";
import { setAttr } from "./dom.js";
import { coordinatesOf } from "./geometry.js";

/** The cell that a finger aims at, and the enlargement of the board around it. */

/** @typedef {import("./board_layout.js").Layout} Layout */

const SCALE = 2;
const FINGER_PX = 44; // in narrower cells an aim enlarges the board
const MARGIN = 0.28; // of the enlarged board's width: the aim stays this far from the edges

/**
 * @param {{element: HTMLElement, scene: HTMLElement, layout: Layout, onChange: (cell: string|null) => void}} options
 *   `scene` is what is enlarged inside `element`
 */
export function createAim({ element, scene, layout, onChange }) {
  /** @type {string|null} */ let aimed = null;
  /** Where the enlarged part begins, as shares of the board's width and height. */
  let left = 0;
  let top = 0;

  // A column is wide enough, and all layers are needed at once.
  const canEnlarge = layout.style !== "rack" && layout.layers === 1;

  /** @param {string} cell */
  function enlarge(cell) {
    const coordinates = coordinatesOf(cell);
    if (!coordinates || !canEnlarge || (element.clientWidth * 100) / layout.width >= FINGER_PX) return;
    const { x, y } = centreOf(layout, coordinates);
    const [shareX, shareY] = [x / layout.width, y / layout.height];
    const size = 1 / SCALE;
    if (!element.hasAttribute("data-enlarged")) {
      [left, top] = [shareX * (1 - size), shareY * (1 - size)]; // the cell stays under the finger
    }
    const keep = (/** @type {number} */ start, /** @type {number} */ share) =>
      Math.min(Math.max(Math.min(Math.max(start, share - size * (1 - MARGIN)), share - size * MARGIN), 0), 1 - size);
    [left, top] = [keep(left, shareX), keep(top, shareY)];
    setAttr(element, "data-enlarged", "");
    scene.style.transform = `translate(${-100 * SCALE * left}%, ${-100 * SCALE * top}%) scale(${SCALE})`;
  }

  return {
    cell: () => aimed,
    /** Aim at a cell. @param {string|null} cell null ends the aim */
    set(cell) {
      if (cell === aimed) return;
      aimed = cell;
      setAttr(element, "data-aiming", cell === null ? null : "");
      if (cell === null) {
        setAttr(element, "data-enlarged", null);
        scene.style.transform = "";
      } else enlarge(cell);
      onChange(cell);
    },
  };
}
