import { button, drawChildren, h, labelledSelect, setOptions, setText, show } from "./dom.js";
import { t, waitingTime } from "./i18n.js";
import { offerText, seatName } from "./room_text.js";
import { defaultLevel, levelOptions } from "./select_options.js";
import { can, choicesOf, hasStandIn, opponentOf } from "./view.js";

/** Prompts: notices in a room that ask the player for a decision. */

/** @typedef {import("./room_state.js").RoomState} RoomState */
/** @typedef {import("./room_state.js").SendCommand} SendCommand */
/** @typedef {import("./messages.js").Mark} Mark */

const OPEN_ROOM_DELAY_MS = 20_000;

/** Create the prompts for open offers: accept or decline the opponent's, or withdraw your own. @param {SendCommand} sendCommand */
export function createOffers(sendCommand) {
  const element = h("div", { class: "offers" });
  return {
    element,
    /** @param {RoomState} state */
    draw({ view, you, passAndPlay }) {
      const game = view.game?.number;
      drawChildren(element, passAndPlay ? [] : view.offers, ({ what, by }) => `${what} ${by} ${you.mark} ${game}`, ({ what, by }) => {
        const answer = (/** @type {boolean} */ accept) => () => void sendCommand({ type: "answer", what, accept, game });
        const notice = h("div", { class: "notice" }, h("p"));
        if (by === you.mark) notice.append(button(t("offer.withdraw"), answer(false)));
        else if (you.mark) {
          notice.append(button(t(what === "rematch" ? "offer.accept.rematch" : "offer.accept"), answer(true), "primary"),
            button(t("offer.decline"), answer(false)));
        }
        return notice;
      }, (node, offer) => {
        if (node.firstChild) setText(node.firstChild, offerText(offer, view, you));
      });
    },
  };
}

/** Create the prompt for an absent opponent: a countdown, then claim the game, seat a stand-in, or wait. @param {SendCommand} sendCommand */
export function createAbsence(sendCommand) {
  let keepsWaiting = false;
  /** @type {RoomState|null} */
  let state = null;
  const text = h("p");
  const level = labelledSelect(t("start.level"), []);
  const winButton = button(t("absence.win"), () => claim("win"), "primary");
  const drawButton = button(t("absence.draw"), () => claim("draw"));
  const engineButton = button(t("absence.engine"), () => {
    const mark = state?.you.mark;
    if (mark) void sendCommand({ type: "seat_engine", mark: opponentOf(mark), level: level.select.value });
  });
  const waitButton = button(t("absence.wait"), () => setKeepsWaiting(true));
  const reopenButton = button(t("absence.reopen"), () => setKeepsWaiting(false));
  const standIn = h("span", { class: "pair" }, level.element, engineButton);
  const element = h("div", { class: "notice absence", hidden: true }, text, winButton, drawButton, standIn, waitButton, reopenButton);

  /** @param {"win"|"draw"} what */
  const claim = (what) => void sendCommand({ type: "claim", what, game: state?.view.game?.number });

  /** @param {boolean} value */
  function setKeepsWaiting(value) {
    keepsWaiting = value;
    if (state) draw(state);
    (value ? reopenButton : waitButton).focus();
  }

  /** @param {RoomState} newState */
  function draw(newState) {
    state = newState;
    const { view, you, variant, passAndPlay, crowd } = newState;
    const opponent = you.mark ? opponentOf(you.mark) : null;
    const canWin = can(you, "claim:win");
    const canDraw = can(you, "claim:draw");
    const canSeatEngine = opponent !== null && can(you, "seat_engine:" + opponent) && view.seats[opponent] !== null;
    const hasChoice = canWin || canDraw || canSeatEngine;
    const presence = opponent ? crowd?.seats[opponent] : null;
    const isAway = !passAndPlay && opponent !== null && view.seats[opponent]?.kind === "human" && (hasChoice || presence?.present === false);
    if (!hasChoice) keepsWaiting = false;
    show(element, isAway && !hasStandIn(view, you));
    show(winButton, canWin && !keepsWaiting);
    show(drawButton, canDraw && !keepsWaiting);
    show(standIn, canSeatEngine && !keepsWaiting);
    show(waitButton, hasChoice && !keepsWaiting);
    show(reopenButton, hasChoice && keepsWaiting);
    setOptions(level.select, levelOptions(variant), level.select.value || defaultLevel(variant));
    tick();
  }

  function tick() {
    if (!state || element.hidden || !state.you.mark) return;
    const opponent = opponentOf(state.you.mark);
    const presence = state.crowd?.seats[opponent];
    const name = seatName(state.view.seats[opponent]);
    const elapsed = Math.max(0, state.now() - state.crowdAt);
    const time = waitingTime((presence?.away_ms ?? 0) + elapsed);
    const remaining = presence?.claimable_in_ms === null || presence === null || presence === undefined ? null : presence.claimable_in_ms - elapsed;
    if (!reopenButton.hidden) setText(text, t("absence.waiting", { name, time }));
    else if (!waitButton.hidden) setText(text, t("absence.choose", { name, time }));
    else if (remaining !== null && remaining > 0) setText(text, t("absence.countdown", { name, time: waitingTime(remaining) }));
    else setText(text, t("absence.away", { name }));
  }

  return { element, draw, tick };
}

/** Create the prompt to let the engine take an empty seat. In an open room it appears after OPEN_ROOM_DELAY_MS. @param {SendCommand} sendCommand */
export function createEngineOffer(sendCommand) {
  /** @type {RoomState|null} */
  let state = null;
  const text = h("p", { text: t("engine.offer") });
  const level = labelledSelect(t("start.level"), []);
  const engineButton = button("", () => {
    const mark = emptySeat();
    if (mark) void sendCommand({ type: "seat_engine", mark, level: level.select.value });
  });
  const element = h("div", { class: "notice", hidden: true }, text, h("span", { class: "pair" }, level.element, engineButton));

  function emptySeat() {
    if (!state || state.passAndPlay) return null;
    const { view, you } = state;
    return /** @type {Mark[]} */ (choicesOf(you, "seat_engine")).find((mark) => view.seats[mark] === null) ?? null;
  }

  function tick() {
    const mark = emptySeat();
    const isOpen = state?.view.join === "open";
    const isEarly = isOpen && state !== null && state.now() < state.view.created_ms + OPEN_ROOM_DELAY_MS;
    show(element, mark !== null && !isEarly);
    show(text, isOpen);
    if (mark) setText(engineButton, t("command.engine", { mark }));
  }

  return {
    element,
    tick,
    /** @param {RoomState} newState */
    draw(newState) {
      state = newState;
      setOptions(level.select, levelOptions(newState.variant), level.select.value || defaultLevel(newState.variant));
      tick();
    },
  };
}
