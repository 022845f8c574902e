import { h, show } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { isUneven } from "../texts/names.js";

/**
 * Create the choice of a fair start. It is shown where X has the better of the game.
 * @param {(isFair: boolean) => void} [onChange]
 */
export function createSwapChoice(onChange = () => {}) {
  const input = h("input", { type: "checkbox", on: { change: () => onChange(input.checked) } });
  const element = h(
    "div",
    { class: "swap-choice" },
    h("label", { class: "check" }, input, h("span", { text: t("swap.label") })),
    h("p", { class: "secondary", text: t("swap.why") }),
  );
  return {
    element,
    isOn: () => input.checked && !element.hidden,
    /** @param {string|undefined} variant @param {boolean} [isFair] */
    draw(variant, isFair = input.checked) {
      input.checked = isFair;
      show(element, isUneven(variant) || isFair);
    },
  };
}
