import { keepRoom } from "./back.js";
import { createBoard } from "./board.js";
import { createChat } from "./chat.js";
import { every, h, setAttr, setText, show } from "./dom.js";
import { t } from "./i18n.js";
import { guestLink } from "./link.js";
import { announce, toast } from "./live.js";
import { createOwner } from "./owner.js";
import { createPanel } from "./panel.js";
import { forgetPass, passOf, sharedLink } from "./passplay.js";
import * as paths from "./paths.js";
import * as session from "./session.js";
import { play } from "./sound.js";
import { variants as loadVariants } from "./variants.js";
import { announcement, can, noteOf, standsIn, statusText } from "./view.js";

/**
 * The page of a room. It keeps the newest of each message and draws from them; a message may come twice or be missed.
 */

/** @typedef {import("./wire.js").RoomMessage} RoomMessage */
/** @typedef {import("./wire.js").CrowdMessage} CrowdMessage */
/** @typedef {import("./wire.js").Variant} Variant */
/** @typedef {import("./wire.js").Command} Command */
/** @typedef {import("./wire.js").Answer} Answer */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./connection.js").Status} Status */

const TICK_MS = 200;
const GONE = 4404;
const CLOSED = 4410;
const REFUSED = 4401;

/**
 * @param {{root: HTMLElement, id: string, go: (path: string) => void}} options
 * @returns {() => void} takes the page away
 */
