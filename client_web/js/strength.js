import { h } from "./dom.js";
import { t } from "./i18n.js";
import { levelName } from "./view.js";

/** How strong each level is, as measured: shown where the server tells it, absent where it does not. */

/** @typedef {import("./wire.js").Strength} Strength */

/** @param {Strength|undefined} measured */
function percent(measured) {
  const total = measured ? measured.win + measured.draw + measured.loss : 0;
  if (!measured || !total) return "–";
  return [measured.win, measured.draw, measured.loss].map((share) => Math.round((100 * share) / total)).join(" / ");
}

/** @param {import("./wire.js").Variant|undefined} variant */
export function strengthTable(variant) {
  const measured = variant?.strength ?? [];
  if (!variant || !measured.length) return null;
  const heads = [t("strength.level"), t("strength.random"), t("strength.top")].map((text) => h("th", { scope: "col", text }));
  const rows = variant.levels.map((level) => {
    const of = measured.filter((one) => one.level === level);
    const [random, top] = [of.find(({ against }) => against === "random"), of.find(({ against }) => against !== "random")];
    return h("tr", {}, h("th", { scope: "row", text: levelName(level) }), h("td", { text: percent(random) }), h("td", { text: percent(top) }));
  });
  return h("details", { class: "strength" }, h("summary", { text: t("strength.title") }), h("p", { class: "quiet", text: t("strength.how") }),
    h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)));
}
