import { listen, setAttr } from "../browser/dom.js";
import { cellForKey, centreOf, coordinatesOf } from "./layout.js";

/**
 * Pointer, finger and keyboard on a board. The ghost of a mark follows a pointer that hovers, a focus that is visible, or
 * a first tap, and nothing else: a focus that the page sets shows no ghost.
 */

/** @import { Coordinates, Layout } from "./layout.js" */

const SCALE = 2;
const FINGER_PX = 44; // in narrower cells a first tap enlarges the board
const MARGIN = 0.28; // of the enlarged board's width: the chosen cell stays this far from the edges

/**
 * Remember the cell that a first tap chose and a second one plays, and enlarge the board around it.
 * @param {{element: HTMLElement, scene: HTMLElement, layout: Layout, onChange: (cell: string|null) => void}} options
 *   `scene` is what is enlarged inside `element`
 */
function createConfirmTap({ element, scene, layout, onChange }) {
  /** @type {string|null} */ let tapped = null;
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
    cell: () => tapped,
    /** Choose a cell. @param {string|null} cell null takes the tap back */
    set(cell) {
      if (cell === tapped) return;
      tapped = cell;
      setAttr(element, "data-confirming", cell === null ? null : "");
      if (cell === null) {
        setAttr(element, "data-enlarged", null);
        scene.style.transform = "";
      } else enlarge(cell);
      onChange(cell);
    },
  };
}

/**
 * @typedef {{element: HTMLElement, scene: HTMLElement, cells: Map<string, {coordinates: Coordinates,
 *   node: SVGElement}>, shape: readonly number[], layout: import("../board/layout.js").Layout,
 *   target: (cell: string) => string|null, confirms: boolean, play: (cell: string) => void,
 *   point: (cell: string|null, hasCrosshair: boolean) => void, onFirstTap: (cell: string|null) => void}} Parts
 *   `target` returns the cell that a click would fill, or null
 */

const LARGE_FROM_CELLS = 26;

/** @param {EventTarget|null} target */
const cellOf = (target) =>
  (target instanceof Element
    ? /** @type {HTMLElement|null} */ (target.closest("[data-cell]"))?.dataset["cell"]
    : null) ?? null;

/** @param {Parts} parts */
export function createBoardInput({ element, scene, cells, shape, layout, target, confirms, play, point, onFirstTap }) {
  let tabStop = "";
  let lastInput = /** @type {"key"|"mouse"|"touch"} */ ("mouse");
  /** @type {{hovered: string|null, focused: string|null}} */
  let pointed = { hovered: null, focused: null };
  let hasDragged = false;
  const confirmTap = createConfirmTap({
    element,
    scene,
    layout,
    onChange: (cell) => {
      onFirstTap(cell && target(cell));
      showPointing();
    },
  });

  const wantsConfirmation = confirms && cells.size >= LARGE_FROM_CELLS;

  /** Show the cell of the first tap, else the hovering pointer, else the visible focus. */
  function showPointing() {
    const tapped = confirmTap.cell();
    point(tapped ?? pointed.hovered ?? pointed.focused, tapped !== null);
  }

  /** @param {Partial<typeof pointed>} change */
  function setPointed(change) {
    pointed = { ...pointed, ...change };
    showPointing();
  }

  /** @param {string} cell */
  function setTabStop(cell) {
    cells.get(tabStop)?.node.setAttribute("tabindex", "-1");
    tabStop = cell;
    cells.get(tabStop)?.node.setAttribute("tabindex", "0");
  }

  /** Play a cell, or ask for a second tap first. @param {string} cell @param {boolean} isFinger */
  function choose(cell, isFinger) {
    const landingCell = target(cell);
    const tapped = confirmTap.cell();
    if (landingCell === null) confirmTap.set(null);
    else if (wantsConfirmation && isFinger && (tapped === null || target(tapped) !== landingCell)) confirmTap.set(cell);
    else {
      confirmTap.set(null);
      play(cell);
    }
  }

  /**
   * Follow a pointer that moves. A board that appears under a pointer at rest shows nothing.
   * @param {PointerEvent} event
   */
  function onMove(event) {
    if (event.pointerType !== "touch") {
      const hovered = cellOf(event.target);
      if (hovered !== pointed.hovered) setPointed({ hovered });
      return;
    }
    if (confirmTap.cell() === null || !event.isPrimary) return;
    const cell = cellOf(document.elementFromPoint(event.clientX, event.clientY));
    if (cell === null || cell === confirmTap.cell() || target(cell) === null) return;
    hasDragged = true;
    confirmTap.set(cell);
  }

  /** Follow a press anywhere on the page. One outside of the board takes a first tap back. @param {PointerEvent} event */
  function onPress({ pointerType, target: pressed }) {
    lastInput = pointerType === "touch" ? "touch" : "mouse";
    if (pointed.focused !== null) setPointed({ focused: null });
    const isOutside = pressed instanceof Element && !pressed.closest("[data-keeps-tap]") && !element.contains(pressed);
    if (isOutside) confirmTap.set(null);
  }

  /** Keep a quick drag from being a fling: a tap that stops a fling is no click. @param {TouchEvent} event */
  function onTouchMove(event) {
    if (confirmTap.cell() !== null && event.touches.length === 1 && event.cancelable) event.preventDefault();
  }

  setTabStop(cells.keys().next().value ?? "");
  const removeListeners = [
    listen(document, "keydown", () => (lastInput = "key"), { capture: true }),
    listen(document, "pointerdown", onPress, { capture: true }),
    listen(element, "pointerdown", () => (hasDragged = false)),
    listen(element, "pointermove", onMove),
    listen(element, "touchmove", onTouchMove, { passive: false }),
    listen(element, "pointerleave", ({ pointerType }) => pointerType !== "touch" && setPointed({ hovered: null })),
    listen(element, "click", (event) => {
      const cell = cellOf(event.target);
      if (!cell || hasDragged) return;
      setTabStop(cell);
      choose(cell, lastInput === "touch" && event.detail > 0); // a screen reader's click has no detail
    }),
    listen(element, "focusin", (event) => {
      const cell = cellOf(event.target);
      if (!cell) return;
      setTabStop(cell);
      setPointed({ focused: lastInput === "key" && event.target.matches(":focus-visible") ? cell : null });
    }),
    listen(element, "focusout", () => setPointed({ focused: null })),
    listen(element, "keydown", (event) => {
      if (event.altKey || event.metaKey) return;
      const current = cells.get(cellOf(event.target) ?? "");
      if (!current) return;
      if (event.key === "Escape" && confirmTap.cell() !== null) {
        confirmTap.set(null);
        return;
      }
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        if (!event.repeat) choose(current.coordinates.cell, false);
        return;
      }
      const next = cellForKey(event.key, current.coordinates, shape, event.ctrlKey);
      if (next === null) return;
      event.preventDefault();
      cells.get(next)?.node.focus();
    }),
  ];

  return {
    /** Show again what is pointed at, after the position has changed. */
    refresh() {
      const tapped = confirmTap.cell();
      if (tapped !== null && target(tapped) === null) confirmTap.set(null);
      else showPointing();
    },
    focus: () => cells.get(tabStop)?.node.focus({ preventScroll: true }),
    dispose() {
      for (const removeListener of removeListeners) removeListener();
    },
  };
}
