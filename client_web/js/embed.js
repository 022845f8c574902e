import { request } from "./api.js";
import { createBoard } from "./board.js";
import { positionOf } from "./board_picture.js";
import { connect } from "./connection.js";
import { h, setText } from "./dom.js";
import { t } from "./i18n.js";
import { createRoomState } from "./room_state.js";
import { seatName, statusText } from "./room_text.js";
import * as urls from "./urls.js";
import { loadVariants } from "./variants.js";
import { MARKS } from "./view.js";

/**
 * The entry point of the embedded pages: the board, the names and the outcome of a room or a replay, with a link to the page
 * itself. It only reads: it has no guest account, sends no command, and stores nothing.
 */

/** @typedef {import("./messages.js").Game} Game */
/** @typedef {import("./messages.js").View} View */
/** @typedef {import("./messages.js").Variant} Variant */

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
const players = h("div", { class: "players" });
const picture = h("div", { class: "picture" });
const outcome = h("p", { class: "outcome", role: "status" });
const link = h("a", { target: "_blank", rel: "noopener", text: t("embed.open") });
root.replaceChildren(players, picture, h("div", { class: "foot" }, outcome, link));

/** @type {{key: string, board: ReturnType<typeof createBoard>}|null} */
let shown = null;

/** @param {Variant} variant @param {Game} game */
function drawGame(variant, game) {
  if (shown?.key !== variant.key) {
    shown?.board.dispose();
    const board = createBoard({ label: variant.name, variant, onPlay() {} });
    shown = { key: variant.key, board };
    picture.replaceChildren(board.element);
  }
  shown.board.draw({ ...positionOf(variant, game), mark: null, pending: null });
}

/** @param {string} id @param {Variant[]} variants */
function showRoom(id, variants) {
  link.href = urls.watchLink(id);
  const state = createRoomState({ id, passAndPlay: false, invite: null, muted: [] });
  connect({
    hello: () => ({ room: id }),
    onMessage(message) {
      if (message.type !== "room") return;
      /** @type {View} */
      const view = message.room;
      const variant = variants.find(({ key }) => key === (view.game?.variant ?? view.variant)) ?? null;
      players.replaceChildren(
        ...MARKS.map((mark) => h("span", { "data-mark": mark, text: `${mark} ${seatName(view.seats[mark])}` })),
      );
      setText(outcome, statusText({ ...state, view, variants }));
      if (variant)
        drawGame(
          variant,
          view.game ?? { number: 0, variant: variant.key, moves: [], marks: {}, turn: null, legal: [], outcome: null },
        );
    },
    onStatus({ state }) {
      if (state === "ended") setText(outcome, t("embed.missing"));
    },
  });
}

/** Draw the last position of a replay. @param {string} text such as `classic=b2,a1` @param {Variant[]} variants */
async function showReplay(text, variants) {
  link.href = urls.replayLink(text);
  const [key = "", moves = ""] = [...new URLSearchParams(text)][0] ?? [];
  const variant = variants.find((candidate) => candidate.key === key);
  if (!variant) {
    setText(outcome, t("embed.missing"));
    return;
  }
  const record = await request("GET", `record?${new URLSearchParams({ variant: key, moves })}`);
  /** @type {Record<string, import("./messages.js").Mark>} */
  const marks = {};
  /** @type {NonNullable<Game["boards"]>} */
  const boards = Array.from({ length: variant.nested ? 9 : 0 }, () => null);
  for (const { cell, mark, removed, decided } of record.moves) {
    if (removed) delete marks[removed];
    marks[cell] = mark;
    if (decided) boards[decided.board] = decided.by;
  }
  drawGame(variant, {
    number: 1,
    variant: key,
    moves: moves ? moves.split(",") : [],
    marks,
    turn: null,
    legal: [],
    outcome: record.outcome,
    boards,
  });
  const [reason, other] = (new URLSearchParams(text).get("over") ?? "").split(",");
  const winner = record.outcome ? record.outcome.winner : other;
  if (winner === "X" || winner === "O") setText(outcome, t("outcome.win", { name: t("guest.someone"), mark: winner }));
  else if (record.outcome || reason === "agreement") setText(outcome, t("outcome.draw"));
}

async function open() {
  const variants = await loadVariants();
  const id = urls.roomIdFrom(location.pathname);
  if (id !== null) showRoom(id, variants);
  else await showReplay(urls.replayText(location), variants);
}

open().catch((error) => setText(outcome, error instanceof Error ? error.message : ""));
