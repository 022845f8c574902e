import { cellMark, cellText } from "../board/cell_text.js";
import { endSentences, valuesOf, wasClose } from "../board/mistakes.js";
import { bothAreEngines, hasStandIn, isDays, MARKS, openSeat, opponentOf, seatKey, winsOf } from "../net/view.js";
import { t, textOfName } from "../texts/i18n.js";
import { isQueued, variantOf } from "./state.js";
import { seatName } from "../texts/names.js";

/** Sentences about a room: pure functions of its newest message. */

/** @import { Shown } from "../board/chip.js" */
/** @import { Sentence } from "../board/mistakes.js" */
/** @import { Mark, View, You } from "../net/messages.js" */
/** @import { OpenState } from "./state.js" */

/** Return the name of a player. Two engines have one name, so their marks tell them apart. @param {Mark} mark @param {View} view */
const nameIn = (mark, view) => (bothAreEngines(view) ? mark : seatName(view.seats[mark]));

/** @param {Mark} mark @param {View} view */
const nameAndMark = (mark, view) => ({ name: nameIn(mark, view), mark });

/** Return how a game ended, or "" if the board shows it. @param {{winner: Mark|null, reason: string}} outcome */
export function outcomeReason({ winner, reason: name }) {
  if (name === "line") return "";
  const key = name === "abandoned" && !winner ? "abandoned.draw" : name;
  return textOfName("reason.", key, winner ? { winner, loser: opponentOf(winner) } : {});
}

/** Return the outcome in a few words, to the person who looks. @param {OpenState} state */
export function headline({ view, you, passAndPlay, analysis }) {
  const game = view.game;
  const outcome = game?.outcome;
  if (!outcome) return "";
  if (outcome.reason === "aborted") return t("outcome.aborted");
  if (view.series?.over) return seriesText(view, passAndPlay ? null : you.mark);
  const isYours = you.mark !== null && !passAndPlay;
  if (!outcome.winner) return t(isYours ? "outcome.you.draw" : "outcome.draw");
  if (!isYours) return t("outcome.win", nameAndMark(outcome.winner, view));
  if (outcome.winner === you.mark) return t("outcome.you.win");
  return t(wasClose(analysis, game.moves, outcome) ? "outcome.you.close" : "outcome.you.lose");
}

/** Return who has won the series. @param {View} view @param {Mark|null} you */
function seriesText(view, you) {
  const winner = MARKS.find((mark) => seatKey(view.seats[mark]) === view.series?.winner);
  if (!winner) return t("series.even");
  return winner === you ? t("series.won.you") : t("series.won", nameAndMark(winner, view));
}

/**
 * Return what to say about a game that is over, sentence by sentence: that the board does not show why it is drawn, that it ends a
 * series which no side has won, what the first move is worth under the swap rule, and what decided the game.
 * @param {OpenState} state @returns {Shown[]}
 */
