import { h, listen, setAttr, show } from "../browser/dom.js";
import { CELL, cellForKey } from "./layout.js";
import { markPicture } from "./marks.js";

/**
 * Pointer, finger and keyboard on a board. A mouse plays where it clicks. A finger that presses shows the ghost of its mark,
 * and a ring above itself. Sliding moves both, lifting plays, and lifting beside the board cancels. Where cells are too
 * narrow for that, lifting chooses a cell, and a second touch plays it. A focus that the page sets shows no ghost.
 */

/** @import { Coordinates, Layout } from "./layout.js" */

const AIM_PX = 30; // in narrower cells a finger needs a second touch
const RING_PX = 56; // above the finger, which hides the cell
const EDGE_PX = 30; // the ring stays this far from the window's upper edge
const DWELL_MS = 150; // on a page that scrolls, a finger that moves farther sooner is a swipe
const SWIPE_PX = 12;
const CLICK_MS = 700; // a browser sends a click after a touch, which has played already

/**
 * @typedef {{element: HTMLElement, cells: Map<string, {coordinates: Coordinates, node: SVGElement}>,
 *   shape: readonly number[], layout: Layout, target: (cell: string) => string|null, play: (cell: string) => void,
 *   point: (cell: string|null, hasCrosshair: boolean) => void, onFirstTap: (cell: string|null) => void}} Parts
 *   `target` returns the cell that a click would fill, or null
 */

/** @param {EventTarget|null} target */
const cellOf = (target) =>
  (target instanceof Element
    ? /** @type {HTMLElement|null} */ (target.closest("[data-cell]"))?.dataset["cell"]
    : null) ?? null;

const pageScrolls = () => document.documentElement.scrollHeight > innerHeight + 1;

