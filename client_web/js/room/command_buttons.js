import { button, h, icon, setAttr, setText, show } from "../browser/dom.js";
import { can, MARKS, opponentOf } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { hasPeople, isOver } from "./state.js";

/**
 * The row of buttons below the board. Each button keeps its column whatever arrives: draw, take back and resign while a game
 * is on, then rematch and review; chat and more always. A button never takes over the column of one that cannot be undone.
 */

/** @import { Command } from "../net/messages.js" */
/** @import { OpenState, RoomContext } from "./state.js" */

const ICONS = {
  draw: "M4 9h16M4 15h16",
  takeback: "M9 5 4 10l5 5M4 10h10q6 0 6 5t-6 5h-3",
  resign: "M6 21V4M6 4h11l-3 4 3 4H6",
  review: "M4 12h16M8 8v8M14 8v8M18 10v4",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
};

/**
 * Return the label of the rematch button, and the command that it sends, or null.
 * @param {OpenState} state @returns {{label: string, command: Command|null}}
 */
function rematchOf({ view, you, passAndPlay }) {
  const game = view.game?.number;
  const offers = view.offers.filter(({ what }) => what === "rematch");
  const isSent = offers.some(({ by }) => by === you.mark);
  const isOffered = offers.some(({ by }) => by !== you.mark);
  const label = t(`command.rematch${passAndPlay ? "" : isSent ? ".sent" : isOffered ? ".accept" : ""}`);
  if (can(you, "answer:rematch") && isOffered)
    return { label, command: { type: "answer", what: "rematch", accept: true, game } };
  return { label, command: can(you, "offer:rematch") && !isSent ? { type: "offer", what: "rematch", game } : null };
}

/** @param {RoomContext} context */
export function createCommandButtons({ sendCommand, dispatch, openChat }) {
  /** @type {OpenState|null} */
  let state = null;
  const badge = h("span", { class: "badge", hidden: true });

  /** @param {keyof typeof ICONS} name @param {() => void} run */
  const quiet = (name, run) => {
    const label = h("span", { text: t(`command.${name}`) });
    return {
      label,
      element: h("button", { type: "button", class: `quiet ${name}`, on: { click: run } }, icon(ICONS[name]), label),
    };
  };
  /** @param {"draw"|"takeback"} what */
  const offer = (what) => () => void (state && sendCommand({ type: "offer", what, game: state.view.game?.number }));
  const draw = quiet("draw", offer("draw"));
  const takeback = quiet("takeback", offer("takeback"));
  const resign = quiet("resign", () => dialog.showModal());
  const review = quiet("review", () => reviewGame());
  const chat = quiet("chat", openChat);
  const more = quiet("more", () => dispatch({ type: "sheet", sheet: "more" }));
  const rematch = button(t("command.rematch"), () => playAgain(), "rematch primary");
  const resignYes = button(t("command.resign.yes"), confirmResign, "danger");
  const dialog = h(
    "dialog",
    { class: "dialog" },
    h("p", { text: t("command.resign.sure") }),
    h(
      "div",
      { class: "buttons" },
      resignYes,
      button(t("cancel"), () => dialog.close()),
    ),
  );
  chat.element.append(badge);
  const element = h(
    "div",
    { class: "commands", role: "group", "aria-label": t("commands") },
    draw.element,
    takeback.element,
    resign.element,
    rematch,
    review.element,
    chat.element,
    more.element,
    dialog,
  );

  function confirmResign() {
    dialog.close();
    if (state) void sendCommand({ type: "resign", game: state.view.game?.number });
  }

  function reviewGame() {
    const game = state?.reviewed === null ? (state.view.game?.number ?? null) : null;
    dispatch({ type: "review", game });
  }

  function playAgain() {
    const command = state && rematchOf(state).command;
    if (command) void sendCommand(command);
  }

  return {
    element,
    playAgain,
    /** @param {OpenState} newState */
    draw(newState) {
      state = newState;
      const { view, you, passAndPlay } = newState;
      const isSeated = you.mark !== null;
      const over = isOver(newState);
      const hasOpponent = isSeated && (passAndPlay || MARKS.every((mark) => view.seats[mark] !== null));
      const isEngine = isSeated && !passAndPlay && view.seats[opponentOf(you.mark ?? "X")]?.kind === "engine";
      /** @param {"draw"|"takeback"} what */
      const canOffer = (what) => can(you, "offer:" + what) && !view.offers.some((entry) => entry.what === what);
      for (const { element: node } of [draw, takeback, resign])
        show(node, isSeated && view.game !== null && !over && view.phase !== "closed");
      draw.element.disabled = !canOffer("draw");
      takeback.element.disabled = !canOffer("takeback");
      resign.element.disabled = !can(you, "resign");
      setText(draw.label, t(passAndPlay ? "command.draw.agree" : "command.draw"));
      setText(takeback.label, t("command.takeback"));
      setAttr(takeback.element, "title", t(passAndPlay || isEngine ? "command.takeback" : "command.takeback.ask"));
      setAttr(draw.element, "title", t(passAndPlay ? "command.draw.agree" : "command.draw.offer"));
      show(rematch, isSeated && over && view.phase !== "closed");
      const { label, command } = rematchOf(newState);
      rematch.disabled = !hasOpponent || command === null;
      setText(rematch, label);
      show(review.element, view.game !== null && (over || !isSeated));
      setAttr(review.element, "aria-pressed", String(newState.reviewed !== null));
      show(chat.element, hasPeople(newState));
      show(badge, newState.newLines > 0);
      setAttr(badge, "data-count", newState.newLines > 9 ? "9+" : String(newState.newLines));
      setAttr(chat.element, "aria-label", newState.newLines ? t("command.chat.new", { n: newState.newLines }) : null);
      element.dataset["over"] = String(over);
      if (!can(you, "resign") && dialog.open) dialog.close();
    },
  };
}
