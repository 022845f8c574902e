import { styleOf } from "../board/layout.js";
import { createPicture } from "../board/picture.js";
import { EXAMPLES } from "../board/variant_picker.js";
import { wantsNoMotion } from "../browser/preferences.js";

/** The picture of what a game is about: still, or as its last marks come one after the other, in two seconds, once. */

/** @import { Mark, Variant } from "../net/messages.js" */
/** @import { Example } from "../board/variant_picker.js" */

const STEP_MS = 500;
const STEPS = 4;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;

/** Draw it into an element. @param {Element} element @param {Variant} variant @param {boolean} moves */
export function drawRule(element, variant, moves) {
  clearTimeout(timer);
  const picture = createPicture(variant, { slanted: styleOf(variant) === "layers", layerNames: [] });
  const example = { marks: {}, ...EXAMPLES[variant.key] };
  const cells = Object.keys(example.marks).sort((a, b) => lateness(example, a) - lateness(example, b));
  /** @param {number} missing how many marks are still to come */
  function step(missing) {
    const shown = cells.slice(0, cells.length - missing);
    const marks = Object.fromEntries(shown.map((cell) => [cell, /** @type {Mark} */ (example.marks[cell])]));
    picture.draw(missing ? { variant, marks } : { variant, ...example });
    if (missing) timer = setTimeout(step, STEP_MS, missing - 1);
  }
  step(moves && !wantsNoMotion() ? Math.min(STEPS, cells.length) : 0);
  element.replaceChildren(picture.element);
}

/** Return where a cell comes in an example: its moves last. @param {Example} example @param {string} cell */
const lateness = ({ moves = [] }, cell) => moves.indexOf(cell);
