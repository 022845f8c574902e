import { h } from "./dom.js";
import { t } from "./i18n.js";
import { thumbnail } from "./thumbnails.js";

/** Pictures of all games, one of which is chosen. */

/** @typedef {import("./messages.js").Variant} Variant */

/** @param {string} name of the radio buttons @param {(key: string) => void} onChange */
export function createVariantPicker(name, onChange) {
  const element = h("div", { class: "variants", role: "radiogroup", "aria-label": t("start.variant") });
  /** @type {readonly Variant[]} */
  let drawn = [];
  element.addEventListener("change", () => onChange(value()));

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
      drawn = variants;
      for (const input of element.querySelectorAll("input")) input.checked = input.value === chosen;
    },
  };
}
