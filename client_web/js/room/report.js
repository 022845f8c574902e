import { reviewSentence } from "../board/mistakes.js";
import { announce, notify, toast } from "../browser/notices.js";
import { playSound } from "../browser/sound.js";
import { can, hasStandIn, MARKS } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { isOver, nextVariantOf, variantOf } from "./state.js";
import { announcement, statusText, toastText } from "./text.js";
import { seatName, authorName } from "../texts/names.js";

/**
 * How the page reports a change that it also draws: in words for screen readers, with a sound, in the title and
 * the icon.
 */

/** @import { ChatMessage, RoomEvent, RoomMessage } from "../net/messages.js" */
/** @import { Message, OpenState, RoomState } from "./state.js" */

/** How long a player who leaves can change their mind. */
export const LEAVE_MS = 5000;

/** Return whether the player is to move, and has not moved yet. @param {OpenState} state */
export const isYourTurn = ({ view, you, passAndPlay, move }) =>
  !passAndPlay &&
  move === null &&
  view.phase === "playing" &&
  can(you, "move") &&
  view.game?.turn === you.mark &&
  !hasStandIn(view, you);

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

/** Return a function that reports each change, and one that takes the title and the icon back. */
export function createRoomReport() {
  /** @param {RoomState} before @param {OpenState} state @param {Message} message */
  function report(before, state, message) {
    if (message.type === "room" && state.view !== before.view) reportRoom(before, state, message);
    if (message.type === "chat" && before.hasHistory) reportLines(before, state, message);
    if (message.type === "crowd") reportPresence(before, state);
    if (message.type === "analysis" && !state.reviewing) reportReview(state);
    if (message.type === "leave" && state.leavesAt !== null)
      announce(t("leave.soon", { n: Math.round(LEAVE_MS / 1000) }));
    if (before.stoppedAt !== null && state.stoppedAt === null) announce(t("connection.restored"));
    const isTurn = isYourTurn(state);
    const newLines = state.newLines ? `(${state.newLines}) ` : "";
    const name = variantOf(state)?.name ?? state.view.variant;
    document.title = `${newLines}${isTurn ? t("title.your_turn") : statusText(state)} · ${name}`;
    setTurnIcon(isTurn ? state.you.mark : null, state.newLines > 0);
  }

  /** @param {RoomState} before @param {OpenState} state @param {RoomMessage} message */
  function reportRoom(before, state, { event, version }) {
    if (!before.view) {
      announce(statusText(state));
      return;
    }
    if (version === before.version) return;
    const toastSentence = state.passAndPlay ? "" : toastText(state, event, before.view);
    if (toastSentence) toast(toastSentence);
    else announce(announcement(state, event));
    const sound = soundOf(before, state, event);
    if (sound) playSound(sound);
    if (isYourTurn(state) && !isYourTurn({ .../** @type {OpenState} */ (before) })) {
      playSound("turn");
      notify(t("title.your_turn"), nextVariantOf(state)?.name ?? "");
    } else if (event?.type === "sat" && event.mark !== state.you.mark) notify(announcement(state, event));
    else if (isOver(state) && !isOver(before)) notify(statusText(state));
  }

  /** @param {RoomState} before @param {OpenState} state @param {ChatMessage} message */
  function reportLines(before, state, { lines }) {
    const numbers = new Set(before.lines.map(({ n }) => n));
    for (const { n, from, text } of lines) {
      if (!numbers.has(n) && !state.muted.has(from.player)) announce(t("chat.line", { name: authorName(from), text }));
    }
    if (state.newLines > before.newLines) playSound("chat");
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
  function reportReview({ view, analysis }) {
    const outcome = view.game?.outcome;
    if (!outcome || !analysis) return;
    const { key, values } = reviewSentence(analysis, view.game?.moves ?? [], outcome);
    announce(t(key, values));
  }

  report.dispose = () => setTurnIcon(null, false);
  return report;
}

/**
 * The page's icon, drawn here: the mark of the player whose turn it is, with a dot for chat lines that are out of
 * sight.
 */

const X_PATH = "<path d='M9 9 23 23M23 9 9 23' stroke='#2257c4'/>";
const O_PATH = "<circle cx='16' cy='16' r='8' stroke='#c9420f'/>";
const SMALL = "<path d='M4 11 12 21M12 11 4 21' stroke='#2257c4'/><circle cx='23' cy='16' r='5.500' stroke='#c9420f'/>";
const DOT = "<circle cx='27' cy='5' r='5' fill='#b3261e' stroke='none'/>";

let shown = " false"; // the icon of the HTML: both marks
let original = "";

/** @param {import("../net/messages.js").Mark|null} mark null shows both marks @param {boolean} hasNewLines */
function setTurnIcon(mark, hasNewLines) {
  const key = `${mark ?? ""} ${hasNewLines}`;
  const link = document.querySelector("link[rel=icon]");
  if (!link || key === shown) return;
  original ||= link.getAttribute("href") ?? "";
  shown = key;
  const ground = mark ? "<rect width='32' height='32' rx='8' fill='#fffefb'/>" : "";
  const picture = mark === "X" ? X_PATH : mark === "O" ? O_PATH : SMALL;
  const strokes = `fill='none' stroke-width='${mark ? 5 : 3}' stroke-linecap='round'`;
  const icon =
    `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>` +
    `<g ${strokes}>${ground}${picture}${hasNewLines ? DOT : ""}</g></svg>`;
  link.setAttribute("href", mark || hasNewLines ? "data:image/svg+xml," + encodeURIComponent(icon) : original);
}
