import { warnOfModule } from "../net/failures.js";
import { button, createLater, h, listen, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { playSound } from "../browser/sound.js";
import { warn } from "../browser/toasts.js";
import { CLOSE_CODES } from "../net/connection.js";
import { homeUrl } from "../net/urls.js";
import { opponentOf } from "../net/view.js";
import { createLadder } from "../start/ladder.js";
import { addTexts, t } from "../texts/i18n.js";
import { createBoardArea } from "./board_area.js";
import { createBranchLine } from "./branch.js";
import { createCommandButtons, playsEngine } from "./command_buttons.js";
import { createLowerBar, createUpperBar, hasRunningClock, shownTime } from "./player_bars.js";
import { promptCounts } from "./prompt.js";
import { createPromptBar } from "./prompt_bar.js";
import { isYourTurn } from "./report.js";
import { createSheet } from "./sheet.js";
import { hasPeople, isOver, isStill, nextVariantOf, timeOf, variantOf } from "./state.js";
import { connectionText, statusText } from "./text.js";

/** The elements of a room's page, drawn from its state: each is a part, and a loop draws them all. */

/** @import { OpenState, Part, RoomContext, RoomState } from "./state.js" */

const TICK_MS = 200;
/** After a loss the board goes back to the move that need not have lost. */
const REWIND_MS = 1200;
/** The widths of room.css. @type {[import("./state.js").Layout, MediaQueryList][]} */
const LAYOUTS = [
  ["wide", matchMedia("(min-width: 75em) and (min-height: 37.5em) and (orientation: landscape)")],
  ["column", matchMedia("(min-width: 50em) and (min-height: 37.5em) and (orientation: landscape)")],
];

/**
 * @param {Omit<RoomContext, "share">} options
 * @param {HTMLElement|null} note  stands below the board
 */
export function createRoomView(options, note) {
  /** @type {OpenState|null} */
  let drawn = null;
  let lastSecond = -1;
  /** The number of the game that ended before the player's eyes. @type {number|null} */
  let endedGame = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let rewinding;
  /** Runs only while something on the page counts time. @type {ReturnType<typeof setInterval>|undefined} */
  let ticker;

  /** @type {RoomContext} */
  const context = { ...options, share: () => void shareGame() };
  const title = h("h1", { class: "visually-hidden", tabindex: -1, text: t("connection.connecting") });
  const status = h("p", { class: "status" });
  const banner = h("p", { class: "banner", role: "status", text: t("connection.connecting") });
  const toasts = h("div", { class: "toasts page-toasts", role: "status", "aria-live": "polite" });
  const [upperBar, lowerBar] = [createUpperBar(context), createLowerBar(context)];
  const boardArea = createBoardArea(context);
  const commandButtons = createCommandButtons(context);
  const sheet = createSheet(context);
  const homes = { upper: upperBar.element, lower: lowerBar.element, chat: commandButtons.chat };
  const speech = createLater("speech", async () => (await import("../room/speech.js")).createSpeech(context, homes), {
    needs: hasPeople,
  });
  const cards = createCards(context);
  const zone = [
    createBranchLine(context),
    createCard(context),
    createReviewHolder(context),
    createRoomLadder(context),
    speech,
    createPromptBar(context),
    createNewRoomLink(),
  ];
  /** @type {Part[]} */
  const parts = [upperBar, boardArea, cards, lowerBar, ...zone, commandButtons, sheet];
  const element = h(
    "div",
    { class: "room" },
    title,
    upperBar.element,
    boardArea.element,
    cards.element,
    lowerBar.element,
    h(
      "div",
      { class: "zone" },
      note,
      h("div", { class: "status-line" }, status, banner, toasts),
      ...zone.map((part) => part.element),
    ),
    commandButtons.element,
    sheet.element,
  );
  const removers = [
    ...LAYOUTS.map(([, query]) => listen(query, "change", look)),
    listen(document, "visibilitychange", look),
  ];
  look();
  void import("../board/celebration.js").catch(() => {}); // so that it is there when the game ends

  /** Say what the player can see of the page. */
  function look() {
    const layout = LAYOUTS.find(([, query]) => query.matches)?.[0] ?? "narrow";
    context.dispatch({ type: "sight", layout, isHidden: document.hidden });
  }

  function tick() {
    if (!drawn) return;
    for (const part of parts) part.tick?.(drawn);
    const { mark } = drawn.you;
    const time = mark && isYourTurn(drawn) ? shownTime(drawn, mark, timeOf(drawn, context.now())) : null;
    const second = time?.isRunning && time.isLow ? Math.ceil(time.ms / 1000) : -1;
    if (second > 0 && second !== lastSecond) playSound("second");
    lastSecond = second;
  }

  /** @param {boolean} isNeeded */
  function setTicks(isNeeded) {
    if (isNeeded === (ticker !== undefined)) return;
    clearInterval(ticker);
    ticker = isNeeded ? setInterval(tick, TICK_MS) : undefined;
  }

  async function shareGame() {
    try {
      const { shareRoomGame } = await import("../room/share_game.js");
      if (drawn) await shareRoomGame(drawn);
    } catch {
      warnOfModule();
    }
  }

  /** @param {RoomState} state */
  function draw(state) {
    drawConnection(state);
    if (!state.view) return;
    const open = /** @type {OpenState} */ (state);
    const { view, you, tapped } = open;
    const ends = drawn?.view.game?.number === view.game?.number && drawn && !isOver(drawn) && isOver(open);
    if (ends) endedGame = view.game?.number ?? null;
    drawn = open;
    const focus = document.activeElement;
    setText(title, t("room.title", { variant: variantOf(open)?.name ?? view.variant }));
    setAttr(element, "data-phase", view.phase);
    setAttr(element, "data-branch", view.game?.from ? "" : null);
    setAttr(element, "data-alone", open.passAndPlay ? "" : null);
    const isDone = isOver(open) && view.phase !== "closed"; // then the card says it
    setText(status, tapped ? t("cell.confirm") : isDone ? "" : statusText(open));
    setAttr(status, "data-yours", isYourTurn(open) ? you.mark : null);
    setAttr(element, "data-ending", isOver(open) && view.game?.number === endedGame ? endingOf(open) : null);
    setAttr(element, "data-within", view.series?.over === false ? "" : null);
    for (const part of parts) part.draw(open);
    if (ends) {
      clearTimeout(rewinding);
      if (endingOf(open) === "lost") rewinding = setTimeout(() => context.dispatch({ type: "rewind" }), REWIND_MS);
      void boardArea.celebrate(endingOf(open))?.catch(() => {});
      void import("../room/share_game.js").catch(() => {}); // so that it needs no server
    }
    setTicks(state.stoppedAt === null && view.phase !== "closed" && (hasRunningClock(open) || promptCounts(open)));
    if (focus && focus !== document.body && (!focus.isConnected || focus.closest("[hidden]"))) boardArea.focus();
  }

  /** Return what the end of the game is to the person who looks. @param {OpenState} state */
  function endingOf({ view, you, passAndPlay }) {
    const winner = view.game?.outcome?.winner ?? null;
    if (winner === null) return "draw";
    return passAndPlay || you.mark === null ? "seen" : winner === you.mark ? "won" : "lost";
  }

  /** @param {RoomState} room */
  function drawConnection(room) {
    const { state, code } = room.connection;
    setAttr(element, "data-connection", state);
    setAttr(element, "data-still", isStill(room) ? "" : null);
    if (state !== "ended" || code === CLOSE_CODES.roomClosed) setText(banner, connectionText(room));
    else if (!banner.querySelector("button"))
      banner.replaceChildren(
        t("connection.rejected") + " ",
        button(t("connection.reload"), () => location.reload()),
      );
  }

  return {
    element,
    draw,
    playAgain: commandButtons.playAgain,
    /** @param {string} cell */
    focusBoard: (cell) => boardArea.focus(cell),
    /** @param {import("./speech.js").Speech} words */
    say: (words) => speech.part()?.say(words),
    dispose() {
      setTicks(false);
      clearTimeout(rewinding);
      for (const remove of removers) remove();
      for (const part of parts) part.dispose?.();
      element.remove();
    },
  };
}

/** Create the link to the start page from where no room is. */
const newRoomLink = () => pageLink(homeUrl(), { class: "button primary", text: t("room.new") });

/** Create the content of a page that is not there: why, and where to go on. @param {string} title @param {string} why */
export const createPageNote = (title, why, link = newRoomLink()) =>
  h("section", { class: "page-note" }, h("h1", { tabindex: -1, text: title }), h("p", { text: why }), link);

/** Where a closed room leads. In a tournament the next game opens by itself. @returns {Part} */
function createNewRoomLink() {
  const element = h("p", { class: "new-room", hidden: true }, newRoomLink());
  return { element, draw: ({ view }) => show(element, view.phase === "closed" && !view.tournament) };
}

/**
 * The levels of the engine under the turn, for the next game. After the end of a game, only the level to try is left of them.
 * @param {RoomContext} context @returns {Part}
 */
function createRoomLadder({ change }) {
  const { element, draw } = createLadder((level) => void change({ level }), "next-level");
  show(element, false);
  return {
    element,
    draw(state) {
      const seat = state.you.mark && state.view.seats[opponentOf(state.you.mark)];
      const variant = nextVariantOf(state);
      const isShown = playsEngine(state) && state.reviewed === null && !state.view.game?.from;
      show(element, isShown && state.view.phase !== "closed");
      if (isShown && variant && seat?.kind === "engine") draw(variant, state.plan?.level ?? seat.level);
    },
  };
}

/** The cards that invite and seat a friend. @param {RoomContext} context */
const createCards = (context) =>
  createLater("cards", async () => (await import("../room/invitations.js")).createCards(context), {
    onError: () => warn(t("error.unreachable")),
    needs: (/** @type {OpenState} */ { view }) => view.game === null,
  });

/** The card of the end. It is loaded before a game ends. If that fails, the next change tries again. @param {RoomContext} context */
const createCard = (context) =>
  createLater("card-holder", async () => (await import("../room/outcome_card.js")).createOutcomeCard(context));

/** The review of a game. @param {RoomContext} context @returns {Part} */
function createReviewHolder(context) {
  const { element, draw } = createLater(
    "review-holder",
    async () => {
      const [module] = await Promise.all([import("../review/review.js"), addTexts("server")]);
      return module.createReview(context);
    },
    { onError: () => warnOfModule(), onReady: (review) => review.focus() },
  );
  show(element, false);
  return {
    element,
    draw(state) {
      show(element, state.reviewed !== null);
      if (state.reviewed !== null) draw(state);
    },
  };
}
