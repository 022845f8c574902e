import { button, h, setAttr, setText, show } from "../browser/dom.js";
import { levelToTry, loadPlayedGames, tallyOf } from "../net/played_games.js";
import { t } from "../texts/i18n.js";
import { levelName } from "../texts/names.js";

/** The levels of the engine as a ladder of dots: the weakest first, the chosen one with its name, those beaten with a tick. */

/** @import { Variant } from "../net/messages.js" */

/** @param {(level: string) => void} onChange */
export function createLadder(onChange) {
  const rungs = h("div", { class: "rungs", role: "radiogroup", "aria-label": t("start.level") });
  const tryButton = button("", () => onChange(tryButton.value), "ladder-try quiet-text");
  const element = h("div", { class: "ladder" }, rungs, tryButton);
  rungs.addEventListener("change", ({ target }) => onChange(/** @type {HTMLInputElement} */ (target).value));
  /** @type {readonly string[]} */
  let drawn = [];

  /** @param {string} value */
  const createRung = (value) =>
    h(
      "label",
      { class: "rung" },
      h("input", { type: "radio", name: "level", value }),
      h("span", { class: "rung-name", "aria-hidden": "true", text: levelName(value) }),
    );

  return {
    element,
    /** @param {Variant} variant @param {string} level */
    draw({ key, levels }, level) {
      if (drawn !== levels) rungs.replaceChildren(...levels.map(createRung));
      drawn = levels;
      const tally = tallyOf(loadPlayedGames(), key);
      for (const input of rungs.querySelectorAll("input")) {
        input.checked = input.value === level;
        const isBeaten = tally.beaten.includes(input.value);
        setAttr(input, "data-beaten", isBeaten ? "" : null);
        const name = levelName(input.value);
        setAttr(input, "aria-label", isBeaten ? t("ladder.beaten", { level: name }) : name);
      }
      const next = levelToTry(tally, level, levels);
      show(tryButton, next !== null);
      tryButton.value = next ?? "";
      if (next) setText(tryButton, t(tally.run > 0 ? "ladder.up" : "ladder.down", { level: levelName(next) }));
    },
  };
}
