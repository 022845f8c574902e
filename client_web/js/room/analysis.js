import { request } from "../net/api.js";
import { bothAreEngines } from "../net/view.js";
import { isOver, shownGame } from "./state.js";

/**
 * The record and the exact values of a game, fetched only when the server's view says that the game is over, and again
 * checked in its record: no page shows a verdict of a game that is on.
 */

/** @import { GameRecord, Position } from "../net/messages.js" */
/** @import { Dispatch, RoomState } from "./state.js" */

/**
 * Fetch the exact value of each position of a game that is over.
 * @param {GameRecord} record
 * @returns {Promise<Position[]|null>}
 */
export async function fetchPositions({ variant, moves, outcome }) {
  if (!outcome) return null;
  const cells = moves.map(({ cell }) => cell).join(",");
  const { positions } = await request(
    "GET",
    `analysis?variant=${encodeURIComponent(variant)}&moves=${encodeURIComponent(cells)}`,
  );
  return positions;
}

/** @param {{id: string, dispatch: Dispatch}} options */
export function createAnalysis({ id, dispatch }) {
  let fetched = "";

  /** @param {number} game @param {boolean} isFinal */
  async function load(game, isFinal) {
    try {
      /** @type {GameRecord} */
      const record = await request("GET", `rooms/${encodeURIComponent(id)}/games/${game}`);
      dispatch({ type: "record", record });
      if (isFinal) dispatch({ type: "analysis", game, positions: await fetchPositions(record) });
    } catch {
      if (isFinal) dispatch({ type: "analysis", game, positions: null });
    }
  }

  return {
    /**
     * Fetch what the state needs: a record to step back in, and values when the game is over.
     * @param {RoomState} state
     */
    follow(state) {
      const game = state.view?.game;
      if (!state.view || !game) return;
      const number = shownGame(state) ?? game.number;
      const isEarlier = number !== game.number; // so it is over
      const over = isEarlier || isOver(state);
      const isNeeded =
        isEarlier ||
        (over
          ? game.outcome?.reason !== "aborted" && (state.reviewed !== null || !bothAreEngines(state.view))
          : state.step !== null);
      const need = `${number} ${over ? "over" : game.moves.length}`;
      if (!isNeeded || need === fetched) return;
      fetched = need;
      void load(number, over);
    },
  };
}
