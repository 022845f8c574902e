import { button, h, setAttr, setText, show } from "../browser/dom.js";
import { levelToTry, loadPlayedGames, tallyOf } from "../net/played_games.js";
import { t } from "../texts/i18n.js";
import { levelName } from "../texts/names.js";

/** The levels of the engine as a ladder of dots: the weakest first, the chosen one with its name, those beaten with a tick. */

/** @import { Variant } from "../net/messages.js" */

const MOST_RUNGS = 6; // until you ask for all

/** @param {(level: string) => void} onChange @param {string} [name] of the radio buttons */
export function createLadder(onChange, name = "level") {
  const rungs = h("div", { class: "rungs", role: "radiogroup", "aria-label": t("start.level") });
  const tryButton = button("", () => onChange(tryButton.value), "ladder-try quiet-text");
  const allButton = button(t("ladder.all"), () => showRungs(levels), "quiet-text");
  const element = h("div", { class: "ladder" }, rungs, allButton, tryButton);
  rungs.addEventListener("change", ({ target }) => onChange(/** @type {HTMLInputElement} */ (target).value));
  /** @type {readonly string[]} */
  let levels = [];
  /** @type {readonly string[]} */
  let shown = [];
  let redraw = () => {};

  /** @param {string} value */
  const createRung = (value) =>
    h(
      "label",
      { class: "rung", title: levelName(value) },
      h("input", { type: "radio", name, value }),
      h("span", { class: "rung-name", "aria-hidden": "true", text: levelName(value) }),
    );

  /** @param {readonly string[]} newRungs */
  function showRungs(newRungs) {
    shown = newRungs;
    rungs.replaceChildren(...shown.map(createRung));
    show(allButton, shown.length < levels.length);
    redraw();
  }

  /** @param {Variant} variant @param {string} level */
  function draw(variant, level) {
    redraw = () => draw(variant, level);
    if (levels !== variant.levels || !shown.includes(level)) {
      levels = variant.levels;
      const first = Math.max(0, Math.min(levels.indexOf(level) - MOST_RUNGS / 2, levels.length - MOST_RUNGS));
      return showRungs(levels.slice(first, first + MOST_RUNGS));
    }
    const tally = tallyOf(loadPlayedGames(), variant.key);
    const next = levelToTry(tally, level, levels);
    for (const input of rungs.querySelectorAll("input")) {
      input.checked = input.value === level;
      setAttr(input, "data-next", input.value === next ? "" : null);
      const isBeaten = tally.beaten.includes(input.value);
      setAttr(input, "data-beaten", isBeaten ? "" : null);
      const name = levelName(input.value);
      setAttr(input, "aria-label", isBeaten ? t("ladder.beaten", { level: name }) : name);
    }
    show(tryButton, next !== null);
    tryButton.value = next ?? "";
    if (next) setText(tryButton, t(tally.run > 0 ? "ladder.up" : "ladder.down", { level: levelName(next) }));
  }

  return { element, draw, offersLevel: () => !tryButton.hidden };
}
