import { cellText } from "../board/cell_text.js";
import { createChip } from "../board/chip.js";
import { h } from "../browser/dom.js";
import { list, t } from "../texts/i18n.js";
import { boundsText, valueText } from "./sentences.js";

/** The moves of a position as a list: what each is worth, and how many boards a program looks at below it. */

/** @import { MinimaxAnswer, MinimaxChild } from "../net/messages.js" */

/** @param {{variant: import("../net/messages.js").Variant, cuts: boolean, values: boolean, onChoose: (cell: string) => void}} options */
export function createMoveList({ variant, cuts, values, onChoose }) {
  const heading = h("p", { class: "secondary", text: t(cuts ? "learn.list.both" : "learn.list") });
  const items = h("ol", { class: "cost-list" });
  const element = h("div", { class: "costs" }, heading, items);

  /** @param {MinimaxChild} child @param {number} most @param {boolean} isCounted @param {boolean} hasBounds */
  function createItem(child, most, isCounted, hasBounds) {
    const { cell, nodes, alpha, beta } = child;
    const value = child.score;
    const bar = (/** @type {string} */ name, /** @type {number} */ n) => {
      const length = h("span", { class: `cost-bar ${name}` });
      length.style.setProperty("--share", isCounted ? String(Math.max(n / most, n ? 0.004 : 0)) : "0");
      return h(
        "span",
        { class: "cost", "aria-hidden": "true" },
        length,
        h("span", { class: "cost-number", text: isCounted ? t("learn.number", { n }) : "" }),
      );
    };
    const bounds = alpha === null || beta === null ? t("learn.node.cut") : hasBounds ? boundsText([alpha, beta]) : "";
    const key = values ? "learn.list.move.value" : cuts ? "learn.list.move.both" : "learn.list.move";
    const label = list([
      t(key, { cell: cellText(cell), value: valueText(value), n: nodes.minimax, cut: nodes.alpha_beta }),
      ...(values && bounds ? [alpha === null ? bounds : t("learn.node.bounds", { bounds })] : []),
    ]);
    /** What everyone sees; a screen reader reads the label. @param {string} name @param {string} text */
    const seen = (name, text) => h("span", { class: name, "aria-hidden": "true", text });
    const choice = h(
      "button",
      { type: "button", class: "cost-move", on: { click: () => onChoose(cell) } },
      h("span", { class: "visually-hidden", text: label }),
      h("b", { "aria-hidden": "true" }, createChip(variant, cell)),
      values && seen("cost-value", valueText(value)),
      bar("minimax", nodes.minimax),
      cuts && bar("alpha-beta", nodes.alpha_beta),
      values && seen("cost-bounds", bounds),
    );
    return h("li", {}, choice);
  }

  return {
    element,
    /**
     * @param {MinimaxAnswer} answer
     * @param {number} counted how many moves have their counts already
     * @param {boolean} hasBounds whether alpha and beta are shown
     */
    draw({ children }, counted, hasBounds) {
      const most = Math.max(1, ...children.map(({ nodes }) => nodes.minimax));
      const focused = [...items.children].findIndex((item) => item.contains(document.activeElement));
      items.replaceChildren(...children.map((child, index) => createItem(child, most, index < counted, hasBounds)));
      items.children[focused]?.querySelector("button")?.focus();
      heading.hidden = children.length === 0;
    },
  };
}