/** @param {Parts} parts */
export function createBoardInput({ element, cells, shape, layout, target, play, point, onFirstTap }) {
  let tabStop = "";
  let lastInput = /** @type {"key"|"pointer"} */ ("pointer");
  /**
   * The finger on the board, since when and where, and the cell that it would play.
   * @type {{id: number, since: number, y: number, cell: string|null}|null}
   */
  let press = null;
  let lastLift = -CLICK_MS;
  /** The cell that a first touch chose, and a second one plays. @type {string|null} */
  let tapped = null;
  /** @type {{hovered: string|null, focused: string|null}} */
  let pointed = { hovered: null, focused: null };
  const ring = h("div", { class: "aim", "aria-hidden": "true", hidden: true }, markPicture());
  element.append(ring);

  const isTight = () => (element.clientWidth * CELL * layout.matrix[3]) / layout.width < AIM_PX;

  /** Show the cell under the finger, else that of the first touch, the hovering pointer or the visible focus. */
  function showPointing() {
    const aimed = press?.cell ?? tapped;
    show(ring, Boolean(press?.cell));
    point(aimed ?? pointed.hovered ?? pointed.focused, aimed !== null && isTight());
  }

  /** @param {Partial<typeof pointed>} change */
  function setPointed(change) {
    pointed = { ...pointed, ...change };
    showPointing();
  }

  /** Keep the cell of a first touch, or forget it. @param {string|null} cell */
  function setTapped(cell) {
    if (cell === tapped) return;
    tapped = cell;
    onFirstTap(cell && target(cell));
    showPointing();
  }

  /** @param {string} cell */
  function setTabStop(cell) {
    cells.get(tabStop)?.node.setAttribute("tabindex", "-1");
    tabStop = cell;
    cells.get(tabStop)?.node.setAttribute("tabindex", "0");
  }

  /** Play a cell at once. @param {string} cell */
  function choose(cell) {
    setTapped(null);
    if (target(cell) !== null) play(cell);
  }

  /** Aim at the cell under the finger, with the ring above it. @param {PointerEvent} event */
  function aim({ pointerId, clientX, clientY }) {
    if (press?.id !== pointerId) return;
    const under = document.elementFromPoint(clientX, clientY);
    const cell = element.contains(under) ? cellOf(under) : null;
    press.cell = cell !== null && target(cell) !== null ? cell : null;
    const { left, top } = element.getBoundingClientRect();
    ring.style.left = `${clientX - left}px`;
    ring.style.top = `${Math.max(clientY - RING_PX, EDGE_PX) - top}px`;
    showPointing();
  }

  /** @param {PointerEvent} event */
  function onDown(event) {
    if (event.pointerType !== "touch") return;
    press = event.isPrimary ? { id: event.pointerId, since: event.timeStamp, y: event.clientY, cell: null } : null; // two zoom
    aim(event);
  }

  /** @param {PointerEvent} event */
  function onMove(event) {
    if (press?.id === event.pointerId && isSwipe(event, press)) return endPress();
    if (event.pointerType === "touch") return aim(event);
    const hovered = cellOf(event.target); // a board that appears under a pointer at rest shows nothing
    if (hovered !== pointed.hovered) setPointed({ hovered });
  }

  /** @param {PointerEvent} event */
  function onLift(event) {
    if (press?.id !== event.pointerId) return;
    aim(event);
    const { cell } = press;
    endPress();
    lastLift = event.timeStamp;
    if (cell === null) return setTapped(null);
    setTabStop(cell);
    if (isTight() && (tapped === null || target(tapped) !== target(cell))) setTapped(cell);
    else choose(cell);
  }

  /** @param {PointerEvent} event @param {{since: number, y: number}} start */
  const isSwipe = ({ timeStamp, clientY }, { since, y }) =>
    timeStamp - since < DWELL_MS && Math.abs(clientY - y) > SWIPE_PX && pageScrolls();

  function endPress() {
    press = null;
    showPointing();
  }

  /** Keep a finger that slides on the board from scrolling the page. @param {TouchEvent} event */
  function onTouchMove(event) {
    const slides = press && (event.timeStamp - press.since > DWELL_MS || !pageScrolls());
    if (slides && element.dataset["mark"] && event.touches.length === 1 && event.cancelable) event.preventDefault();
  }

  /** Follow a press anywhere on the page. One outside of the board takes a first touch back. @param {PointerEvent} event */
  function onPress({ target: pressed }) {
    lastInput = "pointer";
    if (pointed.focused !== null) setPointed({ focused: null });
    if (pressed instanceof Element && !pressed.closest("[data-keeps-tap]") && !element.contains(pressed))
      setTapped(null);
  }

  setTabStop(cells.keys().next().value ?? "");
  const removeListeners = [
    listen(document, "keydown", () => (lastInput = "key"), { capture: true }),
    listen(document, "pointerdown", onPress, { capture: true }),
    listen(element, "pointerdown", onDown),
    listen(element, "pointermove", onMove),
    listen(element, "pointerup", onLift),
    listen(element, "pointercancel", endPress),
    listen(element, "touchmove", onTouchMove, { passive: false }),
    listen(element, "pointerleave", ({ pointerType }) => pointerType !== "touch" && setPointed({ hovered: null })),
    listen(element, "click", (event) => {
      const cell = cellOf(event.target);
      if (!cell || (event.pointerType !== "mouse" && event.timeStamp - lastLift < CLICK_MS)) return;
      setTabStop(cell);
      choose(cell);
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
      if (event.key === "Escape") return setTapped(null);
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        if (!event.repeat) choose(current.coordinates.cell);
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
      setAttr(ring, "data-mark", element.dataset["mark"] ?? null);
      if (press?.cell && target(press.cell) === null) press.cell = null;
      if (tapped !== null && target(tapped) === null) setTapped(null);
      else showPointing();
    },
    /** Focus a cell, by default the one with the tab stop. @param {string} [cell] */
    focus: (cell) => cells.get(cell ?? tabStop)?.node.focus({ preventScroll: true }),
    dispose() {
      for (const removeListener of removeListeners) removeListener();
    },
  };
}
