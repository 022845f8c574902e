import { createBoard } from "./board.js";
import { positionOf } from "./board_picture.js";
import { createChat } from "./chat.js";
import { h, setAttr, setText, show, startInterval } from "./dom.js";
import * as guest from "./guest.js";
import { connectAsGuest } from "./guest_connection.js";
import { t } from "./i18n.js";
import { announce, toast } from "./notices.js";
import { connectPassAndPlay, deleteTokens, loadTokens } from "./pass_and_play.js";
import { createRoomPanel } from "./room_panel.js";
import { createRoomSettings } from "./room_settings.js";
import { announcement, statusText, toastText } from "./room_text.js";
import { playSound } from "./sound.js";
import { loadInvite, saveLastRoom } from "./stored_rooms.js";
import * as urls from "./urls.js";
import { loadVariants } from "./variants.js";
import { can, hasStandIn } from "./view.js";

/** The page of a room. It keeps the newest message of each type and draws from them, so a lost or repeated one does no harm. */

/** @typedef {import("./messages.js").RoomMessage} RoomMessage */
/** @typedef {import("./messages.js").CrowdMessage} CrowdMessage */
/** @typedef {import("./messages.js").Variant} Variant */
/** @typedef {import("./messages.js").Command} Command */
/** @typedef {import("./messages.js").Answer} Answer */
/** @typedef {import("./room_state.js").RoomState} RoomState */
/** @typedef {import("./connection.js").Status} Status */

const TICK_MS = 200;
const RETRY_MS = 2000;
const UNAUTHORIZED = 4401;
const NOT_FOUND = 4404;
const CLOSED = 4410;

/**
 * @param {{root: HTMLElement, id: string, navigate: (path: string) => void}} options
 * @returns {() => void} closes the page
 */
