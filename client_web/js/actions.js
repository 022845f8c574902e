import { button, choice, fillChoice, h, keyed, setText, show } from "./dom.js";
import { t, waiting } from "./i18n.js";
import { levelChoices, usualLevel } from "./variants.js";
import { can, choicesOf, offerText, other, seatName, standsIn } from "./view.js";

/** Everything under the board that asks for a decision: actions, offers, an absent opponent, an empty seat. */

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Hands} Hands */
/** @typedef {import("./wire.js").Command} Command */
/** @typedef {import("./wire.js").Mark} Mark */
/** @typedef {{key: string, label: string, kind: string, sure?: [string, string], command: Command}} Action */

const QUICK_PATIENCE_MS = 20_000;

/** @param {Scene} scene @returns {Action[]} */
export function actionsOf({ view, you, shared, invite }) {
  const game = view.game?.number;
  const held = (/** @type {Mark} */ mark) => view.seats[mark]?.kind === "engine";
  /** @type {Action[]} */
  const list = [];
  for (const mark of /** @type {Mark[]} */ (choicesOf(you, "sit"))) {
    if (you.mark === mark) list.push({ key: "back", label: t("act.sit.back"), kind: "primary", command: { type: "sit", mark } });
    else if (held(mark) && (view.join === "open" || invite !== null || you.owner)) {
      list.push({ key: "sit" + mark, label: t("act.sit.instead", { mark }), kind: "", command: { type: "sit", mark, ...(invite ? { invite } : {}) } });
    }
  }
  if (can(you, "offer:rematch") && !view.offers.some((offer) => offer.what === "rematch")) {
    list.push({ key: "rematch", label: t("act.rematch"), kind: "primary", command: { type: "offer", what: "rematch", game } });
  }
  if (can(you, "offer:takeback") && !view.offers.some((offer) => offer.what === "takeback")) {
    list.push({ key: "takeback", label: t(shared ? "act.undo" : "act.takeback"), kind: "", command: { type: "offer", what: "takeback", game } });
  }
  if (can(you, "offer:draw") && !view.offers.some((offer) => offer.what === "draw")) {
    list.push({ key: "draw", label: t(shared ? "act.draw.agree" : "act.draw"), kind: "", command: { type: "offer", what: "draw", game } });
  }
  if (can(you, "resign")) {
    list.push({ key: "resign", label: t("act.resign"), kind: "", sure: [t("act.resign.sure"), t("act.resign.yes")], command: { type: "resign", game } });
  }
  if (can(you, "stand")) list.push({ key: "stand", label: t("act.stand"), kind: "", command: { type: "stand" } });
  return list;
}

/** A button that asks once more before it does what cannot be undone. @param {Action} action @param {Hands} hands */
export function actionButton(action, hands) {
  const holder = h("span", { class: "action" });
  const press = button(action.label, () => (action.sure ? ask() : act()), action.kind);
  holder.append(press);
  const act = () => void hands.send(JSON.parse(holder.dataset["command"] ?? "{}"));
  function ask() {
    const [question, yes] = action.sure ?? ["", ""];
    const confirm = button(yes, () => {
      restore();
      act();
    }, "danger");
    const back = button(t("cancel"), restore);
    holder.classList.add("asking");
    holder.replaceChildren(h("span", { text: question }), confirm, back);
    confirm.focus();
  }
  function restore() {
    holder.classList.remove("asking");
    holder.replaceChildren(press);
    press.focus();
  }
  return holder;
}

/** @param {Hands} hands */
export function createActions(hands) {
  const element = h("div", { class: "actions" });
  return {
    element,
    /** @param {Scene} scene */
    draw(scene) {
      keyed(element, actionsOf(scene), ({ key }) => key, (action) => actionButton(action, hands), (node, action) => {
        node.dataset["command"] = JSON.stringify(action.command);
      });
    },
  };
}

/** Offers on the table: theirs to accept or decline, ours to withdraw. @param {Hands} hands */
export function createOffers(hands) {
  const element = h("div", { class: "offers" });
  return {
    element,
    /** @param {Scene} scene */
    draw({ view, you, shared }) {
      const game = view.game?.number;
      keyed(element, shared ? [] : view.offers, ({ what, by }) => `${what} ${by} ${you.mark} ${game}`, ({ what, by }) => {
        const answer = (/** @type {boolean} */ accept) => () => void hands.send({ type: "answer", what, accept, game });
        const row = h("div", { class: "notice" }, h("p"));
        if (by === you.mark) row.append(button(t("offer.withdraw"), answer(false)));
        else if (you.mark) {
          row.append(button(t(what === "rematch" ? "offer.accept.rematch" : "offer.accept"), answer(true), "primary"),
            button(t("offer.decline"), answer(false)));
        }
        return row;
      }, (node, offer) => {
        if (node.firstChild) setText(node.firstChild, offerText(offer, view, you));
      });
    },
  };
}

