import { h, labelledSelect } from "../browser/dom.js";
import { addTexts, t } from "../texts/i18n.js";
import { clockOptions, markOptions } from "../texts/names.js";

/** The options of the start page below the level: your mark and the clock. */

/** @import { StoredChoice } from "../browser/preferences.js" */

/** @param {StoredChoice} choice @param {(change: Partial<StoredChoice>) => void} choose */
export async function createStartOptions(choice, choose) {
  await addTexts("server");
  return h(
    "div",
    { class: "option-inputs" },
    labelledSelect(t("start.mark"), markOptions(), choice.mark, (mark) => choose({ mark })).element,
    labelledSelect(t("start.clock"), clockOptions(JSON.parse(choice.clock)), choice.clock, (clock) => choose({ clock }))
      .element,
  );
}
