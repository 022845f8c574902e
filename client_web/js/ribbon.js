import { h, setAttr } from "./dom.js";
import { mistakesOf, valuesOf } from "./mistakes.js";

/** The ribbon of a game: one segment for each ply. Its height and pattern tell the value too, not its colour alone. */

/** @typedef {import("./mistakes.js").AnalysedPosition} AnalysedPosition */

export function createRibbon() {
  const element = h("div", { class: "ribbon", "aria-hidden": "true" });
  /** @type {readonly AnalysedPosition[]|null|undefined} */
  let drawn;
  return {
    element,
    /**
     * @param {readonly AnalysedPosition[]|null} positions
     * @param {readonly string[]} moves
     * @param {import("./messages.js").Outcome|null} outcome
     * @param {number} ply
     */
    draw(positions, moves, outcome, ply) {
      if (drawn !== positions || element.childElementCount !== moves.length) {
        drawn = positions;
        const values = positions ? valuesOf(positions, outcome) : [];
        const mistakes = new Set(
          (positions ? mistakesOf(positions, moves, outcome) : []).map((mistake) => mistake.ply),
        );
        element.replaceChildren(
          ...moves.map((_, index) =>
            h("span", {
              class: "segment",
              "data-value": values[index + 1] ?? "unknown",
              "data-changed": mistakes.has(index + 1),
            }),
          ),
        );
      }
      for (const [index, segment] of [...element.children].entries())
        setAttr(segment, "data-shown", index + 1 === ply ? "" : null);
    },
  };
}
