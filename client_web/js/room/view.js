import { createMoveList } from "../board/moves.js";
import { positionOf } from "../board/picture.js";
import { button, h, listen, setAttr, setText, show, startInterval } from "../browser/dom.js";
import { warn } from "../browser/notices.js";
import { playSound } from "../browser/sound.js";
import { homeUrl } from "../net/urls.js";
import { can } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { createBoardArea, createReactions } from "./board_area.js";
import { createCommandButtons } from "./command_buttons.js";
import { createInvitation, createShareCard } from "./invitations.js";
import { createOutcomeCard } from "./outcome_card.js";
import { createPlayerBars, hasRunningClock, shownTime } from "./player_bars.js";
import { OPEN_ROOM_DELAY_MS, promptCounts, promptOf } from "./prompt.js";
import { createPromptBar } from "./prompt_bar.js";
import { isYourTurn } from "./report.js";
import { createSheet } from "./sheet.js";
import { isOver, isQueued, isStill, timeOf, variantOf } from "./state.js";
import { statusText } from "./text.js";

/** The elements of a room's page, drawn from its state. */

/** @import { Mark } from "../net/messages.js" */
/** @import { OpenState, RoomState } from "./state.js" */

const LAST_SECONDS_MS = 10_000;
/** The widths of room.css. @type {[import("./state.js").Layout, MediaQueryList][]} */
const LAYOUTS = [
  ["wide", matchMedia("(min-width: 75em) and (min-height: 37.5em)")],
  ["column", matchMedia("(min-width: 50em) and (min-height: 37.5em)")],
];

/**
 * @param {{id: string, sendCommand: import("../room/state.js").SendCommand,
 *   dispatch: import("../room/state.js").Dispatch, play: (cell: string) => void,
 *   sit: (mark: Mark, name: string) => Promise<void>, leave: () => void, now: () => number}} options
 */
