import { lastRoom } from "./back.js";
import { button, choice, fillChoice, h, setText, show, svg } from "./dom.js";
import { t } from "./i18n.js";
import { createLobby } from "./lobby.js";
import { toast } from "./live.js";
import { makeSharedRoom } from "./passplay.js";
import * as paths from "./paths.js";
import * as session from "./session.js";
import { lasting } from "./storage.js";
import { strengthTable } from "./strength.js";
import { clockChoices, features, levelAfter, levelChoices, markChoices, variants as loadVariants } from "./variants.js";
import { seatName, shapeText, valueText } from "./view.js";

/** The start page: which game, against whom, and who else is here. */

/** @typedef {import("./wire.js").Variant} Variant */
/** @typedef {"friend"|"engine"|"here"|"quick"|"anyone"|"engines"} Opponent */
/** @typedef {{go: (path: string) => void}} Way */

const KEY = "noughts.choice";
/** @type {readonly Opponent[]} */
const OPPONENTS = ["friend", "engine", "here", "quick", "anyone", "engines"];
/** @type {readonly Opponent[]} those whom one meets in the lobby */
const STRANGERS = ["quick", "anyone"];

/** @returns {{variant?: string, opponent?: string, level?: string}} */
function lastChoice() {
  try {
    return JSON.parse(lasting.get(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/** A small picture of a board. @param {Variant} variant */
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
const radio = (name, value, checked, ...content) =>
  h("label", { class: "option" }, h("input", { type: "radio", name, value, checked }), h("span", { class: "option-face" }, ...content));

/**
 * @param {{root: HTMLElement} & Way} options
 * @returns {() => void} takes the page away
 */
export function startPage({ root, go }) {
  let disposed = false;
  /** @type {(() => void)|null} */ let dispose = null;
  const title = h("h1", { tabindex: -1, text: t("start.title") });
  const body = h("div", { class: "start" }, h("p", { class: "card", text: t("start.loading") }));
  root.replaceChildren(title, body);
  document.title = t("app.name");

  async function load() {
    try {
      const [variants, room] = await Promise.all([loadVariants(), lastRoom()]);
      if (disposed) return;
      if (room) title.after(backTo(room, variants));
      body.replaceChildren(createForm(variants, go));
      if (!features().lobby) return;
      const lobby = createLobby({ variantName: (key) => variants.find((one) => one.key === key)?.name ?? key });
      dispose = lobby.dispose;
      body.append(lobby.element);
    } catch (fault) {
      if (disposed) return;
      body.replaceChildren(h("div", { class: "card" }, h("p", { text: /** @type {Error} */ (fault).message }), button(t("error.again"), () => void load(), "primary")));
    }
  }
  void load();

  return () => {
    disposed = true;
    dispose?.();
  };
}

/** @param {import("./wire.js").View} room @param {Variant[]} variants */
function backTo({ id, variant, seats }, variants) {
  const game = variants.find(({ key }) => key === variant)?.name ?? variant;
  const pair = seats.X && seats.O ? ", " + t("lobby.pair", { x: seatName(seats.X), o: seatName(seats.O) }) : "";
  return h("p", { class: "back" }, h("a", { href: paths.room(id), "data-go": "", text: t("start.back", { room: game + pair }) }));
}

/** @param {Variant[]} variants @param {(path: string) => void} go */
function createForm(variants, go) {
  const before = lastChoice();
  const firstVariant = variants.find(({ key }) => key === before.variant) ?? variants[0];
  const { lobby, free_names: named } = features();
  const opponents = OPPONENTS.filter((one) => lobby || !STRANGERS.includes(one));
  const firstOpponent = opponents.find((one) => one === before.opponent) ?? "friend";
  const rules = h("p");
  const value = h("p", { class: "quiet" });
  const strength = h("div");
  /** @type {Variant|undefined} */
  let described;
  const level = choice(t("start.level"), [], before.level);
  const levelX = choice(t("start.level.X"), []);
  const levelO = choice(t("start.level.O"), []);
  const mark = choice(t("start.mark"), markChoices(), "random");
  const clock = choice(t("start.clock"), clockChoices(), "null");
  const mine = nameField(t("invite.name"), "", session.player()?.name);
  const first = nameField(t("start.first"), t("start.player1"));
  const second = nameField(t("start.second"), t("start.player2"));
  const press = h("button", { type: "submit", class: "primary big" });
  const form = h("form", { class: "card choose", on: { change: draw, submit } },
    h("fieldset", { class: "variants" }, h("legend", { text: t("start.variant") }),
      ...variants.map((one) => radio("variant", one.key, one === firstVariant, thumbnail(one), h("b", { text: one.name }), h("small", { text: shapeText(one) })))),
    h("div", { class: "rules" }, rules, value, strength),
    h("fieldset", { class: "opponents" }, h("legend", { text: t("start.opponent") }),
      ...opponents.map((one) => radio("opponent", one, one === firstOpponent, t(`start.${one}`)))),
    h("div", { class: "options" }, level.element, levelX.element, levelO.element, mine.element, first.element, second.element, mark.element, clock.element),
    press);

  const picked = (/** @type {string} */ name) => String(new FormData(form).get(name) ?? "");
  const variant = () => variants.find(({ key }) => key === picked("variant")) ?? firstVariant;

  function draw() {
    const chosen = variant();
    const opponent = /** @type {Opponent} */ (picked("opponent"));
    setText(rules, chosen?.rules ?? "");
    setText(value, valueText(chosen?.value));
    if (described !== chosen) strength.replaceChildren(strengthTable(chosen) ?? "");
    for (const { select } of [level, levelX, levelO]) fillChoice(select, levelChoices(chosen), levelAfter(select.value || before.level, described, chosen));
    described = chosen;
    show(level.element, opponent === "engine");
    show(levelX.element, opponent === "engines");
    show(levelO.element, opponent === "engines");
    show(mine.element, named && (opponent === "friend" || STRANGERS.includes(opponent)));
    show(first.element, named && opponent === "here");
    show(second.element, named && opponent === "here");
    show(mark.element, opponent === "friend" || opponent === "engine" || opponent === "anyone");
    show(clock.element, opponent !== "engines");
    setText(press, t(`start.${opponent}.go`));
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const opponent = /** @type {Opponent} */ (picked("opponent"));
    const wish = { variant: picked("variant"), clock: JSON.parse(clock.select.value) };
    lasting.set(KEY, JSON.stringify({ variant: wish.variant, opponent, level: level.select.value }));
    press.disabled = true;
    setText(press, t("start.busy"));
    try {
      go(paths.room(await make(opponent, wish)));
    } catch (fault) {
      toast(/** @type {Error} */ (fault).message);
      press.disabled = false;
      draw();
    }
  }

  /** @param {Opponent} opponent @param {{variant: string, clock: import("./wire.js").ClockSetting|null}} wish @returns {Promise<string>} the room's id */
  async function make(opponent, wish) {
    if (opponent === "here") return makeSharedRoom({ ...wish, names: [first.name(), second.name()] });
    const name = mine.element.hidden ? "" : mine.name();
    if (name && name !== session.player()?.name) await session.rename(name);
    if (opponent === "quick") return (await session.callAsGuest("POST", "quickplay", wish)).room.id;
    const body = opponent === "engines" ? { variant: wish.variant, opponent, levels: [levelX.select.value, levelO.select.value] }
      : { ...wish, opponent, mark: mark.select.value, ...(opponent === "engine" ? { level: level.select.value } : {}) };
    const { room, invite } = await session.callAsGuest("POST", "rooms", body);
    if (invite) session.keepInvite(room.id, invite);
    return room.id;
  }

  draw();
  return form;
}

/** @param {string} label @param {string} usual @param {string} [value] */
function nameField(label, usual, value = "") {
  const input = h("input", { type: "text", maxlength: 24, placeholder: usual, value, autocomplete: usual ? "off" : "nickname" });
  return { name: () => input.value.trim() || usual, element: h("label", { class: "choice" }, h("span", { text: label }), input) };
}
