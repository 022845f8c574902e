import { h } from "./dom.js";
import { t } from "./i18n.js";

/** Reactions over the board, each for a few seconds. */

const MAX_REACTIONS = 4;
const REACTION_MS = 4000;

export function createReactions() {
  const element = h("div", { class: "reaction-overlay", "aria-hidden": "true" });
  return {
    element,
    /** @param {import("./messages.js").ReactionMessage} message */
    show({ from, emoji }) {
      const chip = h(
        "span",
        { class: "chip", "data-mark": from.mark },
        h("b", { text: emoji }),
        " " + (from.name || t("guest.someone")),
      );
      element.append(chip);
      while (element.childElementCount > MAX_REACTIONS) element.firstElementChild?.remove();
      setTimeout(() => chip.remove(), REACTION_MS);
    },
  };
}
