import { createBoardHolder } from "../board/board.js";
import { heldAt } from "../board/mistakes.js";
import { positionOf } from "../board/picture.js";
import { replayAt } from "../board/replay.js";
import { h } from "../browser/dom.js";
import { can, hasStandIn } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { judgeRetry, retryAt } from "./analysis.js";
import { createCards } from "./invitations.js";
import { isQueued, shownGame, variantOf } from "./state.js";

/** The board of a room, at the newest ply or at the ply of a step back, with what lies over it. */

/** @import { OpenState, RoomContext } from "./state.js" */

const MAX_REACTIONS = 4;
const REACTION_MS = 4000;

/** Return the record of the game on the board, if it is there. @param {OpenState} state */
const shownRecord = (state) => (state.record?.number === shownGame(state) ? state.record : null);

/** Return the variant of the game on the board, which may be an earlier one under review. @param {OpenState} state */
function shownVariant(state) {
  const key = shownRecord(state)?.variant;
  return state.variants.find((variant) => variant.key === key) ?? variantOf(state);
}

/** Return the mistake that the player can mend on the board, while the move that held is not found. @param {OpenState} state */
function retryIn(state) {
  const { reviewed, analysis, step, retry } = state;
  return reviewed === null || retry?.isFound ? null : retryAt(shownRecord(state), analysis, step);
}

/** Return the position at the shown ply. @param {OpenState} state @param {import("../net/messages.js").Variant} variant */
function shownPosition(state, variant) {
  const { view, reviewed, analysis } = state;
  const record = shownRecord(state);
  const step = state.step ?? (reviewed === null ? null : (record?.moves.length ?? null));
  if (record && step !== null && step <= record.moves.length)
    return {
      ...replayAt(record, step),
      variant,
      rings: reviewed === null || retryIn(state) ? [] : heldAt(analysis, step),
    };
  return positionOf(variant, shownGame(state) === view.game?.number ? view.game : null);
}

/** @param {RoomContext} context */
export function createBoardArea(context) {
  const { dispatch, play } = context;
  /** @type {OpenState|null} */
  let drawn = null;
  const board = createBoardHolder({
    onPlay(cell) {
      const mistake = drawn && retryIn(drawn);
      if (!drawn || !mistake) play(cell);
      else if (judgeRetry(mistake, cell))
        dispatch({ type: "retry", game: shownGame(drawn), retry: { legal: [], isFound: true } });
    },
    onFirstTap: (cell) => dispatch({ type: "confirm_tap", cell }),
  });
  const cards = createCards(context);
  const reactions = createReactions();
  const element = h("div", { class: "board-area" }, board.element, cards.element, reactions.element);

  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      cards.draw(state);
      drawn = state;
      const { view, you, move } = state;
      const variant = shownVariant(state);
      if (!variant) return;
      const { game } = view;
      const isNewest = state.step === null && state.reviewed === null;
      const isTurn = isNewest && can(you, "move") && game !== null && game.turn !== null && !hasStandIn(view, you);
      const pending = isNewest ? (move?.cell ?? null) : null;
      // A move that waits for its answer keeps its mark. While the connection is lost it is hollow, and sent later.
      const retry = state.retry && retryIn(state);
      const mark = retry ? retry.mark : isTurn || pending ? (game?.turn ?? null) : null;
      const position = { ...shownPosition(state, variant), mark, pending, queued: isQueued(state) };
      if (retry) position.legal = state.retry?.legal;
      board.draw(variant, position, state.slanted);
    },
    focus: board.focus,
    celebrate: board.celebrate,
    showReaction: reactions.show,
    dispose: board.dispose,
  };
}

/** Create the reactions over the board, each for a few seconds. */
function createReactions() {
  const element = h("div", { class: "reaction-overlay", "aria-hidden": "true" });
  return {
    element,
    /** @param {import("../net/messages.js").ReactionMessage} message */
    show({ from, emoji }) {
      const chip = h(
        "span",
        { class: "chip", "data-mark": from.mark },
        h("b", { text: emoji }),
        " " + (from.name || t("guest.someone")),
      );
      element.append(chip);
      while (element.childElementCount > MAX_REACTIONS) element.firstElementChild?.remove();
      setTimeout(() => chip.remove(), REACTION_MS);
    },
  };
}
