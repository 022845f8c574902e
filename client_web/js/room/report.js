import { sentenceText } from "../board/cell_text.js";
import { announce, isPushOn, notify, toast, voice } from "../browser/toasts.js";
import { playSound } from "../browser/sound.js";
import { can, hasStandIn, isDays, MARKS, opponentOf } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { isOver, nextVariantOf, showsChat, variantOf } from "./state.js";
import { announcement, endOf, statusText, toastText } from "./text.js";
import { seatName, authorName } from "../texts/names.js";

/**
 * How the page reports a change that it also draws: in words for screen readers, with a sound and in the title.
 */

/** @import { ChatMessage, RoomEvent, RoomMessage } from "../net/messages.js" */
/** @import { Message, OpenState, RoomState } from "./state.js" */

const SOFT_DOUBLE_MS = [30, 90, 30]; // of vibration, for a win

/** Return whether the player is to move, and has not moved yet. @param {OpenState} state */
export const isYourTurn = ({ view, you, passAndPlay, move }) =>
  !passAndPlay &&
  move === null &&
  view.phase === "playing" &&
  can(you, "move") &&
  view.game?.turn === you.mark &&
  !hasStandIn(view, you);

/** Return whether the screen should stay on: a clock runs, or the opponent's move is awaited. @param {RoomState} state */
export const isWatched = ({ view, you }) =>
  view?.phase === "playing" &&
  you.mark !== null &&
  !isDays(view) &&
  (view.clock !== null || view.game?.turn !== you.mark);

/**
 * Return the sound of a room message, or null.
 * @param {RoomState} before
 * @param {OpenState} state
 * @param {RoomEvent|null} event
 */
function soundOf(before, { view, you, passAndPlay }, event) {
  const outcome = view.game?.outcome;
  switch (event?.type) {
    case "moved":
      return view.game?.turn === "O" ? "X" : "O";
    case "started":
      return "started";
    case "ended":
      return you.mark && outcome?.winner && !passAndPlay ? (outcome.winner === you.mark ? "won" : "lost") : "ended";
    case "offered":
      return view.offers.some(({ by }) => by !== you.mark) ? "offer" : null;
    case "sat":
      return before.view ? "arrival" : null;
    default:
      return null;
  }
}

/** Return the person who takes the other seat before the first game, while you wait in yours, or null. @param {RoomState} before @param {OpenState} state */
function arrivalOf(before, { view, you, passAndPlay }) {
  const isAwaited = before.view?.game === null && before.you.mark !== null && !passAndPlay;
  const seat = isAwaited && you.mark && view.game && view.seats[opponentOf(you.mark)];
  return seat && seat.kind === "human" ? seat : null;
}

/** Report a change. @param {RoomState} before @param {OpenState} state @param {Message} message */
export function reportChange(before, state, message) {
  if (message.type === "room" && state.view !== before.view) reportRoom(before, state, message);
  if (message.type === "chat") reportLines(before, state, message);
  if (message.type === "crowd") reportPresence(before, state);
  if (message.type === "analysis" && state.reviewed === null) reportReview(state);
  if (before.stoppedAt !== null && state.stoppedAt === null) announce(t("connection.restored"));
  const isTurn = isYourTurn(state);
  const newLines = state.newLines ? `(${state.newLines}) ` : "";
  const name = variantOf(state)?.name ?? state.view.variant;
  document.title = `${newLines}${isTurn ? t("title.your_turn") : statusText(state)} · ${name}`;
}

/** @param {RoomState} before @param {OpenState} state @param {RoomMessage} message */
function reportRoom(before, state, { event, version }) {
  if (!before.view) {
    announce(statusText(state));
    return;
  }
  if (version === before.version) return;
  const friend = arrivalOf(before, state);
  if (friend) {
    const text = t("event.here", { name: seatName(friend) });
    if (!state.knocks) toast(text); // then it is over the board
    announce(`${text} ${statusText(state)}`);
    playSound("arrival");
    notify(text, nextVariantOf(state)?.name ?? "");
    voice.pass(text, "arrival");
    return;
  }
  const toastSentence = state.passAndPlay ? "" : toastText(state, event, before.view);
  if (toastSentence) toast(toastSentence);
  else announce(announcement(state, event));
  const sound = soundOf(before, state, event);
  if (sound) playSound(sound);
  const game = state.view.game;
  if (event?.type === "ended" && game?.outcome?.cells.length) playSound(game.marks[game.moves.at(-1) ?? ""] ?? "X");
  if (sound === "won") navigator.vibrate?.(SOFT_DOUBLE_MS);
  if (isYourTurn(state) && !isYourTurn({ .../** @type {OpenState} */ (before) })) {
    const opponent = state.view.seats[opponentOf(state.you.mark ?? "X")];
    playSound("turn");
    if (opponent?.kind === "human") voice.pass(t("push.turn", { name: seatName(opponent) }), "turn");
    if (!isPushOn() || !isDays(state.view)) notify(t("title.your_turn"), nextVariantOf(state)?.name ?? "");
  } else if (event?.type === "sat" && event.mark !== state.you.mark) notify(announcement(state, event));
  else if (isOver(state) && !isOver(before)) notify(statusText(state));
}

/**
 * Return the chat lines that are new, by authors who are not muted. The first chat message holds the lines from before.
 * @param {RoomState} before @param {ChatMessage} message
 */
export function audibleLines({ hasHistory, lines, muted }, message) {
  const numbers = new Set(lines.map(({ n }) => n));
  return hasHistory ? message.lines.filter(({ n, from }) => !numbers.has(n) && !muted.has(from.player)) : [];
}

/** @param {RoomState} before @param {OpenState} state @param {ChatMessage} message */
function reportLines(before, state, message) {
  const lines = audibleLines(before, message);
  for (const { from, text } of lines) announce(t("chat.line", { name: authorName(from), text }));
  if (!showsChat(state) && lines.some(({ from }) => from.player !== state.player)) playSound("chat");
}

/** Say once that a player is away, or back. @param {RoomState} before @param {OpenState} state */
function reportPresence(before, { view, you, crowd, passAndPlay }) {
  for (const mark of MARKS) {
    const [was, is] = [before.crowd?.seats[mark]?.present, crowd?.seats[mark]?.present];
    if (passAndPlay || mark === you.mark || was === undefined || is === undefined || was === is) continue;
    announce(t(is ? "event.back" : "absence.away", { name: seatName(view.seats[mark]) }));
  }
}

/** Say what the analysis says about a game that is over. @param {OpenState} state */
function reportReview(state) {
  const sentences = endOf(state).map(({ text }) => sentenceText(text));
  if (state.analysis) announce(sentences.join(" "));
}
