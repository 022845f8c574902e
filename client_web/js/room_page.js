import { createAnalysis } from "./analysis.js";
import { isSlanted } from "./board_settings.js";
import { loadMuted } from "./chat_mutes.js";
import { newCommandId } from "./connection.js";
import { h } from "./dom.js";
import { takeNewRoom } from "./first_move.js";
import * as guest from "./guest.js";
import { connectAsGuest } from "./guest_connection.js";
import { rejectionText, t } from "./i18n.js";
import { dropMove, fateOf, keepMove, loadMove } from "./kept_move.js";
import { announce, warn } from "./notices.js";
import { connectPassAndPlay, deleteTokens, loadTokens } from "./pass_and_play.js";
import { handleRoomKey } from "./room_keys.js";
import { createRoomReport, LEAVE_MS } from "./room_report.js";
import { authorName } from "./room_text.js";
import { createRoomState, update } from "./room_state.js";
import { createRoomView } from "./room_view.js";
import { loadInvite, saveLastRoom } from "./stored_rooms.js";
import * as urls from "./urls.js";
import { loadVariants } from "./variants.js";
import { can } from "./view.js";

/**
 * The page of a room. Everything that happens is a message to one state object: from the server, and from the player.
 * The page draws from the state once a frame, so a lost, late or repeated message does no harm.
 */

/** @typedef {import("./messages.js").Command} Command */
/** @typedef {import("./messages.js").Answer} Answer */
/** @typedef {import("./room_state.js").OpenState} OpenState */
/** @typedef {import("./room_state.js").Message} Message */
/** @typedef {import("./connection.js").Status} Status */

const RETRY_MS = 2000;
const UNAUTHORIZED = 4401;
const NOT_FOUND = 4404;
const CLOSED = 4410;

/**
 * @param {{root: HTMLElement, id: string, navigate: (path: string) => void}} options
 * @returns {() => void} closes the page
 */