export function roomPage({ root, id, navigate }) {
  /** @type {RoomMessage|null} */ let roomMessage = null;
  /** @type {CrowdMessage|null} */ let crowd = null;
  let crowdAt = 0;
  /** @type {Variant[]} */ let variants = [];
  /** @type {ReturnType<typeof createBoard>|null} */ let board = null;
  let boardVariant = "";
  /** @type {{cell: string, ply: number, game: number}|null} */ let pendingMove = null;
  /** @type {string|null} */ let aimedCell = null;
  let drawIsQueued = false;
  let disposed = false;
  let wasDisconnected = false;

  const tokens = loadTokens(id);
  const panel = createRoomPanel({ id, sendCommand, sit });
  const chat = createChat(sendCommand);
  const settings = createRoomSettings(sendCommand);
  const title = h("h1", { class: "visually-hidden", tabindex: -1, text: t("connection.connecting") });
  const banner = h("p", { class: "banner", role: "status", text: t("connection.connecting") });
  const boardHolder = h("div", { class: "board-holder" }, h("div", { class: "board-placeholder" }));
  const newRoomLink = h("p", { class: "notice", hidden: true }, h("a", { href: urls.home(), "data-page-link": "", text: t("room.new") }));
  const boardArea = h("div", { class: "board-area" }, boardHolder, panel.boardOverlay, chat.reactionOverlay);
  const main = h("section", { class: "room-main" }, panel.seats, panel.status, boardArea, panel.below, newRoomLink);
  const sidebar = h("aside", { class: "sidebar" }, panel.sidebar, chat.element, settings.element);
  const element = h("div", { class: "room" }, title, banner, main, sidebar);
  root.replaceChildren(element);

  const connection = tokens ? connectPassAndPlay({ id, tokens, onMessage, onStatus }) : connectAsGuest({ id, onMessage, onStatus });
  const { passAndPlay } = connection;
  const stopTicks = startInterval(TICK_MS, () => panel.tick());
  const removeGuestListener = guest.onChange(queueDraw);
  void fetchVariants();

  async function fetchVariants() {
    try {
      variants = await loadVariants();
      queueDraw();
    } catch {
      if (!disposed) setTimeout(fetchVariants, RETRY_MS);
    }
  }

  /** @param {Status} status */
  function onStatus(status) {
    if (disposed) return;
    const { state, code } = status;
    element.dataset["connection"] = state;
    if (state === "ended") {
      onEnd(code);
      return;
    }
    if (state === "open") {
      if (wasDisconnected) announce(t("connection.restored"));
      wasDisconnected = false;
    } else if (roomMessage) wasDisconnected = true;
    setText(banner, state === "open" ? "" : t(status.blocked ? "connection.blocked" : state === "offline" ? "connection.offline"
      : state === "connecting" ? "connection.connecting" : "connection.reconnecting"));
    queueDraw();
  }

  /** The server closed the connection for good. @param {number} code */
  function onEnd(code) {
    if (code === NOT_FOUND || code === CLOSED) saveLastRoom(id, false);
    if (code === NOT_FOUND) {
      deleteTokens(id);
      root.replaceChildren(createUnknownRoom());
      document.title = `${t("room.unknown")} · ${t("app.name")}`;
    } else if (code === UNAUTHORIZED) {
      deleteTokens(id);
      navigate(urls.room(id));
    } else if (code === CLOSED) {
      deleteTokens(id);
      setText(banner, t("room.closed"));
      show(newRoomLink, true);
    } else {
      banner.replaceChildren(t("connection.rejected") + " ", h("button", { type: "button", text: t("connection.reload"), on: { click: () => location.reload() } }));
    }
  }

  /** @param {any} message */
  function onMessage(message) {
    if (disposed) return;
    switch (message.type) {
      case "welcome":
        chat.setReactions(message.reactions ?? []);
        return;
      case "crowd":
        crowd = message;
        crowdAt = connection.now();
        queueDraw();
        return;
      case "chat":
        chat.addLines(message);
        return;
      case "reaction":
        chat.showReaction(message);
        return;
      case "room":
        if (roomMessage && message.version < roomMessage.version) return;
        if (!roomMessage || message.version > roomMessage.version) report(message);
        roomMessage = message;
        queueDraw();
    }
  }

  /** Announce an event, with a sound and in words. @param {RoomMessage} message */
  function report(message) {
    const { you, room: view, event } = message;
    if (!roomMessage) {
      announce(statusText(view, you, variantOf(view.variant), passAndPlay));
      return;
    }
    const toastSentence = passAndPlay ? "" : toastText(message, roomMessage);
    if (toastSentence) toast(toastSentence);
    else announce(announcement(message, variantOf(view.variant), passAndPlay));
    const outcome = view.game?.outcome;
    if (event?.type === "moved") playSound(view.game?.turn === "O" ? "X" : "O");
    else if (event?.type === "started") playSound("started");
    else if (event?.type === "ended") playSound(you.mark && outcome?.winner ? (outcome.winner === you.mark ? "won" : "lost") : "ended");
    else if (event?.type === "offered" && view.offers.some(({ by }) => by !== you.mark)) playSound("offer");
  }

  /** @param {string} key */
  const variantOf = (key) => variants.find((variant) => variant.key === key) ?? null;

  /** @param {Command} command @returns {Promise<Answer>} */
  async function sendCommand(command) {
    try {
      const answer = await connection.send(command);
      if (!answer.ok && answer.message) toast(answer.message);
      return answer;
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      toast(message);
      return { ok: false, code: "unreachable", message };
    }
  }

  /** @param {import("./messages.js").Mark} mark @param {string} name */
  async function sit(mark, name) {
    try {
      if (name && guest.player()?.name !== name) await guest.rename(name);
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
      return;
    }
    const invite = currentInvite();
    const answer = await sendCommand({ type: "sit", mark, ...(invite ? { invite } : {}) });
    if (answer.ok) board?.focus();
  }

  const currentInvite = () => roomMessage?.you.invite ?? loadInvite(id);

  /** @param {string} cell */
  async function move(cell) {
    const game = roomMessage?.room.game;
    if (!game) return;
    const newMove = { cell, ply: game.moves.length, game: game.number };
    pendingMove = newMove;
    queueDraw();
    const answer = await sendCommand({ type: "move", ...newMove });
    if (pendingMove === newMove && (!answer.ok || (roomMessage?.version ?? 0) >= answer.version)) pendingMove = null;
    queueDraw();
  }

  /** Draw soon: once for all messages that arrive together. */
  function queueDraw() {
    if (drawIsQueued || disposed) return;
    drawIsQueued = true;
    queueMicrotask(() => {
      drawIsQueued = false;
      if (!disposed) draw();
    });
  }

  function draw() {
    if (!roomMessage || !variants.length) return;
    const { room: view, you } = roomMessage;
    const variant = variantOf(view.variant);
    const game = view.game;
    if (pendingMove && (pendingMove.ply !== game?.moves.length || pendingMove.game !== game.number)) pendingMove = null;
    /** @type {RoomState} */
    const state = { view, you, crowd, crowdAt, variant, variants, passAndPlay, invite: currentInvite(), now: connection.now };
    const status = pendingMove ? t("turn.sending") : aimedCell ? t("cell.aimed", { cell: aimedCell }) : statusText(view, you, variant, passAndPlay);
    const name = variant?.name ?? view.variant;
    const focus = document.activeElement;
    setText(title, t("room.title", { variant: name }));
    document.title = `${status} · ${name}`;
    drawBoard(state);
    panel.draw(state, status);
    chat.draw(state);
    settings.draw(state);
    setAttr(element, "data-phase", view.phase);
    saveLastRoom(id, you.mark !== null && view.phase !== "closed");
    if (focus instanceof HTMLElement && focus !== document.body && (!focus.isConnected || focus.closest("[hidden]"))) board?.focus();
  }

  /** @param {RoomState} state */
  function drawBoard({ view, you }) {
    const variant = variantOf(view.game?.variant ?? view.variant); // the last game stays in sight after a change of variant
    if (!variant) return;
    if (boardVariant !== variant.key) {
      board?.dispose();
      boardVariant = variant.key;
      board = createBoard({
        label: t("room.board", { variant: variant.name }), variant,
        onPlay: (cell) => void move(cell),
        onAim: (cell) => {
          aimedCell = cell;
          queueDraw();
        },
      });
      boardHolder.replaceChildren(board.element);
    }
    const game = view.game;
    const isYourTurn = can(you, "move") && game?.turn !== null && !hasStandIn(view, you) && element.dataset["connection"] === "open";
    board?.draw({ ...positionOf(variant, game), mark: isYourTurn ? game?.turn ?? null : null, pending: pendingMove?.cell ?? null });
  }

  return () => {
    disposed = true;
    stopTicks();
    removeGuestListener();
    board?.dispose();
    connection.close();
    element.remove();
  };
}

function createUnknownRoom() {
  return h("section", { class: "card unknown-room" }, h("h1", { tabindex: -1, text: t("room.unknown") }), h("p", { text: t("room.unknown.why") }),
    h("a", { class: "button primary", href: urls.home(), "data-page-link": "", text: t("room.new") }));
}
