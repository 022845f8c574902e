import { h, setAttr } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { mistakenPlies, valuesOf } from "./mistakes.js";

/** The ribbon of a game: one segment for each ply. Its height and pattern tell the value too, not its colour alone. */

/** @import { Position } from "../net/messages.js" */

const LONG_GAME = 24; // plies, after which only the last mistakes have dots
const MAX_DOTS = 5;
const TOUCH_PX = 22;

/**
 * Return the plies of the mistakes that a ribbon marks with a dot.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves
 * @param {import("../net/messages.js").Outcome|null} outcome
 */
export function dottedPlies(positions, moves, outcome) {
  const mistakes = [...mistakenPlies(positions, moves, outcome)];
  return new Set(moves.length > LONG_GAME ? mistakes.slice(-MAX_DOTS) : mistakes);
}

export function createRibbon() {
  const element = h("div", { class: "ribbon", "aria-hidden": "true" });
  /** @type {readonly Position[]|null|undefined} */
  let drawn;
  return {
    element,
    /**
     * @param {readonly Position[]|null} positions
     * @param {readonly string[]} moves
     * @param {import("../net/messages.js").Outcome|null} outcome
     * @param {number} ply
     */
    draw(positions, moves, outcome, ply) {
      if (drawn !== positions || element.childElementCount !== moves.length) {
        drawn = positions;
        const values = positions ? valuesOf(positions, outcome) : [];
        const dots = dottedPlies(positions, moves, outcome);
        setAttr(element, "data-long", moves.length > LONG_GAME ? "" : null);
        element.replaceChildren(
          ...moves.map((_, index) =>
            h("span", {
              class: "segment",
              "data-value": values[index + 1] ?? "unknown",
              "data-changed": dots.has(index + 1),
            }),
          ),
        );
      }
      for (const [index, segment] of [...element.children].entries())
        setAttr(segment, "data-shown", index + 1 === ply ? "" : null);
    },
    /** Return the ply at a point: the nearest dot that a finger can mean, else the segment. @param {number} x of the window */
    plyAt(x) {
      const segments = [...element.children].map((node, index) => {
        const { left, right } = node.getBoundingClientRect();
        const distance = Math.abs((left + right) / 2 - x);
        return { ply: index + 1, isDot: node.hasAttribute("data-changed"), distance };
      });
      const sorted = segments.sort((a, b) => a.distance - b.distance);
      return (sorted.find(({ isDot, distance }) => isDot && distance < TOUCH_PX) ?? sorted[0])?.ply ?? null;
    },
  };
}

/** Create the line that says what the colours of a ribbon mean. Its last part is seen beside a ribbon that has unproved plies. */
export const createLegend = () =>
  h(
    "p",
    { class: "legend" },
    h("span", {}, h("i", { "data-value": "X" }), t("outcome.mark", { mark: "X" })),
    h("span", {}, h("i", { "data-value": "draw" }), t("outcome.draw")),
    h("span", {}, h("i", { "data-value": "O" }), t("outcome.mark", { mark: "O" })),
    h("span", {}, h("i", { class: "dot" }), t("review.mistake")),
    h("span", {}, h("i", { "data-value": "unknown" }), t("review.unknown")),
  );
