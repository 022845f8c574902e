import { reasonOf, warnOnError } from "../net/failures.js";
import { hasModifier } from "../browser/dom.js";
import { announce, warn } from "../browser/toasts.js";
import { isSlanted, loadMuted } from "../browser/preferences.js";
import { allVariants, request } from "../net/api.js";
import { CLOSE_CODES, newCommandId } from "../net/connection.js";
import { guestPlayer, onGuestChange, renameGuest } from "../net/guest.js";
import {
  dropMove,
  fateOf,
  forgetLastRoom,
  keepMove,
  loadInvite,
  loadMove,
  saveLastRoom,
  saveSeenEnd,
  saveTokens,
  takeNewRoom,
} from "../net/stored_rooms.js";
import { roomUrl } from "../net/urls.js";
import { isDays, MARKS } from "../net/view.js";
import { showFace } from "../browser/header.js";
import { characterKey, plyForKey } from "../browser/keys.js";
import { createWakeLock } from "../browser/wake_lock.js";
import { rejectionText, t } from "../texts/i18n.js";
import { createAnalysis, trialOf } from "./analysis.js";
import { pathNow, takeReview } from "./branch.js";
import { connectAsGuest } from "./connections.js";
import { audibleLines, reportChange, isWatched } from "./report.js";
import { createRoomState, isOver, update } from "./state.js";
import { createPageNote, createRoomView } from "./view.js";
import { authorName } from "../texts/names.js";

/**
 * The page of a room. Everything that happens is a message to one state object: from the server, and from the player.
 * The page draws from the state once a frame, so a lost, late or repeated message does no harm.
 */

/** @import { Status } from "../net/connection.js" */
/** @import { Answer, Command, RoomMessage, PushedMessage, View, You } from "../net/messages.js" */
/** @import { Connecting, RoomConnection } from "./connections.js" */
/** @import { Origin } from "./branch.js" */
/** @import { Dispatch, Message, OpenState, RoomState } from "./state.js" */
/** @typedef {Extract<Message, {type: "crowd"}>} Crowd */
/** @typedef {(message: PushedMessage, state: RoomState, dispatch: Dispatch) => boolean} Postpone */

/** A player is away for this long before the page says so: between two pages, and after a restart, nobody is. */
const AWAY_MS = 1500;
/** A game begins this long after the friend has come, or with your first tap: one before was meant for what was there. */
const KNOCK_MS = 3_000;

/**
 * @param {{root: HTMLElement, id: string, navigate: (path: string) => void, focused: string|null, postpone?: Postpone,
 *   note?: HTMLElement|null, path?: string, join?: (options: Connecting) => RoomConnection}} options
 *   `focused` is the cell of the page before that had the focus. `postpone` returns whether it dispatches a message later.
 *   `note` stands below the board of a room inside of another. `path` is where the page is found. `join` connects to the room.
 * @returns {() => void} closes the page
 */