export function endOf(state) {
  const { view, you, passAndPlay, analysis } = state;
  const { game, series } = view;
  const outcome = game?.outcome;
  if (!outcome) return [];
  const nameOf = (/** @type {Mark} */ mark) => nameIn(mark, view);
  const people = { you: passAndPlay ? null : you.mark, nameOf, variant: variantOf(state) };
  const sentences = shownSentences(endSentences(analysis, game.moves, outcome, people));
  const [cell = ""] = game.moves;
  const first = view.swap && analysis && !game.from ? valuesOf(analysis, null)[1] : null;
  if (first) sentences.unshift({ text: t(`swap.${first}`, { cell: cellMark(cell) }), ply: 1 });
  if (series?.over && series.first_to > Math.max(...MARKS.map((mark) => winsOf(view, mark))))
    sentences.unshift({ text: t("series.full", { n: series.first_to, games: series.games }) });
  const reason = outcomeReason(outcome);
  if (!outcome.winner && !/full|agree|aborted/.test(outcome.reason))
    sentences.unshift({ text: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` });
  return sentences;
}

/** @param {Sentence[]} sentences @returns {Shown[]} */
export const shownSentences = (sentences) =>
  sentences.map(({ key, values }) => ({ text: t(key, values), ply: Number(values["ply"] ?? 0) }));

/** Return which mark won, where there are no players. @param {{winner: Mark|null, reason: string}} outcome */
export function markHeadline({ winner, reason }) {
  if (reason === "aborted") return t("outcome.aborted");
  return winner ? t("outcome.mark", { mark: winner }) : t("outcome.draw");
}

/** @param {OpenState} state */
function outcomeText(state) {
  const outcome = state.view.game?.outcome;
  return outcome ? withReason(headline(state), outcomeReason(outcome)) : "";
}

/** Join an outcome with how it came about. @param {string} outcome @param {string} reason */
export const withReason = (outcome, reason) => (reason ? t("outcome.sentence", { outcome, reason }) : outcome + ".");

/** Return what is wrong with the connection, or "". @param {import("./state.js").RoomState} state */
export function connectionText(state) {
  const { connection, view } = state;
  if (connection.state === "ended") return view ? "" : t("room.closed");
  if (connection.state === "open") return "";
  if (connection.blocked) return t("connection.blocked");
  if (connection.state === "connecting") return t("connection.connecting");
  return t(`connection.${connection.state}${isQueued(state) ? ".kept" : ""}`);
}

/** Return the sentence below the board. @param {OpenState} state */
export function statusText(state) {
  const { view, you, passAndPlay } = state;
  if (view.phase === "closed") return t("room.closed");
  const game = view.game;
  if (view.phase === "playing" && game?.turn) {
    const turn = state.move ? opponentOf(game.turn) : game.turn; // a move that is sent is your move
    const seat = view.seats[turn];
    const isYours = turn === you.mark;
    let text;
    if (isYours && !passAndPlay) text = hasStandIn(view, you) ? t("turn.stand_in") : t("turn.you");
    else text = t(seat?.kind === "engine" ? "turn.engine" : "turn.player", nameAndMark(turn, view));
    return game.boards && !state.move ? `${text} ${boardText(game, isYours && !hasStandIn(view, you))}` : text;
  }
  if (passAndPlay && view.phase === "waiting") return t("connection.connecting"); // the second player sits down by itself
  const outcome = outcomeText(state);
  if (outcome)
    return view.phase === "finished" && bothAreEngines(view) ? `${outcome} ${t("waiting.engines")}` : outcome;
  if (view.game === null && openSeat(state)) return t(view.join === "open" ? "invite.title.open" : "invite.title");
  if (view.phase !== "waiting" || !you.mark) return t("waiting.seats");
  return view.join === "open" ? t("waiting.anyone") : t("waiting.friend");
}

/**
 * Return the small board of the next move in ultimate.
 * @param {import("../net/messages.js").Game} game
 * @param {boolean} isYours
 */
function boardText({ forced }, isYours) {
  const isForced = forced !== null && forced !== undefined;
  const board = isForced ? textOfName("board.name.", String(forced)) : "";
  if (isYours) return t(isForced ? "turn.you.one_board" : "turn.you.any_board", { board });
  return t(isForced ? "turn.one_board" : "turn.any_board", { board });
}

/**
 * Return what a screen reader says about a change.
 * @param {OpenState} state
 * @param {import("../net/messages.js").RoomEvent|null} event
 */
export function announcement(state, event) {
  if (!event) return "";
  const { view, you } = state;
  const status = statusText(state);
  const outcome = view.game?.outcome;
  const offer = view.offers.at(-1);
  const seat = () => ("mark" in event && event.mark ? seatText(event.mark, view) : status);
  const isByMove = outcome?.cells.length || outcome?.reason === "full_board";
  /** @type {Record<string, () => string>} */
  const sentences = {
    moved: () => `${lastMoveText(view)} ${status}`,
    ended: () => (isByMove ? `${lastMoveText(view)} ${status}` : status),
    started: () => `${t("event.started")} ${status}`,
    offered: () => (offer ? offerText(offer, view, you) : ""),
    took_back: () => `${t("event.took_back")} ${status}`,
    swapped: () => `${t("event.swapped")} ${status}`,
    time_given: () => timeGivenText(/** @type {{type: string}} */ (event), view),
    sat: seat,
    engine_seated: seat,
    stood: seat,
    claimable: () => (you.can.some((entry) => entry.startsWith("claim:")) ? t("event.claimable") : ""),
    closed: () => status,
  };
  return sentences[event.type]?.() ?? textOfName("event.", event.type);
}

/**
 * Return a sentence to show for a change that is seen nowhere else on the page, or "".
 * @param {OpenState} state @param {import("../net/messages.js").RoomEvent|null} event @param {View} before
 */
export function toastText({ view, you }, event, before) {
  if (event?.type === "declined") return you.mark && event.by !== you.mark ? t("event.declined.yours") : "";
  if (event?.type === "swapped") return t("event.swapped");
  if (event?.type === "time_given") return timeGivenText(event, view);
  if (event?.type !== "settings") return "";
  if (before.owner !== view.owner) return you.owner ? t("event.owner.you") : "";
  return you.owner ? "" : t("event.settings");
}

/** @param {{type: string, by?: Mark}} event @param {View} view */
const timeGivenText = ({ by }, view) =>
  `${seatName(view.seats[by === "X" ? "O" : "X"])}: ${t(isDays(view) ? "gift.day" : "gift.time")}`;

/** @param {Mark} mark @param {View} view */
function seatText(mark, view) {
  return t(view.seats[mark] ? "event.sat" : "event.stood", nameAndMark(mark, view));
}

/** @param {View} view */
function lastMoveText(view) {
  const cell = view.game?.moves.at(-1);
  const mark = view.game?.marks[cell ?? ""] ?? opponentOf(view.game?.turn ?? "X");
  return cell ? t("event.moved", { cell: cellText(cell), mark }) : "";
}

/** @param {import("../net/messages.js").OpenOffer} offer @param {View} view @param {You} you */
export function offerText(offer, view, you) {
  return offer.by === you.mark
    ? t(`offer.yours.${offer.what}`)
    : t(`offer.theirs.${offer.what}`, { name: seatName(view.seats[offer.by]) });
}
