import { createBoardHolder } from "../board/board.js";
import { openingCells } from "../board/layout.js";
import { positionOf } from "../board/picture.js";
import { replayAt } from "../board/replay.js";
import { h, setAttr } from "../browser/dom.js";
import { knownVariant } from "../net/api.js";
import { can, canInvite, hasStandIn } from "../net/view.js";
import { trialOf, trialPosition } from "./analysis.js";
import { isQueued, shownGame, variantOf } from "./state.js";

/**
 * The board of a room, at the newest ply or at the ply of a step back. Before a friend is here, its first cell opens a game
 * against the engine.
 */

/** @import { OpenState, RoomContext, RoomState } from "./state.js" */

/** Return the record of the game on the board, if it is there. @param {RoomState} state */
const shownRecord = (state) => (state.record?.number === shownGame(state) ? state.record : null);

/** Return the variant of the game on the board, which may be an earlier one under review. @param {OpenState} state */
function shownVariant(state) {
  return knownVariant(shownRecord(state)?.variant) ?? variantOf(state);
}

/** Return the position at the shown ply. @param {RoomState} state @param {import("../net/messages.js").Variant} variant */
export function shownPosition(state, variant) {
  const { view, reviewed, legal, glimpse } = state;
  const record = shownRecord(state);
  if (record && glimpse)
    return { ...replayAt(record, glimpse), variant, rings: [record.moves[glimpse - 1]?.cell ?? ""] };
  const trial = trialOf(state);
  const step = state.step ?? (reviewed === null ? (trial?.ply ?? null) : (record?.moves.length ?? null));
  if (record && step !== null && step <= record.moves.length) {
    const replayed = { ...replayAt(record, step), variant };
    if (!trial) return replayed;
    return { ...replayed, ...trialPosition(trial, replayed.marks, legal?.ply === trial.ply ? legal.cells : undefined) };
  }
  return positionOf(variant, shownGame(state) === view?.game?.number ? view.game : null);
}

/** @param {RoomContext} context */
export function createBoardArea(context) {
  const { dispatch, play } = context;
  const board = createBoardHolder({
    onPlay: play,
    onFirstTap: (cell) => dispatch({ type: "confirm_tap", cell }),
  });

  const element = h("div", { class: "board-area" }, board.element);

  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { view, you, move } = state;
      const variant = shownVariant(state);
      if (!variant) return;
      const { game } = view;
      const isNewest = state.step === null && state.reviewed === null;
      const isTurn = isNewest && can(you, "move") && game !== null && game.turn !== null && !hasStandIn(view, you);
      const pending = isNewest ? (move?.cell ?? null) : null;
      // A move that waits for its answer keeps its mark. While the connection is lost it is hollow, and sent later.
      const mark = isTurn || pending ? (game?.turn ?? null) : null;
      const position = { mark, ...shownPosition(state, variant), pending, queued: isQueued(state) };
      const isAwaiting = game === null && canInvite(state);
      const opening = isAwaiting ? { mark: you.mark, legal: openingCells(variant) } : {};
      // Until then a tap on the board is no move of the game.
      setAttr(element, "data-awaits", isAwaiting ? "friend" : state.knocks ? "tap" : null);
      board.draw(variant, { ...position, ...opening }, state.slanted);
    },
    focus: board.focus,
    celebrate: board.celebrate,
    dispose: board.dispose,
  };
}
