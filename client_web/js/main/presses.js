/**
 * One press is one press. The second half of a double click, a double tap or two Enters counts only on what the first half pressed,
 * not on what came to its place or got the focus. A held Enter presses once.
 */

const SECOND_MS = 600;
const NEAR_PX = 24;
const PRESSED = "button, summary, a, input, select, textarea, label, [data-cell]";
const NOTHING = { on: /** @type {Element|null} */ (null), atMs: 0, x: 0, y: 0 };

/** Return what an event presses: a label presses its input. @param {Event} event */
function pressedBy({ target }) {
  const element = target instanceof Element ? target.closest(PRESSED) : null;
  return element instanceof HTMLLabelElement ? element.control : element;
}

export function watchPresses() {
  let last = NOTHING; // a key has no place

  /** Let a press reach nothing if it is the second half of another. @param {Event} event @param {number} x @param {number} y */
  function judge(event, x, y) {
    const on = pressedBy(event);
    const isNear = Number.isNaN(x) ? Number.isNaN(last.x) : Math.hypot(x - last.x, y - last.y) < NEAR_PX;
    const isSecond = last.on && on && on !== last.on && isNear && event.timeStamp - last.atMs < SECOND_MS;
    if (isSecond && !(last.on?.matches("[data-cell]") && on.matches("[data-cell]"))) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (event.type !== "pointerdown") last = { on, atMs: event.timeStamp, x, y };
  }

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
