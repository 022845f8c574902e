import { heldAt, mistakenPlies, retryOf } from "../board/mistakes.js";
import { request } from "../net/api.js";
import { bothAreEngines, opponentOf } from "../net/view.js";
import { isOver, shownGame } from "./state.js";

/**
 * The record and the exact values of a game, fetched only when the server's view says that the game is over, and again
 * checked in its record: no page shows a verdict of a game that is on.
 */

/** @import { Mistake } from "../board/mistakes.js" */
/** @import { GameRecord, Mark, Position, View } from "../net/messages.js" */
/** @import { Dispatch, Retry, RoomState } from "./state.js" */

/**
 * @typedef {{ply: number, mark: Mark, held: string[], isMistake: boolean, task: Mistake|null}} Trial
 *   What a tap on the board under review plays: instead of the move after `ply`, a cell for `mark`. `held` are the moves that
 *   keep the value there. `task` is the mistake that the player tries to mend.
 */

/** How long a ply is on the board before its legal moves are fetched. */
const SETTLED_MS = 150;

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
 * Return what a tap plays while a ply of a game is on the board. At a mistake it replaces the mistake.
 * @param {GameRecord} record @param {readonly Position[]|null} positions @param {number|null} step @param {Retry} retry
 * @returns {Trial}
 */
function trialAt({ moves, outcome }, positions, step, retry) {
  const cells = moves.map(({ cell }) => cell);
  const shown = step ?? cells.length;
  const mistakes = mistakenPlies(positions, cells, outcome);
  const ply = mistakes.has(shown) ? shown - 1 : shown;
  const mistake = retry === "open" ? retryOf(positions, cells, outcome) : null;
  const task = mistake?.ply === ply + 1 ? mistake : null;
  return {
    ply,
    mark: moves[ply]?.mark ?? opponentOf(moves[ply - 1]?.mark ?? "O"),
    held: task ? [] : heldAt(positions, ply),
    isMistake: mistakes.has(ply + 1),
    task,
  };
}

/** Return what a tap on the board plays while a game is under review, or null. @param {RoomState} state */
export function trialOf(state) {
  const { record, reviewed, analysis, step, retry } = state;
  return reviewed !== null && record?.number === reviewed ? trialAt(record, analysis, step, retry) : null;
}

/**
 * Return what the board shows of a trial.
 * @param {Trial} trial @param {Record<string, Mark>} marks @param {readonly string[]|undefined} legal undefined before they are known
 */
export const trialPosition = ({ mark, held, isMistake }, marks, legal) => ({
  mark: legal ? mark : null,
  legal: legal?.filter((cell) => !(cell in marks)) ?? [],
  rings: held,
  pulses: isMistake,
});

/** Fetch the legal moves at a ply, none after the end. @param {GameRecord} record @param {number} ply @returns {Promise<string[]>} */
async function fetchLegal({ variant, moves }, ply) {
  const cells = moves.slice(0, ply).map(({ cell }) => cell);
  const { legal } = await request("GET", `record?${new URLSearchParams({ variant, moves: cells.join(",") })}`);
  return legal ?? [];
}

/**
 * @param {{dispatch: Dispatch, fetchRecord: (game: number) => Promise<GameRecord>,
 *   fetchValues?: typeof fetchPositions}} options
 */
export function createAnalysis({ dispatch, fetchRecord, fetchValues = fetchPositions }) {
  let fetched = "";
  let wantedLegal = "";
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;

  /** @param {number} game @param {boolean} isFinal */
  async function load(game, isFinal) {
    try {
      const record = await fetchRecord(game);
      dispatch({ type: "record", record });
      if (isFinal) dispatch({ type: "analysis", game, positions: await fetchValues(record) });
    } catch {
      if (isFinal) dispatch({ type: "analysis", game, positions: null });
    }
  }

  /** Fetch the legal moves of the ply that a tap would play at. @param {RoomState} state */
  function followLegal(state) {
    const { record, legal } = state;
    const trial = trialOf(state);
    const need = record && trial && legal?.ply !== trial.ply ? `${record.number} ${trial.ply}` : "";
    if (need === wantedLegal) return;
    wantedLegal = need;
    clearTimeout(timer);
    if (record && trial && need) timer = setTimeout(() => void loadLegal(record, trial.ply), SETTLED_MS);
  }

  /** @param {GameRecord} record @param {number} ply */
  async function loadLegal(record, ply) {
    try {
      const cells = await fetchLegal(record, ply);
      if (record.number !== null) dispatch({ type: "legal", game: record.number, legal: { ply, cells } });
    } catch {
      wantedLegal = "";
    }
  }

  return {
    /**
     * Fetch what the state needs: a record to step back in, and values when the game is over.
     * @param {RoomState} state
     */
    follow(state) {
      const { view, reviewed } = state;
      const game = view?.game;
      const number = shownGame(state);
      if (number === null) return;
      followLegal(state);
      const isEarlier = number !== game?.number; // so it is over
      const over = isEarlier || isOver(state);
      const isNeeded =
        isEarlier ||
        (over
          ? game.outcome?.reason !== "aborted" && (reviewed !== null || !bothAreEngines(/** @type {View} */ (view)))
          : state.step !== null);
      const need = `${number} ${over ? "over" : game?.moves.length}`;
      if (!isNeeded || need === fetched) return;
      fetched = need;
      void load(number, over);
    },
    dispose: () => clearTimeout(timer),
  };
}
