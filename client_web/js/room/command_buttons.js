import { warnOnError } from "../net/failures.js";
import { button, h, icon, oneAtATime, setAttr, setText, show } from "../browser/dom.js";
import { can, MARKS, opponentOf } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { avoidableMove } from "./analysis.js";
import { hasChat, hasPeople, isOver, variantOf } from "./state.js";

/**
 * The buttons below the board, as the game needs them: against the engine a new game and take back; against people
 * take back, and on large boards draw and resign. Those two are in the menu elsewhere. After the end, rematch and review, and after a loss,
 * the way back to the move that need not have lost. Chat
 * and the menu are always there. A tournament has neither take back nor rematch. No button
 * takes over the column of one that cannot be undone.
 */

/** @import { Command } from "../net/messages.js" */
/** @import { OpenState, RoomContext } from "./state.js" */

const ICONS = {
  new: "M19 12a7 7 0 1 1-2.500-5.400M19 3v5h-5",
  draw: "M4 9h16M4 15h16",
  takeback: "M9 5 4 10l5 5M4 10h10q6 0 6 5t-6 5h-3",
  resign: "M6 21V4M6 4h11l-3 4 3 4H6",
  from: "M20 18v-3q0-6-6-6H5M9 5 5 9l4 4",
  review: "M4 12h16M8 8v8M14 8v8M18 10v4",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
};
const SMALL_BOARD = 25; // cells, up to which draw and resign are in the menu

/** Return whether you play the engine itself, and not as a stand-in for a player. @param {OpenState} state */
export function playsEngine({ view, you, passAndPlay }) {
  const seat = you.mark && !passAndPlay ? view.seats[opponentOf(you.mark)] : null;
  return seat?.kind === "engine" && !seat.holding_for;
}

/** Return whether a player can still end or take back something in the game on the board. @param {OpenState} state */
const isPlaying = (state) =>
  state.you.mark !== null && state.view.game !== null && !isOver(state) && state.view.phase !== "closed";

/** Return whether draw and resign are in the menu. @param {OpenState} state */
export function hidesEnds(state) {
  const cells = variantOf(state)?.shape.reduce((product, size) => product * size, 1) ?? 0;
  return isPlaying(state) && (playsEngine(state) || cells <= SMALL_BOARD);
}

/**
 * Ask before a command is sent. Withdrawing the question sends nothing.
 * @param {MouseEvent} click @param {string} question @param {() => unknown} run
 */
export const askFirst = (click, question, run) =>
  warnOnError(async () => {
    const { ask } = await import("../start/confirmed.js");
    ask(click, question, run);
  });

/** Return the text of the draw button and its question. @param {OpenState|null} state */
export const drawTexts = (state) =>
  state?.passAndPlay
    ? { label: t("command.draw.agree"), question: t("command.draw.agree.sure") }
    : { label: t("command.draw.offer"), question: t("command.draw.sure") };

/** @param {OpenState} state @param {"draw"|"takeback"} what */
export const canOffer = ({ view, you }, what) =>
  can(you, "offer:" + what) && !view.offers.some((entry) => entry.what === what);

/**
 * Return the label of the rematch button, and the command that it sends, or null.
 * @param {OpenState} state @returns {{label: string, command: Command|null}}
 */
function rematchOf({ view, you, passAndPlay }) {
  const game = view.game?.number;
  const offers = view.offers.filter(({ what }) => what === "rematch");
  const isSent = offers.some(({ by }) => by === you.mark);
  const isOffered = offers.some(({ by }) => by !== you.mark);
  const isNext = view.series !== null && !view.series.over && !isSent;
  const label = t(
    isNext ? "series.next" : `command.rematch${passAndPlay ? "" : isSent ? ".sent" : isOffered ? ".accept" : ""}`,
  );
  if (can(you, "answer:rematch") && isOffered)
    return { label, command: { type: "answer", what: "rematch", accept: true, game } };
  return { label, command: can(you, "offer:rematch") && !isSent ? { type: "offer", what: "rematch", game } : null };
}

