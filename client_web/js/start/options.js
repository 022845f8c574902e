import { button, h, labelled, labelledSelect, setOptions, show } from "../browser/dom.js";
import { warnOnError } from "../browser/toasts.js";
import { features } from "../net/api.js";
import { guestPlayer, renameGuest } from "../net/guest.js";
import { addTexts, t } from "../texts/i18n.js";
import { clockOptions, levelAfterChange, levelOptions, markOptions, seriesOptions } from "../texts/names.js";
import { createSwapChoice } from "../board/swap_choice.js";

/** The options of the start page: the ways to play, and what the chosen way needs. */

/** @import { StoredChoice } from "../browser/preferences.js" */
/** @import { Variant } from "../net/messages.js" */
/** @import { createRooms } from "./new_rooms.js" */

/** @typedef {"mark"|"clock"|"series"|"swap"|"name"|"names"|"levels"} Part */
/** @typedef {Exclude<keyof ReturnType<typeof createRooms>, "playEngine"|"inviteAgain">} Maker  makes a room */
/** @typedef {{key: import("../texts/i18n.js").Key, parts: Part[], go: Maker|null}} Way */

/** The ways to play, with the parts of each. A tap on the board begins the first one. @type {readonly Way[]} */
const WAYS = [
  { key: "command.engine", parts: ["mark", "clock"], go: null },
  { key: "start.friend", parts: ["mark", "clock", "series", "swap", "name"], go: "inviteFriend" },
  { key: "start.anyone", parts: ["mark", "clock", "name"], go: "openRoom" },
  { key: "start.pass_and_play", parts: ["clock", "names"], go: "passAndPlay" },
  { key: "start.engines", parts: ["levels"], go: "watchEngines" },
];

/**
 * @param {{choice: () => StoredChoice, variant: () => Variant|undefined, choose: (change: Partial<StoredChoice>) => void,
 *   go: (name: Maker) => void}} options
 */
export async function createStartOptions({ choice, variant, choose, go }) {
  await addTexts("server");
  /** @param {string} label @param {keyof StoredChoice} key @param {import("../browser/dom.js").SelectOption[]} options */
  const select = (label, key, options) =>
    labelledSelect(label, options, choice()[key], (value) => choose({ [key]: value }));
  /** @param {string} label @param {"name1"|"name2"} key @param {string} placeholder */
  const nameInput = (label, key, placeholder) => {
    const input = h("input", { type: "text", maxlength: 24, placeholder, value: choice()[key], autocomplete: "off" });
    input.addEventListener("change", () => choose({ [key]: input.value.trim() }));
    return labelled(label, input);
  };
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
  const swap = createSwapChoice((isFair) => choose({ swap: String(isFair) }));
  /** @type {Record<Part, HTMLElement[]>} */
  const parts = {
    mark: [select(t("start.mark"), "mark", markOptions()).element],
    clock: [select(t("start.clock"), "clock", clockOptions(JSON.parse(choice().clock))).element],
    series: [select(t("series.label"), "firstTo", seriesOptions(JSON.parse(choice().firstTo))).element],
    swap: [swap.element],
    name: [labelled(t("invite.name"), yourName)],
    names: [
      nameInput(t("start.name1"), "name1", t("start.player1")),
      nameInput(t("start.name2"), "name2", t("start.player2")),
    ],
    levels: [levelX.element, levelO.element],
  };
  let way = /** @type {Way} */ (WAYS[0]);
  const ways = WAYS.filter(({ go }) => go !== "openRoom" || features().lobby).map((entry) =>
    h(
      "label",
      { class: "option" },
      h("input", { type: "radio", name: "way", checked: entry === way, on: { change: () => chooseWay(entry) } }),
      h("span", { class: "option-face", text: t(entry.key) }),
    ),
  );
  const goButton = button(
    t("way.go"),
    () => {
      choose({ levelX: levelX.select.value, levelO: levelO.select.value });
      if (way.go) go(way.go);
    },
    "primary",
  );
  const element = h(
    "div",
    { class: "options-form" },
    h("div", { class: "ways", role: "radiogroup", "aria-label": t("way") }, ...ways),
    h("div", { class: "option-inputs" }, ...Object.values(parts).flat()),
    h("div", { class: "buttons" }, goButton),
  );
  /** @type {Variant|undefined} */
  let shown;

  /** @param {Way} entry */
  function chooseWay(entry) {
    way = entry;
    draw();
  }

  function draw() {
    const newVariant = variant();
    const { level: chosen } = choice();
    for (const control of [levelX, levelO]) {
      const value = control.select.value || chosen;
      setOptions(control.select, levelOptions(newVariant), levelAfterChange(value, shown, newVariant));
    }
    shown = newVariant;
    for (const part of /** @type {Part[]} */ (Object.keys(parts)))
      for (const node of parts[part])
        show(node, way.parts.includes(part) && (features().free_names || !part.startsWith("name")));
    if (way.parts.includes("swap")) swap.draw(newVariant?.key, choice().swap === "true");
    show(goButton, way.go !== null);
  }

  draw();
  return { element, draw };
}
