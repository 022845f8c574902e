import { retryOf } from "../board/mistakes.js";
import { announce, toast, warn } from "../browser/notices.js";
import { request } from "../net/api.js";
import { bothAreEngines } from "../net/view.js";
import { t } from "../texts/i18n.js";
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

/**
 * Return the mistake that can be mended at a ply of a game that is over.
 * @param {GameRecord|null} record @param {readonly Position[]|null} positions @param {number|null} ply
 */
export function retryAt(record, positions, ply) {
  const mistake =
    record &&
    retryOf(
      positions,
      record.moves.map(({ cell }) => cell),
      record.outcome,
    );
  return mistake && ply === mistake.ply - 1 ? mistake : null;
}

/** Fetch the legal moves at a ply. @param {GameRecord} record @param {number} ply @returns {Promise<string[]>} */
export async function fetchLegal({ variant, moves }, ply) {
  const cells = moves.slice(0, ply).map(({ cell }) => cell);
  const { legal } = await request("GET", `record?${new URLSearchParams({ variant, moves: cells.join(",") })}`);
  return legal;
}

/** Say whether a move mends a mistake, and return it. @param {import("../board/mistakes.js").Mistake} mistake @param {string} cell */
export function judgeRetry({ before, held }, cell) {
  const isRight = held[0] === cell;
  const text = t(isRight ? "retry.right" : before === "draw" ? "retry.no.hold" : "retry.no.win", { cell });
  if (isRight) toast(text);
  else warn(text);
  announce(text);
  return isRight;
}

/** @param {{id: string, dispatch: Dispatch}} options */
export function createAnalysis({ id, dispatch }) {
  let fetched = "";
  let wantedLegal = "";

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

  /** Fetch the legal moves where the player can try again. @param {RoomState} state */
  function followRetry({ record, reviewed, analysis, step, retry }) {
    const mistake = reviewed === null || retry ? null : retryAt(record, analysis, step);
    const need = mistake ? `${record?.number} ${step}` : "";
    if (!record || !mistake || need === wantedLegal) return;
    wantedLegal = need;
    fetchLegal(record, mistake.ply - 1)
      .then((legal) => dispatch({ type: "retry", game: record.number, retry: { legal, isFound: false } }))
      .catch(() => (wantedLegal = ""));
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
      followRetry(state);
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
