import { button, h, labelled, labelledSelect, setOptions, show } from "../browser/dom.js";
import { warnOnError } from "../browser/notices.js";
import { request } from "../net/api.js";
import { guestPlayer, renameGuest } from "../net/guest.js";
import { features } from "../net/variants.js";
import { t } from "../texts/i18n.js";
import { clockOptions, levelAfterChange, levelName, levelOptions, markOptions } from "../texts/names.js";

/** The options of the start page: level, mark, clock, names, an open room, and two engines to watch. */

/** @import { StoredChoice } from "../browser/preferences.js" */
/** @import { Strength, Variant } from "../net/messages.js" */

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
  const level = select(t("start.level"), "level", []);
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
  const strength = h("div");
  const element = h(
    "div",
    { class: "options-form" },
    h("div", { class: "option-inputs" }, level.element, mark.element, clock.element, ownName),
    names,
    h("div", { class: "option-inputs" }, levelX.element, levelO.element),
    h("div", { class: "buttons" }, enginesButton, openButton),
    strength,
  );
  /** @type {Variant|undefined} */
  let shown;

  function draw() {
    const newVariant = variant();
    const { level: chosen } = choice();
    for (const control of [level, levelX, levelO]) {
      const value = control === level ? chosen : control.select.value || chosen;
      setOptions(control.select, levelOptions(newVariant), levelAfterChange(value, shown, newVariant));
    }
    if (shown !== newVariant) strength.replaceChildren(strengthTable(newVariant) ?? "");
    shown = newVariant;
    show(names, features().free_names);
    show(ownName, features().free_names);
    show(openButton, features().lobby);
  }

  draw();
  return { element, draw };
}

/** The strength table: how often each level of the engine wins, draws and loses. */

/** Return "won / drawn / lost" in percent. @param {Strength|undefined} strength */
function percentages(strength) {
  const total = strength ? strength.win + strength.draw + strength.loss : 0;
  if (!strength || !total) return "–";
  return [strength.win, strength.draw, strength.loss].map((share) => Math.round((100 * share) / total)).join(" / ");
}

/** @param {import("../net/messages.js").Variant} variant @param {Strength[]} measurements */
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
 * @param {import("../net/messages.js").Variant|undefined} variant
 */
function strengthTable(variant) {
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
