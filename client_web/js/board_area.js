import { createBoard } from "./board.js";
import { positionOf } from "./board_picture.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { heldAt } from "./mistakes.js";
import { replayAt } from "./replay.js";
import { variantOf } from "./room_state.js";
import { can, hasStandIn } from "./view.js";

/** The board of a room: at the newest ply, or at the ply of a step back. */

/** @typedef {import("./room_state.js").OpenState} OpenState */

/** Return the position at the shown ply. @param {OpenState} state @param {import("./messages.js").Variant} variant */
function shownPosition({ view, step, record, reviewing, analysis }, variant) {
  const game = view.game;
  if (step === null || !record || !game || record.number !== game.number || step > record.moves.length) return positionOf(variant, game);
  return { ...replayAt(record, step), variant, rings: reviewing && view.game?.outcome ? heldAt(analysis, step) : [] };
}

/** @param {{play: (cell: string) => void, aim: (cell: string|null) => void, overlays: HTMLElement[]}} options */
export function createBoardArea({ play, aim, overlays }) {
  /** @type {ReturnType<typeof createBoard>|null} */
  let board = null;
  let boardVariant = "";
  const holder = h("div", { class: "board-holder" }, h("div", { class: "board-placeholder" }));
  const element = h("div", { class: "board-area" }, holder, ...overlays);

  return {
    element,
    /** @param {OpenState} state @param {boolean} isConnected */
    draw(state, isConnected) {
      const { view, you, move } = state;
      const variant = variantOf(state);
      if (!variant) return;
      if (boardVariant !== variant.key) {
        board?.dispose();
        boardVariant = variant.key;
        board = createBoard({
          label: t("room.board", { variant: variant.name }), variant, onPlay: play, onAim: aim,
        });
        holder.replaceChildren(board.element);
      }
      const { game } = view;
      const isNewest = state.step === null;
      const isTurn = isNewest && can(you, "move") && game !== null && game.turn !== null && !hasStandIn(view, you) && isConnected;
      const pending = isNewest ? move?.cell ?? null : null;
      // A move that waits for its answer keeps its mark, also while the connection opens.
      board?.draw({ ...shownPosition(state, variant), mark: isTurn || pending ? game?.turn ?? null : null, pending });
      element.dataset["variant"] = variant.key;
    },
    focus: () => board?.focus(),
    playAim: () => board?.playAim(),
    dispose: () => board?.dispose(),
  };
}
