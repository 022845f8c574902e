import { cellText } from "../board/cell_text.js";
import { markPicture } from "../board/marks.js";
import { createPicture, positionOf } from "../board/picture.js";
import { parseGame, replayAt } from "../board/replay.js";
import { h, listen, setAttr, setText, stepButton } from "../browser/dom.js";
import { plyForKey } from "../browser/keys.js";
import { allVariants, knownVariant, request, requestRecord } from "../net/api.js";
import { connect } from "../net/connection.js";
import { HttpError } from "../net/http.js";
import { isPageOld, pageTree } from "../net/page_tree.js";
import { pageAt, puzzleLink, replayLink, replayText, watchLink } from "../net/urls.js";
import { MARKS } from "../net/view.js";
import { createRoomState } from "./state.js";
import { connectionText, markHeadline, outcomeReason, statusText, withReason } from "./text.js";
import { markDocument, showFoot, t, useLanguage, wantedLanguage } from "../texts/i18n.js";
import { nameWithLevel } from "../texts/names.js";

/**
 * The entry point of the embedded pages: the board, the names and the outcome of a room or a replay, or a puzzle, with a link to
 * the page itself. It only reads: it has no guest account, sends no command, and stores nothing.
 */

/** @import { Variant, View } from "../net/messages.js" */

const SPREAD_MS = 10_000; // many frames meet an upgrade at the same moment
const AGAIN_MS = 60_000; // servers of two versions may answer in turns

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
const players = h("div", { class: "players" });
const picture = h("div", { class: "picture", role: "img" });
const outcome = h("p", { class: "outcome", role: "status" });
const link = h("a", { target: "_blank", rel: "noopener" });
const title = h("h1", { class: "visually-hidden", text: "Noughts" });
root.replaceChildren(title, players, picture, h("div", { class: "foot" }, outcome, link));

/** @param {import("../net/messages.js").Mark} mark @param {View} view */
function createPlayer(mark, { seats, game }) {
  const name = nameWithLevel(seats[mark]);
  const isTurn = game?.turn === mark && !game.outcome;
  const element = h(
    "span",
    { class: "player", "data-mark": mark, role: "group", "aria-label": `${mark}: ${name}` },
    markPicture(),
    name,
  );
  setAttr(element, "data-turn", isTurn ? "" : null);
  return element;
}

/** Tell in words what the picture shows. @param {string} variant @param {readonly string[]} moves */
function describe(variant, moves) {
  setAttr(
    picture,
    "aria-label",
    [t("room.board", { variant }), moves.map(cellText).join("; ")].filter(Boolean).join(": "),
  );
}

/** @type {ReturnType<typeof createPicture>} */
let board;
/** @type {import("../board/layout.js").Shape|null} */
let drawnVariant = null;

/** @param {import("../board/picture.js").Position} position */
function drawPicture(position) {
  if (drawnVariant !== position.variant) {
    drawnVariant = position.variant;
    board = createPicture(position.variant);
    picture.replaceChildren(board.element);
  }
  board.draw(position);
}

/** Load the frame again after an upgrade of the server. It has no input that this could lose. */
async function reloadIfOld() {
  if (!isPageOld()) return false;
  const [load] = performance.getEntriesByType("navigation");
  const isAgain = load instanceof PerformanceNavigationTiming && load.type === "reload";
  setTimeout(() => location.reload(), isAgain ? AGAIN_MS : Math.random() * SPREAD_MS);
  return true;
}

/** @param {string} id */
function showRoom(id) {
  link.href = watchLink(id);
  setText(outcome, t("connection.connecting"));
  pageTree.check = reloadIfOld;
  const state = createRoomState({ id, passAndPlay: false, invite: null, muted: [], variants: allVariants() });
  connect({
    hello: () => ({ room: id }),
    onMessage(message) {
      if (message.type !== "room") return;
      /** @type {View} */
      const view = message.room;
      const variant = knownVariant(view.game?.variant ?? view.variant);
      players.replaceChildren(...MARKS.map((mark) => createPlayer(mark, view)));
      setText(outcome, statusText({ ...state, view }));
      describe(variant?.name ?? view.variant, view.game?.moves ?? []);
      if (variant) drawPicture(positionOf(variant, view.game));
    },
    onStatus(connection) {
      const isEnded = connection.state === "ended";
      const text = isEnded ? t("embed.missing") : connectionText({ ...state, connection });
      if (text) setText(outcome, text); // the first view replaces it
    },
  });
}

/** Draw the last position of a replay. @param {string} text such as `classic=b2,a1` */
async function showReplay(text) {
  link.href = replayLink(text);
  const game = parseGame(text);
  const variant = knownVariant(game?.variant);
  if (!game || !variant) {
    setText(outcome, t("embed.missing"));
    return;
  }
  const record = await requestRecord(game.variant, game.moves);
  let ply = record.moves.length;
  /** @param {number} target */
  function step(target) {
    ply = Math.min(Math.max(target, 0), record.moves.length);
    drawPicture({ ...replayAt(record, ply), variant: /** @type {Variant} */ (variant) });
    describe(/** @type {Variant} */ (variant).name, game?.moves.slice(0, ply) ?? []);
    setText(count, `${ply} / ${record.moves.length}`);
  }
  const count = h("span", { class: "ply-count", role: "status" });
  const buttons = [
    stepButton(t("review.previous"), "M16 5l-9 7 9 7", () => step(ply - 1)),
    count,
    stepButton(t("review.next"), "M8 5l9 7-9 7", () => step(ply + 1)),
  ];
  outcome.after(h("span", { class: "steps" }, ...buttons));
  listen(document, "keydown", (event) => {
    const target = plyForKey(event, ply, record.moves.length);
    if (target !== undefined) step(target);
  });
  step(ply);
  const end = record.outcome ?? (game.over && { ...game.over, cells: [] });
  if (end) setText(outcome, withReason(markHeadline(end), outcomeReason(end)));
}

/** Draw the position of a puzzle, and say what it asks. @param {string} id */
async function showPuzzle(id) {
  link.href = puzzleLink(id);
  setText(link, t("embed.solve"));
  /** @type {import("../net/messages.js").Puzzle} */
  const puzzle = await request("GET", `puzzles/${encodeURIComponent(id)}`);
  const variant = knownVariant(puzzle.variant);
  if (!variant) return;
  players.replaceChildren(
    h("span", { text: variant.name }),
    h("span", { text: t("puzzle.grade.n", { n: puzzle.grade }) }),
  );
  drawPicture({ ...puzzle, outcome: null, variant, still: true });
  describe(variant.name, puzzle.moves);
  setText(outcome, t(`puzzle.task.${puzzle.kind}`, { mark: puzzle.turn }));
}

async function open() {
  await useLanguage(wantedLanguage());
  markDocument();
  setText(link, t("embed.open"));
  setText(title, t("app.name"));
  showFoot();
  const { page, id } = pageAt(location.pathname);
  if (page === "puzzle") await showPuzzle(id);
  else if (page === "room") showRoom(id);
  else await showReplay(replayText(location));
}

open().catch((error) => setText(outcome, error instanceof HttpError ? error.message : t("error.unreachable")));