/** The opponent is away: a countdown, then a choice that nobody makes for us. @param {Hands} hands */
export function createAbsence(hands) {
  let patient = false;
  /** @type {Scene|null} */
  let drawn = null;
  const text = h("p");
  const level = choice(t("start.level"), []);
  const win = button(t("away.win"), () => void hands.send({ type: "claim", what: "win", game: drawn?.view.game?.number }), "primary");
  const draw_ = button(t("away.draw"), () => void hands.send({ type: "claim", what: "draw", game: drawn?.view.game?.number }));
  const engine = button(t("away.engine"), () => {
    const mark = drawn?.you.mark;
    if (mark) void hands.send({ type: "seat_engine", mark: other(mark), level: level.select.value });
  });
  const wait = button(t("away.wait"), () => setPatience(true));
  const choose = button(t("away.choose"), () => setPatience(false));
  const standIn = h("span", { class: "pair" }, level.element, engine);
  const element = h("div", { class: "notice absence", hidden: true }, text, win, draw_, standIn, wait, choose);

  /** @param {boolean} wanted */
  function setPatience(wanted) {
    patient = wanted;
    if (drawn) draw(drawn);
    (wanted ? choose : wait).focus();
  }

  /** @param {Scene} scene */
  function draw(scene) {
    drawn = scene;
    const { view, you, variant, shared } = scene;
    const foe = you.mark ? other(you.mark) : null;
    const able = { win: can(you, "claim:win"), draw: can(you, "claim:draw"), engine: foe !== null && can(you, "seat_engine:" + foe) && view.seats[foe] !== null };
    const claimable = able.win || able.draw || able.engine;
    const presence = foe ? scene.crowd?.seats[foe] : null;
    const away = !shared && foe !== null && view.seats[foe]?.kind === "human" && (claimable || presence?.present === false);
    if (!claimable) patient = false;
    show(element, away && !standsIn(view, you));
    show(win, able.win && !patient);
    show(draw_, able.draw && !patient);
    show(standIn, able.engine && !patient);
    show(wait, claimable && !patient);
    show(choose, claimable && patient);
    fillChoice(level.select, levelChoices(variant), level.select.value || usualLevel(variant));
    tick();
  }

  function tick() {
    if (!drawn || element.hidden || !drawn.you.mark) return;
    const foe = other(drawn.you.mark);
    const presence = drawn.crowd?.seats[foe];
    const name = seatName(drawn.view.seats[foe]);
    const since = Math.max(0, drawn.now() - drawn.crowdAt);
    const away = waiting((presence?.away_ms ?? 0) + since);
    const left = presence?.claimable_in_ms === null || presence === null || presence === undefined ? null : presence.claimable_in_ms - since;
    if (!choose.hidden) setText(text, t("away.waiting", { name, time: away }));
    else if (!wait.hidden) setText(text, t("away.now", { name, time: away }));
    else if (left !== null && left > 0) setText(text, t("away.count", { name, time: waiting(left) }));
    else setText(text, t("away.plain", { name }));
  }

  return { element, draw, tick };
}

/** An empty seat that the engine could take, offered to who has waited for a stranger long enough. @param {Hands} hands */
export function createEngineOffer(hands) {
  /** @type {Scene|null} */
  let drawn = null;
  const text = h("p", { text: t("engine.offer") });
  const level = choice(t("start.level"), []);
  const press = button("", () => {
    const mark = emptySeat();
    if (mark) void hands.send({ type: "seat_engine", mark, level: level.select.value });
  });
  const element = h("div", { class: "notice", hidden: true }, text, h("span", { class: "pair" }, level.element, press));

  function emptySeat() {
    if (!drawn || drawn.shared) return null;
    const { view, you } = drawn;
    return /** @type {Mark[]} */ (choicesOf(you, "seat_engine")).find((mark) => view.seats[mark] === null) ?? null;
  }

  function tick() {
    const mark = emptySeat();
    const open = drawn?.view.join === "open";
    const patient = open && drawn !== null && drawn.now() < drawn.view.created_ms + QUICK_PATIENCE_MS;
    show(element, mark !== null && !patient);
    show(text, open);
    if (mark) setText(press, t("act.engine", { mark }));
  }

  return {
    element,
    tick,
    /** @param {Scene} scene */
    draw(scene) {
      drawn = scene;
      fillChoice(level.select, levelChoices(scene.variant), level.select.value || usualLevel(scene.variant));
      tick();
    },
  };
}
