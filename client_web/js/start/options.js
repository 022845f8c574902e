import { button, h, labelled, labelledSelect, setOptions, show } from "../browser/dom.js";
import { warnOnError } from "../browser/notices.js";
import { features } from "../net/api.js";
import { guestPlayer, renameGuest } from "../net/guest.js";
import { t } from "../texts/i18n.js";
import { clockOptions, levelAfterChange, levelOptions, markOptions } from "../texts/names.js";

/** The options of the start page: mark, clock, names, an open room, and two engines to watch. */

/** @import { StoredChoice } from "../browser/preferences.js" */
/** @import { Variant } from "../net/messages.js" */

/**
 * @param {{choice: () => StoredChoice, variant: () => Variant|undefined, choose: (change: Partial<StoredChoice>) => void,
 *   go: (name: "openRoom"|"watchEngines") => void}} options
 */
export function createStartOptions({ choice, variant, choose, go }) {
  /** @param {string} label @param {keyof StoredChoice} key @param {import("../browser/dom.js").SelectOption[]} options */
  const select = (label, key, options) =>
    labelledSelect(label, options, choice()[key], (value) => choose({ [key]: value }));
  /** @param {string} label @param {"name1"|"name2"} key @param {string} placeholder */
  const nameInput = (label, key, placeholder) => {
    const input = h("input", { type: "text", maxlength: 24, placeholder, value: choice()[key], autocomplete: "off" });
    input.addEventListener("change", () => choose({ [key]: input.value.trim() }));
    return labelled(label, input);
  };
  const mark = select(t("start.mark"), "mark", markOptions());
  const clock = select(t("start.clock"), "clock", clockOptions(JSON.parse(choice().clock)));
  const levelX = select(t("start.level.X"), "levelX", []);
  const levelO = select(t("start.level.O"), "levelO", []);
  const yourName = h("input", {
    type: "text",
    maxlength: 24,
    value: guestPlayer()?.name ?? "",
    autocomplete: "nickname",
  });
  yourName.addEventListener("change", () => {
    const name = yourName.value.trim();
    if (name && name !== guestPlayer()?.name) void warnOnError(() => renameGuest(name));
  });
  const ownName = labelled(t("invite.name"), yourName);
  const names = h(
    "div",
    { class: "option-inputs" },
    nameInput(t("start.name1"), "name1", t("start.player1")),
    nameInput(t("start.name2"), "name2", t("start.player2")),
  );
  const openButton = button(t("start.anyone"), () => go("openRoom"));
  const enginesButton = button(t("start.engines"), () => {
    choose({ levelX: levelX.select.value, levelO: levelO.select.value });
    go("watchEngines");
  });
  const element = h(
    "div",
    { class: "options-form" },
    h("div", { class: "option-inputs" }, mark.element, clock.element, ownName),
    names,
    h("div", { class: "option-inputs" }, levelX.element, levelO.element),
    h("div", { class: "buttons" }, enginesButton, openButton),
  );
  /** @type {Variant|undefined} */
  let shown;

  function draw() {
    const newVariant = variant();
    const { level: chosen } = choice();
    for (const control of [levelX, levelO]) {
      const value = control.select.value || chosen;
      setOptions(control.select, levelOptions(newVariant), levelAfterChange(value, shown, newVariant));
    }
    shown = newVariant;
    show(names, features().free_names);
    show(ownName, features().free_names);
    show(openButton, features().lobby);
  }

  draw();
  return { element, draw };
}
