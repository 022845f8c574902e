import { avoidableOf, heldAt, mistakenPlies } from "../board/mistakes.js";
import { request, requestRecord } from "../net/api.js";
import { bothAreEngines, opponentOf } from "../net/view.js";
import { isOver, shownGame } from "./state.js";

/**
 * The record and the exact values of a game, fetched only when the server's view says that the game is over, and again
 * checked in its record: no page shows a verdict of a game that is on.
 */

/** @import { GameRecord, Mark, Position, View } from "../net/messages.js" */
/** @import { Dispatch, RoomState } from "./state.js" */

/**
 * @typedef {{ply: number, mark: Mark, held: string[], isMistake: boolean, lifted: string|null}} Trial
 *   What a tap on the board of a game that is over plays: instead of the move after `ply`, a cell for `mark`. `held` are the
 *   moves that keep the value there. `lifted` is the cell of the move that it replaces after a loss.
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
  return (await request("GET", `analysis?${new URLSearchParams({ variant, moves: cells })}`)).positions;
}

/**
 * Return what a tap plays while a ply of a game is on the board. At a mistake it replaces the mistake.
 * @param {GameRecord} record @param {readonly Position[]|null} positions @param {number|null} step
 * @returns {Trial}
 */
function trialAt({ moves, outcome }, positions, step) {
  const cells = moves.map(({ cell }) => cell);
  const shown = step ?? cells.length;
  const mistakes = mistakenPlies(positions, cells, outcome);
  const ply = mistakes.has(shown) ? shown - 1 : shown;
  return {
    ply,
    mark: moves[ply]?.mark ?? opponentOf(moves[ply - 1]?.mark ?? "O"),
    held: heldAt(positions, ply),
    isMistake: mistakes.has(ply + 1),
    lifted: null,
  };
}

/** Return the move of the shown game that need not have lost, if that is known. @param {RoomState} state */
export function avoidableMove({ record, analysis }) {
  const cells = record?.moves.map(({ cell }) => cell) ?? [];
  return avoidableOf(analysis, cells, record?.outcome ?? null);
}

/** Return what a tap on the board plays after the end of a game, or null. @param {RoomState} state */
export function trialOf(state) {
  const { record, reviewed, analysis, step, rewinds } = state;
  if (!record || record.number !== shownGame(state)) return null;
  if (reviewed !== null) return trialAt(record, analysis, step);
  const move = rewinds && step === null ? avoidableMove(state) : null;
  return move && { ply: move.ply - 1, mark: move.mark, held: [], isMistake: true, lifted: move.cell };
}

/**
 * Return what the board shows of a trial.
 * @param {Trial} trial @param {Record<string, Mark>} marks @param {readonly string[]|undefined} legal undefined before they are known
 */
export const trialPosition = ({ mark, held, isMistake, lifted }, marks, legal) => ({
  marks: lifted ? { ...marks, [lifted]: mark } : marks,
  lifted,
  mark: legal ? mark : null,
  legal: legal?.filter((cell) => !(cell in marks) && cell !== lifted) ?? [],
  rings: held,
  pulses: isMistake,
});

/** Fetch the legal moves at a ply, none after the end. @param {GameRecord} record @param {number} ply @returns {Promise<string[]>} */
async function fetchLegal({ variant, moves }, ply) {
  const cells = moves.slice(0, ply).map(({ cell }) => cell);
  const { legal } = await requestRecord(variant, cells);
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
