import { createBoard, enterCell } from "../board/board.js";
import { heldAt } from "../board/mistakes.js";
import { positionOf } from "../board/picture.js";
import { replayAt } from "../board/replay.js";
import { h } from "../browser/dom.js";
import { confirmation } from "../browser/preferences.js";
import { can, hasStandIn } from "../net/view.js";
import { t } from "../texts/i18n.js";
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
  const key = state.reviewedGame === null ? null : shownRecord(state)?.variant;
  return state.variants.find((variant) => variant.key === key) ?? variantOf(state);
}

/** Return the position at the shown ply. @param {OpenState} state @param {import("../net/messages.js").Variant} variant */
function shownPosition(state, variant) {
  const { view, reviewing, reviewedGame, analysis } = state;
  const record = shownRecord(state);
  if (reviewedGame !== null && !record) return positionOf(variant, null);
  const step = state.step ?? (reviewedGame === null ? null : (record?.moves.length ?? null));
  if (step === null || !record || step > record.moves.length) return positionOf(variant, view.game);
  return { ...replayAt(record, step), variant, rings: reviewing && record.outcome ? heldAt(analysis, step) : [] };
}

/** @param {RoomContext} context */
export function createBoardArea(context) {
  const { dispatch, play } = context;
  /** @type {ReturnType<typeof createBoard>|null} */
  let board = null;
  let boardKey = "";
  const holder = h("div", { class: "board-holder" }, h("div", { class: "board-placeholder" }));
  const cards = createCards(context);
  const reactions = createReactions();
  const element = h("div", { class: "board-area" }, holder, cards.element, reactions.element);

  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      cards.draw(state);
      const { view, you, move } = state;
      const variant = shownVariant(state);
      if (!variant) return;
      const slanted = state.slanted && variant.shape.length > 2;
      const key = `${variant.key} ${slanted}`;
      if (boardKey !== key) {
        board?.dispose();
        boardKey = key;
        board = createBoard({
          label: t("room.board", { variant: variant.name }),
          variant,
          slanted,
          onPlay: play,
          onFirstTap: (cell) => dispatch({ type: "confirm_tap", cell }),
          confirmation,
        });
        holder.replaceChildren(board.element);
      }
      const { game } = view;
      const isNewest = state.step === null && state.reviewedGame === null;
      const isTurn = isNewest && can(you, "move") && game !== null && game.turn !== null && !hasStandIn(view, you);
      const pending = isNewest ? (move?.cell ?? null) : null;
      // A move that waits for its answer keeps its mark. While the connection is lost it is hollow, and sent later.
      board?.draw({
        ...shownPosition(state, variant),
        mark: isTurn || pending ? (game?.turn ?? null) : null,
        pending,
        queued: isQueued(state),
      });
    },
    focus: () => board?.focus(),
    showReaction: reactions.show,
    enterCell: () => board && void enterCell(board),
    dispose: () => board?.dispose(),
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
