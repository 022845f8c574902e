import { button, h, labelled, labelledSelect, setOptions, setText, show, svg } from "./dom.js";
import * as guest from "./guest.js";
import { t } from "./i18n.js";
import { createLobby } from "./lobby.js";
import { toast } from "./notices.js";
import { createPassAndPlayRoom } from "./pass_and_play.js";
import { seatName, verdictText } from "./room_text.js";
import { clockOptions, levelAfterChange, levelOptions, markOptions } from "./select_options.js";
import { browserStorage } from "./storage.js";
import { loadLastRoom, saveInvite } from "./stored_rooms.js";
import { strengthTable } from "./strength_table.js";
import * as urls from "./urls.js";
import { features, loadVariants } from "./variants.js";

/** The start page: choose a variant and an opponent, or a room of the lobby. */

/** @typedef {import("./messages.js").Variant} Variant */
/** @typedef {"friend"|"engine"|"pass_and_play"|"quick"|"anyone"|"engines"} Opponent */

const CHOICE_KEY = "noughts.choice";
/** @type {readonly Opponent[]} */
const OPPONENTS = ["friend", "engine", "pass_and_play", "quick", "anyone", "engines"];
/** @type {readonly Opponent[]} offered only while the server has a lobby */
const LOBBY_OPPONENTS = ["quick", "anyone"];

