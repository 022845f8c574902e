import { can, canInvite, isDays, marksFor, hasStandIn, MARKS, openSeat, opponentOf } from "../net/view.js";
import { plural, t } from "../texts/i18n.js";
import { waitingTime } from "../texts/times.js";
import { offerText } from "./text.js";
import { seatName } from "../texts/names.js";

/**
 * The one prompt that a player sees below the board: what they have to answer, or wait for. Pure functions of the
 * state, so a prompt cannot outlive what it is about. Its rectangle is always there: nothing moves when a prompt comes.
 */

/** @import { Command, Mark } from "../net/messages.js" */
/** @import { Message, OpenState } from "./state.js" */

/**
 * @typedef {{key: string, label: string, isPrimary?: boolean, command?: Command, message?: Message, engineSeat?: Mark,
 *   cell?: string}} Choice
 *   A choice sends a command, plays a cell, or changes the state of the page. `engineSeat`
 *   is where it seats the engine, at the level that the player chooses.
 * @typedef {{key: string, text: string, choices: Choice[], more: Choice[]}} Prompt
 *   `more` are choices for a dialog, because the bar has no room for them.
 */

/** @param {string} key @param {string} text @param {Choice[]} [choices] @param {Choice[]} [more] @returns {Prompt} */
export const prompt = (key, text, choices = [], more = []) => ({ key, text, choices, more });

/**
 * Return the prompt to show now, or null.
 * @param {OpenState} state
 * @param {number} now the server's time in ms
 * @returns {Prompt|null}
 */
export function promptOf(state, now) {
  if (state.view.phase === "closed") return null;
  return (
    confirmPrompt(state) ??
    swapPrompt(state) ??
    offerPrompt(state) ??
    standInPrompt(state) ??
    absencePrompt(state, now) ??
    stepPrompt(state) ??
    (state.view.phase === "playing" ? state.ownPrompt : null) ??
    engineOfferPrompt(state) ??
    spectatorPrompt(state)
  );
}

/** Return whether the prompt counts time. @param {OpenState} state */
export const promptCounts = (state) => absenceOf(state) !== null;

/** Offer a button for the second touch of a large board. @param {OpenState} state */
function confirmPrompt({ tapped }) {
  return tapped === null
    ? null
    : prompt("confirm", "", [{ key: "play", label: t("prompt.play"), isPrimary: true, cell: tapped }]);
}

/** Let O choose a side after the first move. @param {OpenState} state */
function swapPrompt({ view, you, keptSides }) {
  const game = view.game?.number;
  if (!can(you, "swap") || game === undefined || keptSides === game) return null;
  return prompt("swap", "", [
    { key: "swap", label: t("swap.take"), isPrimary: true, command: { type: "swap", ply: 1, game } },
    { key: "keep", label: t("swap.keep"), message: { type: "keep_sides", game } },
  ]);
}

/** @param {OpenState} state */
function offerPrompt({ view, you, passAndPlay }) {
  if (passAndPlay) return null;
  const offer = view.offers.find(({ by }) => by !== you.mark) ?? view.offers[0];
  if (!offer || (!you.mark && offer.what !== "rematch")) return null;
  const { what } = offer;
  /** @param {boolean} accept @returns {Command} */
  const answer = (accept) => ({ type: "answer", what, accept, game: view.game?.number });
  const text = offerText(offer, view, you);
  if (!you.mark) return prompt("offer." + what, text);
  if (offer.by === you.mark)
    return prompt(`own.${what}`, text, [{ key: "withdraw", label: t("offer.withdraw"), command: answer(false) }]);
  const accept = { key: "accept", label: t("offer.accept"), isPrimary: true, command: answer(true) };
  const decline = { key: "decline", label: t("offer.decline"), command: answer(false) };
  return prompt("offer." + what, text, what === "rematch" ? [decline] : [accept, decline]); // Rematch has its own button
}

/** @param {OpenState} state */
function standInPrompt({ view, you }) {
  const { mark } = you;
  if (!mark || !hasStandIn(view, you) || !marksFor(you, "sit").includes(mark)) return null;
  return prompt("stand-in", t("turn.stand_in"), [
    { key: "return", label: t("command.sit.return"), isPrimary: true, command: { type: "sit", mark } },
  ]);
}