export function roomPage({ root, id, go }) {
  /** @type {RoomMessage|null} */ let message = null;
  /** @type {CrowdMessage|null} */ let crowd = null;
  let crowdAt = 0;
  /** @type {Variant[]} */ let variants = [];
  /** @type {ReturnType<typeof createBoard>|null} */ let board = null;
  let boardOf = "";
  /** @type {{cell: string, ply: number, game: number}|null} */ let pending = null;
  let awaitsDraw = false;
  let disposed = false;
  let wasLost = false;

  const pass = passOf(id);
  const hands = { send };
  const panel = createPanel({ id, hands, sit });
  const chat = createChat(hands);
  const owner = createOwner(hands);
  const title = h("h1", { class: "unseen", tabindex: -1, text: t("line.connecting") });
  const line = h("p", { class: "banner", role: "status", text: t("line.connecting") });
  const boardHolder = h("div", { class: "board-holder" }, h("div", { class: "board-blank" }));
  const closed = h("p", { class: "notice", hidden: true }, h("a", { href: paths.home(), "data-go": "", text: t("room.new") }));
  const stage = h("section", { class: "stage" }, panel.seats, panel.status, h("div", { class: "table-top" }, boardHolder, panel.veil, chat.shelf), panel.below, closed);
  const side = h("aside", { class: "side" }, panel.side, chat.element, owner.element);
  const element = h("div", { class: "room" }, title, line, stage, side);
  root.replaceChildren(element);

  const link = pass ? sharedLink({ id, pass, onMessage, onStatus }) : guestLink({ id, onMessage, onStatus });
  const stopTicking = every(TICK_MS, () => panel.tick());
  const offSession = session.onChange(redraw);
  void findVariants();

  async function findVariants() {
    try {
      variants = await loadVariants();
      redraw();
    } catch {
      if (!disposed) setTimeout(findVariants, 2000);
    }
  }

  /** @param {Status} status */
  function onStatus(status) {
    if (disposed) return;
    const { state, code } = status;
    element.dataset["line"] = state;
    if (state === "ended") {
      ending(code);
      return;
    }
    if (state === "open") {
      if (wasLost) announce(t("line.back"));
      wasLost = false;
    } else if (message) wasLost = true;
    setText(line, state === "open" ? "" : t(status.blocked ? "line.blocked" : state === "offline" ? "line.offline"
      : state === "connecting" ? "line.connecting" : "line.reconnecting"));
    redraw();
  }

  /** The server has said a last word. @param {number} code */
  function ending(code) {
    if (code === GONE || code === CLOSED) keepRoom(id, false);
    if (code === GONE) {
      forgetPass(id);
      root.replaceChildren(unknownRoom());
      document.title = `${t("room.unknown")} · ${t("app.name")}`;
    } else if (code === REFUSED) {
      forgetPass(id);
      go(paths.room(id));
    } else if (code === CLOSED) {
      forgetPass(id);
      setText(line, t("room.closed"));
      show(closed, true);
    } else {
      line.replaceChildren(t("line.refused") + " ", h("button", { type: "button", text: t("line.reload"), on: { click: () => location.reload() } }));
    }
  }

  /** @param {any} heard */
  function onMessage(heard) {
    if (disposed) return;
    switch (heard.type) {
      case "welcome":
        chat.offer(heard.reactions ?? []);
        return;
      case "crowd":
        crowd = heard;
        crowdAt = link.now();
        redraw();
        return;
      case "chat":
        chat.hear(heard);
        return;
      case "reaction":
        chat.react(heard);
        return;
      case "room":
        if (message && heard.version < message.version) return;
        if (!message || heard.version > message.version) tell(heard);
        message = heard;
        redraw();
    }
  }

  /** Sound and words for what happened. @param {RoomMessage} news */
  function tell(news) {
    const { you, room: view, event } = news;
    if (!message) {
      announce(statusText(view, you, variantOf(view.variant), link.shared));
      return;
    }
    const note = link.shared ? "" : noteOf(news, message);
    if (note) toast(note);
    else announce(announcement(news, variantOf(view.variant), link.shared));
    const outcome = view.game?.outcome;
    if (event?.type === "moved") play(view.game?.turn === "O" ? "X" : "O");
    else if (event?.type === "started") play("started");
    else if (event?.type === "ended") play(you.mark && outcome?.winner ? (outcome.winner === you.mark ? "won" : "lost") : "ended");
    else if (event?.type === "offered" && view.offers.some(({ by }) => by !== you.mark)) play("asked");
  }

  /** @param {string} key */
  const variantOf = (key) => variants.find((one) => one.key === key) ?? null;

  /** @param {Command} command @returns {Promise<Answer>} */
  async function send(command) {
    try {
      const answer = await link.send(command);
      if (!answer.ok && answer.message) toast(answer.message);
      return answer;
    } catch (fault) {
      const { message: why } = /** @type {Error} */ (fault);
      toast(why);
      return { ok: false, code: "unreachable", message: why };
    }
  }

  /** @param {import("./wire.js").Mark} mark @param {string} name */
  async function sit(mark, name) {
    try {
      if (name && session.player()?.name !== name) await session.rename(name);
    } catch (fault) {
      toast(/** @type {Error} */ (fault).message);
      return;
    }
    const invite = inviteHeld();
    const answer = await send({ type: "sit", mark, ...(invite ? { invite } : {}) });
    if (answer.ok) board?.focus();
  }

  const inviteHeld = () => message?.you.invite ?? session.invite(id);

  /** @param {string} cell */
  async function move(cell) {
    const game = message?.room.game;
    if (!game) return;
    const mine = { cell, ply: game.moves.length, game: game.number };
    pending = mine;
    redraw();
    const answer = await send({ type: "move", ...mine });
    if (pending === mine && (!answer.ok || (message?.version ?? 0) >= answer.version)) pending = null;
    redraw();
  }

  /** Many messages at once are one drawing. */
  function redraw() {
    if (awaitsDraw || disposed) return;
    awaitsDraw = true;
    queueMicrotask(() => {
      awaitsDraw = false;
      if (!disposed) draw();
    });
  }

  function draw() {
    if (!message || !variants.length) return;
    const { room: view, you } = message;
    const variant = variantOf(view.variant);
    const game = view.game;
    if (pending && (pending.ply !== game?.moves.length || pending.game !== game.number)) pending = null;
    /** @type {Scene} */
    const scene = { view, you, crowd, crowdAt, variant, variants, shared: link.shared, invite: inviteHeld(), now: link.now };
    const status = pending ? t("turn.sent") : statusText(view, you, variant, link.shared);
    const name = variant?.name ?? view.variant;
    const focused = document.activeElement;
    setText(title, t("room.of", { variant: name }));
    document.title = `${status} · ${name}`;
    drawBoard(scene);
    panel.draw(scene, status);
    chat.draw(scene);
    owner.draw(scene);
    setAttr(element, "data-phase", view.phase);
    keepRoom(id, you.mark !== null && view.phase !== "closed");
    if (focused instanceof HTMLElement && focused !== document.body && (!focused.isConnected || focused.closest("[hidden]"))) board?.focus();
  }

  /** @param {Scene} scene */
  function drawBoard({ view, you }) {
    const variant = variantOf(view.game?.variant ?? view.variant); // the last game stays drawn when the next is to be another
    if (!variant) return;
    if (boardOf !== variant.key) {
      board?.dispose();
      boardOf = variant.key;
      board = createBoard({
        label: t("room.board", { variant: variant.name }), shape: variant.shape, grouped: variant.key === "ultimate",
        onPlay: (cell) => void move(cell),
        onSay: (sentence) => { toast(sentence); },
      });
      boardHolder.replaceChildren(board.element);
    }
    const game = view.game;
    const mine = can(you, "move") && game?.turn !== null && !standsIn(view, you) && element.dataset["line"] === "open";
    board?.draw({
      shape: variant.shape, gravity: variant.gravity, marks: game?.marks ?? {}, legal: game?.legal ?? [],
      mark: mine ? game?.turn ?? null : null, last: game?.moves.at(-1) ?? null, line: game?.outcome?.cells ?? [],
      fading: game?.fading ?? null, pending: pending?.cell ?? null, boards: game?.boards ?? null, forced: game?.forced ?? null,
      over: Boolean(game?.outcome),
    });
  }

  return () => {
    disposed = true;
    stopTicking();
    offSession();
    board?.dispose();
    link.close();
    element.remove();
  };
}

function unknownRoom() {
  return h("section", { class: "card gone" }, h("h1", { tabindex: -1, text: t("room.unknown") }), h("p", { text: t("room.unknown.why") }),
    h("a", { class: "button primary", href: paths.home(), "data-go": "", text: t("room.new") }));
}