export function createRoomView({ id, sendCommand, dispatch, play, sit, leave, now }) {
  /** @type {OpenState|null} */
  let drawn = null;
  /** @type {import("../review/review.js").Review|null} */
  let review = null;
  let isLoadingReview = false;
  let lastSecond = -1;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let aloneTimer;

  const title = h("h1", { class: "visually-hidden", tabindex: -1, text: t("connection.connecting") });
  const status = h("p", { class: "status" });
  const banner = h("p", { class: "banner", role: "status", text: t("connection.connecting") });
  const toasts = h("div", { class: "toasts page-toasts", role: "status", "aria-live": "polite" });
  const newRoomLink = h(
    "p",
    { class: "new-room", hidden: true },
    h("a", { class: "button primary", href: homeUrl(), "data-page-link": "", text: t("room.new") }),
  );
  const playerBars = createPlayerBars();
  const invitation = createInvitation(sit);
  const shareCard = createShareCard(id);
  const cards = h("div", { class: "board-overlay", hidden: true }, invitation.element, shareCard.element);
  const reactions = createReactions();
  const boardArea = createBoardArea({
    play,
    aim: (cell) => dispatch({ type: "aim", cell }),
    overlays: [cards, reactions.element],
  });
  const promptBar = createPromptBar({ sendCommand, dispatch, play });
  const outcomeCard = createOutcomeCard({
    share: () => void shareGame(),
    change: () => dispatch({ type: "sheet", sheet: "change" }),
    review: () => dispatch({ type: "review", open: true }),
  });
  const sheet = createSheet({
    id,
    sendCommand,
    dispatch,
    leave,
    review: () => stepBack(),
    share: () => void shareGame(),
  });
  const commandButtons = createCommandButtons({ sendCommand, dispatch, openChat: sheet.openChat });
  const reviewHolder = h("div", { class: "review-holder", hidden: true });
  const moveList = createMoveList({ step: (ply) => dispatch({ type: "step", ply }) });
  const moves = h("section", { class: "moves", "aria-label": t("review.moves") }, moveList.element);
  const zone = h(
    "div",
    { class: "zone" },
    h("div", { class: "status-line" }, status, banner, toasts),
    outcomeCard.element,
    reviewHolder,
    promptBar.element,
    newRoomLink,
    moves,
  );
  const element = h(
    "div",
    { class: "room" },
    title,
    playerBars.upper,
    boardArea.element,
    playerBars.lower,
    zone,
    commandButtons.element,
    sheet.element,
  );
  const ticker = createTicker(tick);
  const removers = [
    ...LAYOUTS.map(([, query]) => listen(query, "change", look)),
    listen(document, "visibilitychange", look),
  ];
  look();

  /** Say what the player can see of the page. */
  function look() {
    const layout = LAYOUTS.find(([, query]) => query.matches)?.[0] ?? "narrow";
    dispatch({ type: "sight", layout, isHidden: document.hidden });
  }

  function tick() {
    if (!drawn) return;
    const at = timeOf(drawn, now());
    playerBars.tick(drawn, at);
    promptBar.draw(drawn, promptOf(drawn, at));
    const { mark } = drawn.you;
    const time = mark && isYourTurn(drawn) ? shownTime(drawn, mark, at) : null;
    const second = time?.isRunning && time.ms < LAST_SECONDS_MS ? Math.ceil(time.ms / 1000) : -1;
    if (second > 0 && second !== lastSecond) playSound("second");
    lastSecond = second;
  }

  /** Step to the ply before the newest one. */
  function stepBack() {
    const ply = drawn?.view.game?.moves.length ?? 0;
    if (ply > 0) dispatch({ type: "step", ply: ply - 1 });
  }

  async function shareGame() {
    if (!drawn?.view.game) return;
    try {
      const { openShareDialog } = await import("../room/share_game.js");
      const variant = variantOf(drawn);
      if (variant) openShareDialog({ variant, game: drawn.view.game, position: positionOf(variant, drawn.view.game) });
    } catch {
      warn(t("error.unreachable"));
    }
  }

  /** @param {RoomState} state */
  function draw(state) {
    drawConnection(state);
    if (!state.view || !state.variants.length) return;
    const open = /** @type {OpenState} */ (state);
    drawn = open;
    const { view, you, passAndPlay } = open;
    const focus = document.activeElement;
    const at = timeOf(state, now());
    setText(title, t("room.title", { variant: variantOf(open)?.name ?? view.variant }));
    setAttr(element, "data-phase", view.phase);
    setAttr(element, "data-alone", passAndPlay ? "" : null);
    setText(
      status,
      open.aimed
        ? t("cell.aimed", { cell: open.aimed })
        : isOver(open) && view.phase !== "closed"
          ? ""
          : statusText(open),
    );
    setAttr(status, "data-yours", isYourTurn(open) ? you.mark : null);
    playerBars.draw(open, at);
    boardArea.draw(open);
    drawCards(open);
    promptBar.draw(open, promptOf(open, at));
    show(outcomeCard.element, isOver(open) && !open.reviewing && view.phase !== "closed");
    if (!outcomeCard.element.hidden) outcomeCard.draw(open);
    drawReview(open);
    drawMoves(open);
    commandButtons.draw(open);
    sheet.draw(open);
    show(newRoomLink, view.phase === "closed");
    ticker.set(state.stoppedAt === null && view.phase !== "closed" && (hasRunningClock(open) || promptCounts(open)));
    waitAlone(open);
    if (focus instanceof HTMLElement && focus !== document.body && (!focus.isConnected || focus.closest("[hidden]")))
      boardArea.focus();
  }

  /** @param {RoomState} room */
  function drawConnection(room) {
    const {
      connection: { state, code, blocked },
      view,
    } = room;
    setAttr(element, "data-connection", state);
    setAttr(element, "data-still", isStill(room) ? "" : null);
    if (state === "ended") {
      if (code !== 4410 && code !== 1000 && !banner.querySelector("button")) {
        banner.replaceChildren(
          t("connection.rejected") + " ",
          button(t("connection.reload"), () => location.reload()),
        );
      } else if (code === 4410) setText(banner, view ? "" : t("room.closed"));
    } else {
      const suffix = isQueued(room) ? /** @type {const} */ (".kept") : "";
      setText(
        banner,
        state === "open"
          ? ""
          : t(
              blocked
                ? "connection.blocked"
                : state === "connecting"
                  ? "connection.connecting"
                  : `connection.${state}${suffix}`,
            ),
      );
    }
  }

  /**
   * Before the first game the cards cover the empty board, so that nothing moves when it starts.
   * @param {OpenState} state
   */
  function drawCards(state) {
    const { view } = state;
    invitation.draw(state);
    shareCard.draw(state);
    show(
      cards,
      view.game === null && view.phase !== "closed" && (!invitation.element.hidden || !shareCard.element.hidden),
    );
  }

  /** Beside the board, list the moves. The review has a list of its own. @param {OpenState} state */
  function drawMoves({ view, step, reviewing, layout }) {
    const isShown = layout !== "narrow" && !reviewing && view.phase !== "closed";
    show(moves, isShown);
    const played = view.game?.moves ?? [];
    if (isShown) moveList.draw(played, step ?? played.length);
  }

  /** @param {OpenState} state */
  function drawReview(state) {
    show(reviewHolder, state.reviewing);
    if (!state.reviewing) return;
    if (review) review.draw(state);
    else if (!isLoadingReview) {
      isLoadingReview = true;
      import("../review/review.js")
        .then(({ createReview }) => {
          review = createReview({ dispatch });
          reviewHolder.replaceChildren(review.element);
          if (drawn) review.draw(drawn);
          review.focus();
        })
        .catch(() => {
          isLoadingReview = false;
          warn(t("error.unreachable"));
        });
    }
  }

  /** In an open room the engine is offered after a while. @param {OpenState} state */
  function waitAlone({ view, isAlone, you }) {
    const waits =
      view.join === "open" &&
      view.phase === "waiting" &&
      you.mark !== null &&
      can(you, "seat_engine:" + (you.mark === "X" ? "O" : "X"));
    if (isAlone || !waits) {
      clearTimeout(aloneTimer);
      aloneTimer = undefined;
    } else
      aloneTimer ??= setTimeout(
        () => dispatch({ type: "alone" }),
        Math.max(0, view.created_ms + OPEN_ROOM_DELAY_MS - now()),
      );
  }

  return {
    element,
    draw,
    playAgain: commandButtons.playAgain,
    enterCell: boardArea.enterCell,
    showReaction: reactions.show,
    dispose() {
      clearTimeout(aloneTimer);
      ticker.set(false);
      for (const remove of removers) remove();
      boardArea.dispose();
      element.remove();
    },
  };
}

/** A timer that runs only while something on the page counts time. */

const TICK_MS = 200;

/** @param {() => void} tick */
export function createTicker(tick) {
  /** @type {(() => void)|null} */
  let stop = null;
  return {
    /** @param {boolean} isNeeded */
    set(isNeeded) {
      if (isNeeded === (stop !== null)) return;
      stop?.();
      stop = isNeeded ? startInterval(TICK_MS, tick) : null;
    },
  };
}