/** @param {RoomContext} context */
export function createCommandButtons({ sendCommand, dispatch, change, play }) {
  /** @type {OpenState|null} */
  let state = null;
  const badge = h("span", { class: "badge", hidden: true });

  /** @param {keyof typeof ICONS} name @param {(click: MouseEvent) => unknown} run */
  const quiet = (name, run) => {
    const label = h("span", { text: t(`command.${name}`) });
    const element = button("", run, `quiet ${name}`);
    element.append(icon(ICONS[name]), label);
    return { label, element };
  };
  /** @param {"draw"|"takeback"} what */
  const offer = (what) => () => state && sendCommand({ type: "offer", what, game: state.view.game?.number });
  const fresh = quiet("new", () => change());
  const takeback = quiet("takeback", offer("takeback"));
  const draw = quiet("draw", (click) => askFirst(click, drawTexts(state).question, offer("draw")));
  const resign = quiet("resign", (click) =>
    askFirst(
      click,
      t("command.resign.sure"),
      () => state && sendCommand({ type: "resign", game: state.view.game?.number }),
    ),
  );
  const from = quiet("from", () => {
    dispatch({ type: "rewind" });
    play(null);
  });
  takeback.element.dataset["repeats"] = "";
  from.element.hidden = true; // it has a column of its own
  const review = quiet("review", () => reviewGame());
  const chat = quiet("chat", () => dispatch({ type: "sheet", sheet: "chat" }));
  const more = quiet("more", () => dispatch({ type: "sheet", sheet: "more" }));
  const rematch = button(t("command.rematch"), () => playAgain(), "rematch primary");
  chat.element.append(badge);
  const element = h(
    "div",
    { class: "commands", role: "group", "aria-label": t("commands") },
    fresh.element,
    draw.element,
    takeback.element,
    resign.element,
    rematch,
    from.element,
    review.element,
    chat.element,
    more.element,
  );

  function reviewGame() {
    const game = state?.reviewed === null ? (state.view.game?.number ?? null) : null;
    dispatch({ type: "review", game });
  }

  const playAgain = oneAtATime(() => {
    const command = state && rematchOf(state).command;
    return command && (state?.plan ? change(state.plan) : sendCommand(command));
  });

  return {
    element,
    chat: chat.element,
    playAgain,
    /** @param {OpenState} newState */
    draw(newState) {
      state = newState;
      const { view, you, passAndPlay } = newState;
      const isSeated = you.mark !== null;
      const over = isOver(newState);
      const playing = isPlaying(newState);
      const isEngine = playsEngine(newState);
      const hasOpponent = isSeated && (passAndPlay || MARKS.every((mark) => view.seats[mark] !== null));
      // Before your first move there is nothing to take back, and the engine takes nothing back on a clock.
      const plies = (view.game?.moves.length ?? 0) - (view.game?.from ?? 0);
      const takesBack = can(you, "offer:takeback") || (plies > 1 && !(isEngine && view.clock));
      show(fresh.element, playing && isEngine && takesBack);
      fresh.element.disabled = !can(you, "offer:takeback");
      show(takeback.element, playing && !view.tournament && takesBack);
      for (const { element: node } of [draw, resign]) show(node, playing && !hidesEnds(newState));
      draw.element.disabled = !canOffer(newState, "draw");
      takeback.element.disabled = !canOffer(newState, "takeback");
      resign.element.disabled = !can(you, "resign");
      setText(takeback.label, t("command.takeback"));
      setAttr(takeback.element, "title", t(passAndPlay || isEngine ? "command.takeback" : "command.takeback.ask"));
      setAttr(draw.element, "title", drawTexts(newState).label);
      show(rematch, isSeated && over && view.phase !== "closed" && !view.tournament);
      const { label, command } = rematchOf(newState);
      rematch.disabled = !hasOpponent || command === null;
      setText(rematch, label);
      const isLost = isSeated && !passAndPlay && over && view.game?.outcome?.winner === opponentOf(you.mark ?? "X");
      show(from.element, isLost && newState.reviewed === null && !view.tournament);
      from.element.disabled = avoidableMove(newState) === null;
      from.element.classList.toggle(
        "void",
        from.element.disabled && (newState.analysis !== null || newState.analysisFailed),
      );
      show(review.element, over);
      setAttr(review.element, "aria-pressed", String(newState.reviewed !== null));
      show(chat.element, hasPeople(newState) && hasChat(newState) && newState.layout !== "wide"); // there it is beside the board
      show(badge, newState.newLines > 0);
      setAttr(badge, "data-count", newState.newLines > 9 ? "9+" : String(newState.newLines));
      setAttr(chat.element, "aria-label", newState.newLines ? t("command.chat.new", { n: newState.newLines }) : null);
      element.dataset["over"] = String(over);
    },
  };
}
