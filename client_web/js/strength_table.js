import { request } from "./api.js";
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

/** @param {import("./messages.js").Variant} variant @param {Strength[]} measurements */
function drawFigures(variant, measurements) {
  const head = [t("strength.level"), t("strength.random"), t("strength.below"), t("strength.top")].map((text) =>
    h("th", { scope: "col", text }),
  );
  const top = variant.levels.at(-1);
  const body = variant.levels.map((level, number) => {
    const ofLevel = measurements.filter((strength) => strength.level === level);
    const againstRandom = ofLevel.find(({ against }) => against === "random");
    const againstBelow = ofLevel.find(({ against }) => against === variant.levels[number - 1]);
    const againstTop = ofLevel.find(({ against }) => against === top);
    const figures = [againstRandom, againstBelow, againstTop].map((strength) =>
      h("td", { text: percentages(strength) }),
    );
    return h("tr", {}, h("th", { scope: "row", text: levelName(level) }), ...figures);
  });
  return h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
}

/**
 * Return the strength table, closed. It fetches its figures when it is first opened.
 * @param {import("./messages.js").Variant|undefined} variant
 */
export function strengthTable(variant) {
  if (!variant) return null;
  const figures = h("div");
  const details = h(
    "details",
    { class: "strength" },
    h("summary", { text: t("strength.title") }),
    h("p", { class: "secondary", text: t("strength.how") }),
    figures,
  );
  let isLoading = false;
  details.addEventListener("toggle", async () => {
    if (isLoading || figures.firstChild) return;
    isLoading = true;
    try {
      const { strength } = await request("GET", "strength?variant=" + encodeURIComponent(variant.key));
      figures.replaceChildren(drawFigures(variant, strength));
    } catch (error) {
      figures.textContent = error instanceof Error ? error.message : "";
      details.addEventListener("toggle", () => figures.replaceChildren(), { once: true });
    } finally {
      isLoading = false;
    }
  });
  return details;
}
