import { button, h } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { styleOf } from "./layout.js";
import { createPicture } from "./picture.js";

/** A picture of each game, with a position that shows what the game is about. */

/** @import { Variant } from "../net/messages.js" */
/** @import { Shape } from "./layout.js" */
/** @import { Position } from "./picture.js" */

/** @typedef {Partial<Omit<Position, "variant">>} Example */

/** Return marks by cell. @param {string} x @param {string} o */
const marksOf = (x, o) =>
  Object.fromEntries(
    [...x.split(" ").map((cell) => [cell, "X"]), ...o.split(" ").map((cell) => [cell, "O"])].filter(([cell]) => cell),
  );

/** @type {Record<string, Example>} */
const EXAMPLES = {
  classic: { marks: marksOf("a3 b2 c1", "a1 a2"), moves: ["c1"], outcome: { winner: "X", cells: ["a3", "b2", "c1"] } },
  misere: {
    marks: marksOf("b2 c1 c3", "a1 a2 a3"),
    moves: ["a2"],
    outcome: { winner: "X", cells: ["a1", "a2", "a3"] },
  },
  vanishing: { marks: marksOf("b1 a2 c2", "a1 c3 b3"), moves: ["b1", "a1", "a2", "c3", "c2", "b3"], fading: "b1" },
  "4x4": { marks: marksOf("a1 c2 c3", "b2 b3 d1"), moves: ["d1"] },
  "5x5": { marks: marksOf("b2 c2 b3 b4", "d2 c3 c4 d4"), moves: ["d4"] },
  "four-in-a-row": { marks: marksOf("c5 d5 c6 d6 f6", "d4 e5 b6 e6"), moves: ["d4"] },
  qubic: {
    marks: marksOf("a1.1 b2.2 c3.3 d4.4", "b1.1 c1.1 a1.2 c2.3"),
    moves: ["d4.4"],
    outcome: { winner: "X", cells: ["a1.1", "b2.2", "c3.3", "d4.4"] },
  },
  gomoku: { marks: marksOf("f7 h8 g9 i7 j6 k5", "g8 h9 i8 j7 k6 l4"), moves: ["f7"] },
  ultimate: {
    marks: marksOf(
      "a2 c1 a1 d1 d3 e4 d7 e9 c5 b6 e5 f4 d6 i5 h6 a7 b9 e8 f8 f7 h7 h8 d5",
      "a1 b3 f1 g1 h1 g2 i3 b4 c6 f5 h5 a8 d8 d9 g7 c9 f9 g8",
    ),
    moves: ["h5"],
    turn: "X",
    boards: ["X", null, "O", null, "X", null, null, "draw", null],
    forced: 5,
  },
};

/** Return the picture of a game. @param {Shape & {key: string}} variant */
function thumbnail(variant) {
  const picture = createPicture(variant, { slanted: styleOf(variant) === "layers", layerNames: [] });
  picture.draw({ variant, marks: {}, ...EXAMPLES[variant.key], still: true });
  if (picture.layout.style === "rack") picture.point({ cell: "d3", target: "d3", mark: "X", hasCrosshair: false });
  picture.element.classList.add("thumbnail");
  return picture.element;
}

/** Pictures of all games, one of which is chosen. */

/**
 * @param {string} name of the radio buttons @param {(key: string) => void} onChange
 * @param {number} [first] how many games a phone shows before you ask for more
 */
export function createVariantPicker(name, onChange, first) {
  const element = h("div", { class: "variants", role: "radiogroup", "aria-label": t("start.variant") });
  /** @type {readonly Variant[]} */
  let drawn = [];
  element.addEventListener("change", () => onChange(value()));

  function showAll() {
    delete element.dataset["first"];
    /** @type {HTMLElement|null|undefined} */ (element.children[first ?? 0]?.querySelector("input"))?.focus();
  }

  const value = () => element.querySelector("input:checked")?.getAttribute("value") ?? drawn[0]?.key ?? "";

  /** @param {Variant} variant */
  const option = (variant) =>
    h(
      "label",
      { class: "option" },
      h("input", { type: "radio", name, value: variant.key }),
      h("span", { class: "option-face" }, thumbnail(variant), h("b", { text: variant.name })),
    );

  return {
    element,
    value,
    /** @param {readonly Variant[]} variants @param {string} chosen */
    draw(variants, chosen) {
      if (drawn !== variants) element.replaceChildren(...variants.map(option));
      if (first && drawn !== variants) {
        const more = button(t("start.more", { n: variants.length - first }), showAll, "more-games quiet-text");
        element.append(more);
        if (variants.findIndex(({ key }) => key === chosen) < first) element.dataset["first"] = String(first);
      }
      drawn = variants;
      for (const input of element.querySelectorAll("input")) input.checked = input.value === chosen;
    },
  };
}
