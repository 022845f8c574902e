import { h, labelledSelect } from "../browser/dom.js";
import { addTexts, t } from "../texts/i18n.js";
import { clockOptions } from "../texts/names.js";

/** The options of the start page below the level: your mark and the clock. */

/** @import { StoredChoice } from "../browser/preferences.js" */

const markOptions = () => [
  { value: "random", text: t("start.mark.random") },
  { value: "X", text: t("start.mark.X") },
  { value: "O", text: t("start.mark.O") },
];

/** @param {StoredChoice} choice @param {(change: Partial<StoredChoice>) => void} choose */
export async function createStartOptions({ mark, clock }, choose) {
  await addTexts("server");
  return h(
    "div",
    { class: "option-inputs" },
    labelledSelect(t("start.mark"), markOptions(), mark, (mark) => choose({ mark })).element,
    labelledSelect(t("start.clock"), clockOptions(JSON.parse(clock)), clock, (clock) => choose({ clock })).element,
  );
}
