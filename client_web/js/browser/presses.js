/**
 * One press is one press. The second half of a double click, a double tap or two Enters reaches nothing: not the same button, nor what
 * came to its place or got the focus. A held Enter presses once.
 */

const SECOND_MS = 600;
const NEAR_PX = 24;
const PRESSED = "button, summary, a, input, select, textarea, label, [data-cell]";
/** What people press quickly and mean each time: cells, and buttons that step. */
const REPEATED = "[data-cell], [data-repeats]";
const NOTHING = { on: /** @type {Element|null} */ (null), atMs: 0, x: 0, y: 0 };
let last = NOTHING; // a key has no place

/** Return what an event presses: a label presses its input. @param {Event} event */
function pressedBy({ target }) {
  const element = target instanceof Element ? target.closest(PRESSED) : null;
  return element instanceof HTMLLabelElement ? element.control : element;
}

/** Return whether a press counts although another was just made. @param {Element} before @param {Element} on */
function counts(before, on) {
  if (before.matches(REPEATED) && on.matches(REPEATED)) return true;
  return before === on && !(on instanceof HTMLButtonElement);
}

/** Let a press reach nothing if it is the second half of another. @param {Event} event @param {number} x @param {number} y */
function judge(event, x, y) {
  const on = pressedBy(event);
  const isNear = Number.isNaN(x) ? Number.isNaN(last.x) : Math.hypot(x - last.x, y - last.y) < NEAR_PX;
  if (last.on && on && isNear && event.timeStamp - last.atMs < SECOND_MS && !counts(last.on, on)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (event.type !== "pointerdown") last = { on, atMs: event.timeStamp, x, y };
}

/** Take an Enter that is still to come for the second half of a press: the page moved on before it. @param {Element} on */
export const foreseeEnter = (on) => {
  last = { on, atMs: performance.now(), x: NaN, y: NaN };
};

export function watchPresses() {
  /** @param {PointerEvent} event */
  const onPointer = (event) => {
    if (event.type === "pointerdown" || event.detail > 0) judge(event, event.clientX, event.clientY); // a key clicks too
  };
  addEventListener("input", () => (last = NOTHING), true);
  addEventListener("pointerdown", onPointer, true);
  addEventListener("click", onPointer, true);
  addEventListener(
    "keydown",
    (event) => {
      const { key, repeat, target, isComposing } = event;
      const isTyping = target instanceof Element && target.closest("textarea");
      if (isTyping || isComposing || (key !== "Enter" && key !== " ")) last = NOTHING;
      else if (repeat && key === "Enter") event.preventDefault();
      else if (!repeat) judge(event, NaN, NaN);
    },
    true,
  );
}