/** Return who is away and what can be done about it, or null. @param {OpenState} state */
function absenceOf({ view, you, crowd, passAndPlay }) {
  const opponent = you.mark ? opponentOf(you.mark) : null;
  if (passAndPlay || !opponent || view.seats[opponent]?.kind !== "human" || hasStandIn(view, you)) return null;
  const presence = crowd?.seats[opponent] ?? null;
  const game = view.game?.number;
  /** @param {"win"|"draw"} what @returns {Choice} */
  const claim = (what) => ({ key: what, label: t(`absence.${what}`), command: { type: "claim", what, game } });
  /** @type {Choice[]} */
  const choices = [];
  if (can(you, "claim:win")) choices.push({ ...claim("win"), isPrimary: true });
  if (can(you, "claim:draw")) choices.push(claim("draw"));
  if (can(you, "seat_engine:" + opponent))
    choices.push({ key: "engine", label: t("absence.engine"), engineSeat: opponent });
  return choices.length || presence?.present === false ? { opponent, presence, choices } : null;
}

/** @param {OpenState} state @param {number} now */
function absencePrompt(state, now) {
  const absence = absenceOf(state);
  if (!absence || state.view.phase !== "playing") return null;
  const { opponent, presence, choices } = absence;
  const elapsed = Math.max(0, now - state.crowdAt);
  const values = { name: seatName(state.view.seats[opponent]), time: waitingTime((presence?.away_ms ?? 0) + elapsed) };
  if (choices.length) return prompt("absence", t("absence.choose", values), [], choices);
  const claimableIn = presence?.claimable_in_ms ?? null;
  if (claimableIn === null && isDays(state.view)) return null; // there the players are away most of the time
  if (claimableIn === null || claimableIn <= elapsed) return prompt("absence", t("absence.away", values));
  const text = state.view.tournament ? "absence.countdown.claim" : "absence.countdown";
  return prompt("absence", t(text, { ...values, time: waitingTime(claimableIn - elapsed) }));
}

/** Tell who looks at an earlier ply how far the game has gone on. @param {OpenState} state */
function stepPrompt({ view, step, seenPly, reviewed }) {
  if (step === null || reviewed !== null) return null;
  const count = (view.game?.moves.length ?? 0) - seenPly;
  const text = count > 0 ? plural("step.new", count) : t("step.back");
  return prompt("step", text, [
    { key: "now", label: t("step.now"), isPrimary: true, message: { type: "step", ply: null } },
  ]);
}

/** @param {OpenState} state */
function engineOfferPrompt(state) {
  const { view, you, passAndPlay } = state;
  if (passAndPlay) return null;
  const mark = marksFor(you, "seat_engine").find((seat) => view.seats[seat] === null);
  if (!mark || (view.game === null && view.join !== "open")) return null;
  /** @type {Choice} */
  const engine = { key: "engine", label: t("command.engine"), isPrimary: true, engineSeat: mark };
  /** @type {Choice} */
  const friend = { key: "friend", label: t("sheet.invite"), message: { type: "sheet", sheet: "invite" } };
  return prompt("engine", t("engine.offer"), [], canInvite(state) ? [engine, friend] : [engine]);
}

/** Tell spectators that they watch, and let them sit down where the room lets them. @param {OpenState} state */
function spectatorPrompt(state) {
  const { view, you, invite, passAndPlay } = state;
  if (passAndPlay || you.mark) return null;
  const hasCard = view.game === null; // the invitation has the button then
  if (hasCard && openSeat(state)) return null;
  const open = marksFor(you, "sit")
    .filter((mark) => (view.seats[mark] === null ? !hasCard : view.seats[mark]?.kind === "engine"))
    .filter(() => view.join === "open" || invite !== null || you.owner);
  const choices = open.map((mark) => ({
    key: "sit" + mark,
    label: t("invite.sit", { mark }),
    command: /** @type {const} */ ({ type: "sit", mark, ...(invite ? { invite } : {}) }),
  }));
  const isFull = invite !== null && !you.owner && MARKS.every((mark) => view.seats[mark] !== null);
  const needsInvite = view.join === "invite" && invite === null && MARKS.some((mark) => view.seats[mark] === null);
  return prompt(
    "spectator",
    t(isFull && !choices.length ? "invite.full" : needsInvite ? "invite.needed" : "room.watching"),
    choices,
  );
}