/** Return what this browser chose the last time. @returns {{variant?: string, opponent?: string, level?: string}} */
function loadChoice() {
  try {
    return JSON.parse(browserStorage.get(CHOICE_KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/** @param {Variant} variant */
const shapeText = (variant) => variant.shape.join("×");

/** Draw a small empty board. @param {Variant} variant */
function thumbnail({ key, shape }) {
  const [columns = 3, rows = 3, layers] = shape;
  const step = 24 / Math.max(columns, rows);
  const [width, height] = [columns * step, rows * step];
  const path = [];
  for (let i = 1; i < columns; i++) path.push(`M${(24 - width) / 2 + i * step} ${(24 - height) / 2}v${height}`);
  for (let i = 1; i < rows; i++) path.push(`M${(24 - width) / 2} ${(24 - height) / 2 + i * step}h${width}`);
  const picture = svg("svg", { viewBox: "-3 -3 30 30", class: "thumb", "aria-hidden": "true" });
  if (layers) picture.append(svg("path", { d: "M-2 -2h24M-2 -2v24", class: "thick" }));
  picture.append(svg("path", { d: path.join("") }));
  if (key === "ultimate") picture.append(svg("path", { d: "M8 0v24M16 0v24M0 8h24M0 16h24", class: "thick" }));
  return picture;
}

/** @param {string} name @param {string} value @param {boolean} checked @param {...Node|string} content */
const radioButton = (name, value, checked, ...content) =>
  h("label", { class: "option" }, h("input", { type: "radio", name, value, checked }), h("span", { class: "option-face" }, ...content));

/**
 * @param {{root: HTMLElement, navigate: (path: string) => void}} options
 * @returns {() => void} closes the page
 */
export function startPage({ root, navigate }) {
  let disposed = false;
  /** @type {(() => void)|null} */ let disposeLobby = null;
  const title = h("h1", { tabindex: -1, text: t("start.title") });
  const body = h("div", { class: "start" }, h("p", { class: "card", text: t("start.loading") }));
  root.replaceChildren(title, body);
  document.title = t("app.name");

  async function load() {
    try {
      const [variants, lastRoom] = await Promise.all([loadVariants(), loadLastRoom()]);
      if (disposed) return;
      if (lastRoom) title.after(lastRoomLink(lastRoom, variants));
      body.replaceChildren(createForm(variants, navigate));
      if (!features().lobby) return;
      const lobby = createLobby({ variantName: (key) => variants.find((variant) => variant.key === key)?.name ?? key });
      disposeLobby = lobby.dispose;
      body.append(lobby.element);
    } catch (error) {
      if (disposed) return;
      body.replaceChildren(h("div", { class: "card" }, h("p", { text: /** @type {Error} */ (error).message }), button(t("error.retry"), () => void load(), "primary")));
    }
  }
  void load();

  return () => {
    disposed = true;
    disposeLobby?.();
  };
}

/** @param {import("./messages.js").View} view @param {Variant[]} variants */
function lastRoomLink({ id, variant, seats }, variants) {
  const name = variants.find(({ key }) => key === variant)?.name ?? variant;
  const pair = seats.X && seats.O ? ", " + t("lobby.pair", { x: seatName(seats.X), o: seatName(seats.O) }) : "";
  return h("p", { class: "last-room" }, h("a", { href: urls.room(id), "data-page-link": "", text: t("start.last_room", { room: name + pair }) }));
}

/** @param {Variant[]} variants @param {(path: string) => void} navigate */
function createForm(variants, navigate) {
  const lastChoice = loadChoice();
  const firstVariant = variants.find(({ key }) => key === lastChoice.variant) ?? variants[0];
  const { lobby: hasLobby, free_names: hasFreeNames } = features();
  const opponents = OPPONENTS.filter((opponent) => hasLobby || !LOBBY_OPPONENTS.includes(opponent));
  const firstOpponent = opponents.find((opponent) => opponent === lastChoice.opponent) ?? "friend";
  const rules = h("p");
  const verdict = h("p", { class: "secondary" });
  const strength = h("div");
  /** @type {Variant|undefined} */
  let shownVariant;
  const level = labelledSelect(t("start.level"), [], lastChoice.level);
  const levelX = labelledSelect(t("start.level.X"), []);
  const levelO = labelledSelect(t("start.level.O"), []);
  const mark = labelledSelect(t("start.mark"), markOptions(), "random");
  const clock = labelledSelect(t("start.clock"), clockOptions(), "null");
  const yourName = createNameInput(t("invite.name"), "", guest.player()?.name);
  const name1 = createNameInput(t("start.name1"), t("start.player1"));
  const name2 = createNameInput(t("start.name2"), t("start.player2"));
  const submitButton = h("button", { type: "submit", class: "primary big" });
  const form = h("form", { class: "card start-form", on: { change: draw, submit } },
    h("fieldset", { class: "variants" }, h("legend", { text: t("start.variant") }),
      ...variants.map((variant) => radioButton("variant", variant.key, variant === firstVariant, thumbnail(variant), h("b", { text: variant.name }), h("small", { text: shapeText(variant) })))),
    h("div", { class: "rules" }, rules, verdict, strength),
    h("fieldset", { class: "opponents" }, h("legend", { text: t("start.opponent") }),
      ...opponents.map((opponent) => radioButton("opponent", opponent, opponent === firstOpponent, t(`start.${opponent}`)))),
    h("div", { class: "options" }, level.element, levelX.element, levelO.element, yourName.element, name1.element, name2.element, mark.element, clock.element),
    submitButton);

  const formValue = (/** @type {string} */ name) => String(new FormData(form).get(name) ?? "");
  const selectedOpponent = () => /** @type {Opponent} */ (formValue("opponent"));
  const selectedVariant = () => variants.find(({ key }) => key === formValue("variant")) ?? firstVariant;

  function draw() {
    const variant = selectedVariant();
    const opponent = selectedOpponent();
    setText(rules, variant?.rules ?? "");
    setText(verdict, verdictText(variant?.value));
    if (shownVariant !== variant) strength.replaceChildren(strengthTable(variant) ?? "");
    for (const { select } of [level, levelX, levelO]) setOptions(select, levelOptions(variant), levelAfterChange(select.value || lastChoice.level, shownVariant, variant));
    shownVariant = variant;
    show(level.element, opponent === "engine");
    show(levelX.element, opponent === "engines");
    show(levelO.element, opponent === "engines");
    show(yourName.element, hasFreeNames && (opponent === "friend" || LOBBY_OPPONENTS.includes(opponent)));
    show(name1.element, hasFreeNames && opponent === "pass_and_play");
    show(name2.element, hasFreeNames && opponent === "pass_and_play");
    show(mark.element, opponent === "friend" || opponent === "engine" || opponent === "anyone");
    show(clock.element, opponent !== "engines");
    setText(submitButton, t(`start.${opponent}.go`));
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const opponent = selectedOpponent();
    const settings = { variant: formValue("variant"), clock: JSON.parse(clock.select.value) };
    browserStorage.set(CHOICE_KEY, JSON.stringify({ variant: settings.variant, opponent, level: level.select.value }));
    submitButton.disabled = true;
    setText(submitButton, t("start.busy"));
    try {
      navigate(urls.room(await createRoom(opponent, settings)));
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
      submitButton.disabled = false;
      draw();
    }
  }

  /**
   * Create a room, or let quick play find one.
   * @param {Opponent} opponent @param {{variant: string, clock: import("./messages.js").ClockSetting|null}} settings
   * @returns {Promise<string>} the id of the room
   */
  async function createRoom(opponent, settings) {
    if (opponent === "pass_and_play") return createPassAndPlayRoom({ ...settings, names: [name1.value(), name2.value()] });
    const name = yourName.element.hidden ? "" : yourName.value();
    if (name && name !== guest.player()?.name) await guest.rename(name);
    if (opponent === "quick") return (await guest.requestAsGuest("POST", "quickplay", settings)).room.id;
    const body = opponent === "engines" ? { variant: settings.variant, opponent, levels: [levelX.select.value, levelO.select.value] }
      : { ...settings, opponent, mark: mark.select.value, ...(opponent === "engine" ? { level: level.select.value } : {}) };
    const { room, invite } = await guest.requestAsGuest("POST", "rooms", body);
    if (invite) saveInvite(room.id, invite);
    return room.id;
  }

  draw();
  return form;
}

/** @param {string} label @param {string} defaultName @param {string} [value] */
function createNameInput(label, defaultName, value = "") {
  const input = h("input", { type: "text", maxlength: 24, placeholder: defaultName, value, autocomplete: defaultName ? "off" : "nickname" });
  return { value: () => input.value.trim() || defaultName, element: labelled(label, input) };
}