export function roomPage({ root, id, navigate }) {
  const tokens = loadTokens(id);
  let state = createRoomState({
    id,
    passAndPlay: tokens !== null,
    invite: loadInvite(id),
    muted: loadMuted(),
    slanted: isSlanted(),
  });
  let disposed = false;
  let frame = 0;
  /** A move of before a reload that is not yet dealt with. */
  let keptMove = loadMove(id);
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let leaveTimer;

  const analysis = createAnalysis({ id, dispatch });
  const view = createRoomView({ id, sendCommand, dispatch, play, sit, leave, now: () => connection.now() });
  const report = createRoomReport();
  root.replaceChildren(view.element);

  const connection = tokens
    ? connectPassAndPlay({ id, tokens, onMessage: receive, onStatus })
    : connectAsGuest({ id, onMessage: receive, onStatus });
  const removeGuestListener = guest.onChange(queueDraw);
  /** @param {KeyboardEvent} event */
  const onKey = (event) =>
    handleRoomKey(event, state, { dispatch, playAgain: view.playAgain, enterCell: view.enterCell });
  document.addEventListener("keydown", onKey);
  const newRoom = takeNewRoom(id);
  if (newRoom) {
    dispatch({ type: "room", version: newRoom.view.version, event: null, you: newRoom.you, room: newRoom.view });
    if (newRoom.cell) void play(newRoom.cell); // the connection sends it as soon as it is open
  }
  void fetchVariants();

  /** Change the state, and let the page follow. @param {Message} message */
  function dispatch(message) {
    if (disposed) return;
    const before = state;
    state = update(state, message);
    if (state === before) return;
    if (state.view) report(before, /** @type {OpenState} */ (state), message);
    analysis.follow(state);
    if (state.view && state.you !== before.you)
      saveLastRoom(id, state.you.mark !== null && state.view.phase !== "closed");
    queueDraw();
  }

  /** Draw in the next frame: once for all messages that arrive before it. */
  function queueDraw() {
    if (frame || disposed) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (!disposed) view.draw(state);
    });
  }

  async function fetchVariants() {
    try {
      dispatch({ type: "variants", variants: await loadVariants() });
    } catch {
      if (!disposed) setTimeout(fetchVariants, RETRY_MS);
    }
  }

  /** @param {any} message of the server */
  function receive(message) {
    if (disposed) return;
    if (message.type === "reaction") {
      if (state.muted.has(message.from.player)) return;
      view.showReaction(message);
      announce(t("chat.reacted", { name: authorName(message.from), emoji: message.emoji }));
      return;
    }
    dispatch(message.type === "crowd" ? { ...message, at_ms: connection.now() } : message);
    if (keptMove && message.type === "room") resumeMove(keptMove, message);
  }

  /**
   * Play the move of before a reload, or say that it came too late.
   * @param {import("./kept_move.js").SentMove} move
   * @param {any} message
   */
  function resumeMove(move, { room, you }) {
    const fate = fateOf(move, room, you);
    if (fate === "wait") return;
    keptMove = null;
    if (fate === "send") void sendMove(move);
    else dropMove(id, move);
    if (fate === "late") warn(t("move.late", { cell: move.cell }));
  }

  /** @param {Status} status */
  function onStatus(status) {
    if (disposed) return;
    dispatch({ type: "connection", status, at_ms: connection.now() });
    const { state: name, code } = status;
    if (name !== "ended") return;
    if (code === NOT_FOUND || code === CLOSED) saveLastRoom(id, false);
    if (code === NOT_FOUND || code === CLOSED || code === UNAUTHORIZED) deleteTokens(id);
    if (code === NOT_FOUND) {
      root.replaceChildren(createUnknownRoom());
      document.title = `${t("room.unknown")} · ${t("app.name")}`;
    } else if (code === UNAUTHORIZED) navigate(urls.room(id));
  }

  /** @param {Command} command @returns {Promise<Answer>} */
  async function sendCommand(command) {
    try {
      const answer = await connection.send(command);
      if (!answer.ok && answer.message) warn(rejectionText(answer));
      return answer;
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      warn(message);
      return { ok: false, code: "unreachable", message };
    }
  }

  /** @param {import("./messages.js").Mark} mark @param {string} name */
  async function sit(mark, name) {
    try {
      if (name && guest.player()?.name !== name) await guest.rename(name);
    } catch (error) {
      warn(/** @type {Error} */ (error).message);
      return;
    }
    await sendCommand({ type: "sit", mark, ...(state.invite ? { invite: state.invite } : {}) });
  }

  /** @param {string} cell */
  async function play(cell) {
    const game = state.view?.game;
    if (game) await sendMove({ cell, ply: game.moves.length, game: game.number, id: newCommandId() });
  }

  /** Send a move, and keep it until it is answered. @param {import("./kept_move.js").SentMove} move */
  async function sendMove(move) {
    keepMove(id, move);
    dispatch({ type: "move", move });
    const answer = await sendCommand({ type: "move", ...move });
    if (answer.ok || answer.code !== "closed") dropMove(id, move);
    dispatch({ type: "answer", move, answer });
  }

  /** Leave the seat in LEAVE_MS, unless the player changes their mind. */
  function leave() {
    dispatch({ type: "leave", at_ms: connection.now() + LEAVE_MS });
    clearTimeout(leaveTimer);
    leaveTimer = setTimeout(sendLeave, LEAVE_MS);
  }

  function sendLeave() {
    if (state.leavesAt === null) return;
    dispatch({ type: "leave", at_ms: null });
    if (can(state.you, "stand")) void sendCommand({ type: "stand" });
  }

  return () => {
    sendLeave();
    disposed = true;
    clearTimeout(leaveTimer);
    cancelAnimationFrame(frame);
    document.removeEventListener("keydown", onKey);
    removeGuestListener();
    view.dispose();
    report.dispose();
    connection.close();
  };
}

function createUnknownRoom() {
  return h(
    "section",
    { class: "page-note" },
    h("h1", { tabindex: -1, text: t("room.unknown") }),
    h("p", { text: t("room.unknown.why") }),
    h("a", { class: "button primary", href: urls.home(), "data-page-link": "", text: t("room.new") }),
  );
}
