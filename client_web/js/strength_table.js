import { h } from "./dom.js";
import { t } from "./i18n.js";
import { levelName } from "./room_text.js";

/** The strength table: how often each level of the engine wins, draws and loses. */

/** @typedef {import("./messages.js").Strength} Strength */

/** Return "won / drawn / lost" in percent. @param {Strength|undefined} strength */
function percentages(strength) {
  const total = strength ? strength.win + strength.draw + strength.loss : 0;
  if (!strength || !total) return "–";
  return [strength.win, strength.draw, strength.loss].map((share) => Math.round((100 * share) / total)).join(" / ");
}

/** Return the strength table, or null for a variant without measurements. @param {import("./messages.js").Variant|undefined} variant */
export function strengthTable(variant) {
  const measurements = variant?.strength ?? [];
  if (!variant || !measurements.length) return null;
  const head = [t("strength.level"), t("strength.random"), t("strength.top")].map((text) => h("th", { scope: "col", text }));
  const body = variant.levels.map((level) => {
    const ofLevel = measurements.filter((strength) => strength.level === level);
    const againstRandom = ofLevel.find(({ against }) => against === "random");
    const againstTop = ofLevel.find(({ against }) => against !== "random");
    return h("tr", {}, h("th", { scope: "row", text: levelName(level) }), h("td", { text: percentages(againstRandom) }), h("td", { text: percentages(againstTop) }));
  });
  return h("details", { class: "strength" }, h("summary", { text: t("strength.title") }), h("p", { class: "secondary", text: t("strength.how") }),
    h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body)));
}
