import { button, h, labelledSelect } from "../browser/dom.js";
import { features } from "../net/api.js";
import { addTexts, t } from "../texts/i18n.js";
import { clockOptions } from "../texts/names.js";

/** The options of the start page below the level: your mark, the clock, and two rooms that few people want. */

/** @import { StoredChoice } from "../browser/preferences.js" */

const markOptions = () => [
  { value: "random", text: t("start.mark.random") },
  { value: "X", text: t("start.mark.X") },
  { value: "O", text: t("start.mark.O") },
];

/**
 * @param {() => StoredChoice} choice @param {(change: Partial<StoredChoice>) => void} choose
 * @param {(settings: object) => void} open  makes a room with these settings and the chosen ones
 */
export async function createStartOptions(choice, choose, open) {
  await addTexts("server");
  const { mark, clock } = choice();
  const watch = () => open({ opponent: "engines", levels: [choice().level, choice().level], clock: null });
  const wait = () => open({ opponent: "anyone", mark: choice().mark });
  return [
    h(
      "div",
      { class: "option-inputs" },
      labelledSelect(t("start.mark"), markOptions(), mark, (mark) => choose({ mark })).element,
      labelledSelect(t("start.clock"), clockOptions(JSON.parse(clock)), clock, (clock) => choose({ clock })).element,
    ),
    button(t("start.engines"), watch, "quiet-text"),
    features().lobby && button(t("start.anyone"), wait, "quiet-text"),
  ].filter((node) => node !== false);
}