export function roomPage({
  root,
  id,
  navigate,
  focused,
  postpone,
  note = null,
  path = pathNow(),
  join = connectAsGuest,
}) {
  const passAndPlay = join !== connectAsGuest;
  let state = createRoomState({
    id,
    passAndPlay,
    invite: loadInvite(id),
    muted: loadMuted(),
    slanted: isSlanted(),
    variants: allVariants(),
  });
  let disposed = false;
  let frame = 0;
  let isFirst = true;
  let review = takeReview(path);
  /** @type {ReturnType<typeof import("./days.js").createDaysPart>|null} */
  let daysPart = null;
  /** A move of before a reload that is not yet dealt with. */
  let keptMove = loadMove(id);

  if (loadInvite(id)) void import("../room/invitations.js").catch(() => {}); // its card is the first thing to see
  const counting = import("../net/counted_games.js"); // so that it is there when the game ends
  counting.catch(() => {});
  /** @type {Crowd|null} */
  let newestCrowd = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let leaving;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let knocking;
  const wakeLock = createWakeLock();
  /** @type {Promise<ReturnType<typeof import("./warm_up.js").createWarmUp>>|null} */
  let warming = null;
  const analysis = createAnalysis({
    dispatch,
    fetchRecord: (game) => request("GET", `rooms/${encodeURIComponent(id)}/games/${game}`),
  });
  const view = createRoomView(
    { id, sendCommand, dispatch, play, sit, change, warmUp, navigate, now: () => connection.now() },
    note,
  );
  root.replaceChildren(view.element);

  const connection = join({ id, onMessage: receive, onStatus });
  const removeGuestListener = onGuestChange(queueDraw);
  /** @param {KeyboardEvent} event */
  const onKey = (event) => view.element.isConnected && handleRoomKey(event, state, dispatch, view.playAgain);
  document.addEventListener("keydown", onKey);
  const newRoom = takeNewRoom(id);
  if (newRoom) {
    dispatch({ type: "room", version: newRoom.view.version, event: null, you: newRoom.you, room: newRoom.view });
    if (newRoom.cell) void play(newRoom.cell); // the connection sends it as soon as it is open
  }

  /** Change the state, and let the page follow. @param {Message} message */
  function dispatch(message) {
    if (disposed) return;
    const before = state;
    state = update(state, message);
    if (state === before) return;
    if (state.view) reportChange(before, /** @type {OpenState} */ (state), message);
    if (message.type === "chat") for (const line of audibleLines(before, message)) view.say(line);
    analysis.follow(state);
    if (state.view?.game?.outcome && !state.passAndPlay && state.view !== before.view)
      void keepGame(state.view, state.you);
    if (message.type === "answer_own") void daysPart?.then((part) => part.answer(message.key));
    if (state.knocks && !before.knocks) {
      knocking = setTimeout(() => dispatch({ type: "begin" }), KNOCK_MS);
      void warming?.then((warm) => warm.end());
    }
    if (state.view !== before.view) noteView(/** @type {OpenState} */ (state), before);
    if (state.view && state.you !== before.you && !note) saveLastRoom(state.view, state.you, Date.now()); // one to pass the time is none to go on with
    if (state.view && isDays(state.view) && state.you.mark !== null && !passAndPlay) void followDays();
    if (state.you.mark !== before.you.mark && !state.passAndPlay) showFace(state.you.mark);
    wakeLock.want(isWatched(state));
    queueDraw();
  }

  /** Count the finished game of a view. @param {View} view @param {You} you */
  const keepGame = (view, you) => warnOnError(async () => (await counting).keepPlayedGame(view, you));

  /** Note for the list of your games what you saw here. @param {OpenState} room @param {RoomState} before */
  function noteView({ view, you, passAndPlay }, before) {
    if (you.mark !== null && !passAndPlay && view.phase !== before.view?.phase)
      saveSeenEnd(id, view.phase === "finished");
  }

  /** Let the part for games of days follow the state, if you play one. */
  async function followDays() {
    try {
      daysPart ??= import("../room/days.js").then((module) =>
        module.createDaysPart({ id, dispatch, send: connection.send }),
      );
      const part = await daysPart;
      if (!disposed && state.view) part.follow(/** @type {OpenState} */ (state));
    } catch {
      daysPart = null; // the server cannot be reached; the next change tries again
    }
  }

  /** Draw in the next frame: once for all messages that arrive before it. */
  function queueDraw() {
    if (frame || disposed) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (disposed) return;
      view.draw(state);
      if (focused && isFirst && state.view) view.focusBoard(focused);
      isFirst = !state.view;
    });
  }

  /** @param {PushedMessage} message */
  function receive(message) {
    if (disposed || message.type === "lobby" || message.type === "tournament" || message.type === "boards") return;
    if (message.type === "reaction") {
      if (state.muted.has(message.from.player)) return;
      view.say(message);
      announce(t("chat.reacted", { name: authorName(message.from), emoji: message.emoji }));
      return;
    }
    if (postpone?.(message, state, dispatch)) return;
    if (message.type === "crowd") receiveCrowd({ ...message, at_ms: connection.now() });
    else dispatch(message);
    if (review && message.type === "room") openReview(review);
    if (keptMove && message.type === "room") resumeMove(keptMove, message);
  }

  /** Dispatch who is present. That a player has left waits, as the player may be back. @param {Crowd} crowd */
  function receiveCrowd(crowd) {
    const leaves = MARKS.some(
      (mark) => crowd.seats[mark]?.present === false && state.crowd?.seats[mark]?.present !== false,
    );
    newestCrowd = crowd;
    if (leaves && leaving) return;
    clearTimeout(leaving);
    leaving = leaves ? setTimeout(dispatchCrowd, AWAY_MS) : undefined;
    if (!leaves) dispatch(crowd);
  }

  function dispatchCrowd() {
    leaving = undefined;
    if (newestCrowd) dispatch(newestCrowd);
  }

  /** Return to the ply of the game that a branch began at. @param {Origin} origin */
  function openReview({ game, step }) {
    review = null;
    dispatch({ type: "review", game });
    dispatch({ type: "step", ply: step });
  }

  /**
   * Play the move of before a reload, or say that it came too late.
   * @param {import("../net/stored_rooms.js").SentMove} move
   * @param {RoomMessage} message
   */
  function resumeMove(move, { room, you }) {
    const fate = fateOf(move, room, you);
    if (fate === "wait") return;
    keptMove = null;
    if (fate === "send") void sendMove(move);
    else dropMove(id, move);
    if (fate === "late") warn(t("move.late"));
  }

  /** @param {Status} status */
  function onStatus(status) {
    if (disposed) return;
    dispatch({ type: "connection", status, at_ms: connection.now() });
    const { state: name, code } = status;
    if (name !== "ended") return;
    const { notFound, roomClosed, unauthorized } = CLOSE_CODES;
    if (code === notFound || code === roomClosed) forgetLastRoom(id);
    if (code === notFound || code === roomClosed || code === unauthorized) saveTokens(id, null);
    if (code === notFound) {
      root.replaceChildren(createPageNote(t("room.unknown"), t("room.unknown.why")));
      document.title = `${t("room.unknown")} · ${t("app.name")}`;
    } else if (code === unauthorized) navigate(roomUrl(id));
  }

  /** @param {Command} command @returns {Promise<Answer>} */
  async function sendCommand(command) {
    try {
      const answer = await connection.send(command);
      if (!answer.ok && answer.message) warn(rejectionText(answer));
      return answer;
    } catch (error) {
      const message = reasonOf(error);
      warn(message);
      return { ok: false, code: "unreachable", message };
    }
  }

  /** @param {import("../net/messages.js").Mark} mark @param {string} name */
  async function sit(mark, name) {
    const isNewName = name !== "" && guestPlayer()?.name !== name;
    if (isNewName && !(await warnOnError(() => renameGuest(name)))) return;
    await sendCommand({ type: "sit", mark, ...(state.invite ? { invite: state.invite } : {}) });
  }

  /** Go on to a next game, or begin this one once more. @param {import("./state.js").NewGame} [plan] */
  async function change(plan) {
    await warnOnError(async () => {
      const { createNextGame } = await import("../room/next_game.js");
      const nextGame = createNextGame({ current: () => state, dispatch, sendCommand, navigate });
      await (plan ? nextGame.change(plan) : nextGame.restart());
    });
  }

  /** Play a cell: in the game, or in a branch of a game that is over. That needs no cell. @param {string|null} cell */
  async function play(cell) {
    if (state.knocks) return dispatch({ type: "begin" });
    if (trialOf(state)) {
      const { tryCell } = await import("../room/play_on.js");
      return tryCell(state, cell, dispatch, { path, navigate });
    }
    const game = state.view?.game;
    if (game && cell) await sendMove({ cell, ply: game.moves.length, game: game.number, id: newCommandId() });
    else if (!game) await warmUp(cell ?? "");
  }

  /** Play the engine until the friend is here. @param {string} [cell] the first move */
  async function warmUp(cell = "") {
    warming ??= import("../room/warm_up.js").then(({ createWarmUp }) =>
      createWarmUp({ root, room: view.element, current: () => state }),
    );
    if (!(await warnOnError(async () => (await warming)?.open(cell)))) warming = null;
  }

  /** Send a move, and keep it until it is answered. @param {import("../net/stored_rooms.js").SentMove} move */
  async function sendMove(move) {
    keepMove(id, move);
    dispatch({ type: "move", move });
    const answer = await sendCommand({ type: "move", ...move });
    if (answer.ok || answer.code !== "closed") dropMove(id, move);
    dispatch({ type: "answer", move, answer });
  }

  return () => {
    disposed = true;
    cancelAnimationFrame(frame);
    clearTimeout(leaving);
    clearTimeout(knocking);
    document.removeEventListener("keydown", onKey);
    removeGuestListener();
    analysis.dispose();
    void warming?.then((warm) => warm.dispose());
    view.dispose();
    wakeLock.dispose();
    connection.close();
  };
}

/**
 * Carry out a key of a room or a replay: R for a rematch, and arrows to step through the game. Home and End belong to the page
 * until a step back has begun.
 * @param {KeyboardEvent} event @param {RoomState} state @param {Dispatch} dispatch @param {() => void} [playAgain]
 */
export function handleRoomKey(event, state, dispatch, playAgain = () => {}) {
  if (hasModifier(event) || event.defaultPrevented) return;
  if (characterKey(event) === "r" && isOver(state)) playAgain();
  else if (state.reviewed !== null || state.step !== null || event.key === "ArrowLeft") {
    const last = (state.reviewed === null ? state.view?.game : state.record)?.moves.length;
    const ply = last === undefined ? undefined : plyForKey(event, state.step ?? last, last);
    if (ply === undefined) return;
    event.preventDefault();
    dispatch({ type: "step", ply });
  }
}
