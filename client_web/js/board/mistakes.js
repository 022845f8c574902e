import { opponentOf } from "../net/view.js";
import { cellMark } from "./cell_text.js";

/**
 * What the exact values of a game's positions say about its moves. Pure functions. A value that is not proved gives
 * no sentence.
 */

/** @import { Mark, Outcome, Position } from "../net/messages.js" */
/** @import { Shape } from "./layout.js" */

/** @typedef {Mark|"draw"|null} Value  the winner with perfect play, or null where it is not proved */
/**
 * @typedef {{ply: number, cell: string, mark: Mark, before: Value, after: Value, held: string[]}} Mistake
 *   `ply` counts from 1. `held` are moves that keep the value
 */
/** @typedef {{key: import("../texts/i18n.js").Key, values: Record<string, string|number>}} Sentence */

/**
 * Return the value of each position of a game. After the last move it is the game's outcome.
 * @param {readonly Position[]} positions
 * @param {Outcome|null} outcome
 * @returns {Value[]}
 */
export const valuesOf = (positions, outcome) =>
  positions.map(({ turn, verdict }) => {
    if (!turn || !verdict) return outcome?.winner ?? (outcome ? "draw" : null);
    if (verdict.value === "unknown") return null;
    if (verdict.value === "draw") return "draw";
    return verdict.value === "win" ? turn : opponentOf(turn);
  });

/**
 * Return the moves that made the game worse for their player.
 * @param {readonly Position[]} positions
 * @param {readonly string[]} moves
 * @param {Outcome|null} outcome
 * @returns {Mistake[]}
 */
export function mistakesOf(positions, moves, outcome) {
  const values = valuesOf(positions, outcome);
  return moves.flatMap((cell, index) => {
    const [before, after] = [values[index] ?? null, values[index + 1] ?? null];
    const mark = positions[index]?.turn;
    const held = positions[index]?.best ?? [];
    // A move that keeps the value may end the game otherwise: it repeats a position.
    if (!mark || !before || !after || before === after || held.includes(cell)) return [];
    return [{ ply: index + 1, cell, mark, before, after, held }];
  });
}

/**
 * Return the plies of the moves that made the game worse, none if there are no values.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome|null} outcome
 */
export const mistakenPlies = (positions, moves, outcome) =>
  new Set(positions ? mistakesOf(positions, moves, outcome).map(({ ply }) => ply) : []);

/**
 * Return the moves that keep the value of the position at a ply. In a lost position there is none.
 * @param {readonly Position[]|null} positions
 * @param {number} ply
 */
export function heldAt(positions, ply) {
  const position = positions?.[ply];
  return !position?.verdict || position.verdict.value === "loss" ? [] : position.best;
}

/** Return the last error of the loser, if it lost the game. @param {Mistake[]} mistakes @param {Mark} winner */
const decisiveOf = (mistakes, winner) =>
  mistakes.filter(({ after, mark }) => after === winner && mark !== winner).at(-1);

/** Return whether every move loses at once or to the reply. @param {Position["verdict"]|undefined} verdict */
const losesSoon = (verdict) => verdict?.value === "loss" && verdict.plies !== null && verdict.plies <= 2;

/**
 * Return the loser's last move that need not have lost, or null: another move did not lose within two plies. `isOpen` says that
 * this one did. If it did not, the game is proved to be lost only after it. `ply` counts from 1.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome|null} outcome
 */
export function avoidableOf(positions, moves, outcome) {
  const { winner } = outcome ?? {};
  if (!positions || !outcome || !winner || OFF_THE_BOARD.has(outcome.reason)) return null;
  const mark = opponentOf(winner);
  const index = positions.findLastIndex(({ turn, verdict }) => turn === mark && !losesSoon(verdict));
  const cell = moves[index];
  const before = positions[index]?.verdict?.value;
  const reply = positions[index + 1]?.verdict;
  if (!cell) return null;
  const isOpen = !reply || (reply.value === "win" && reply.plies === 1);
  return isOpen || before === "win" || before === "draw" ? { ply: index + 1, cell, mark, isOpen, before } : null;
}

/**
 * Return whether the loser could still have saved the game with the last move.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome} outcome
 */
export const wasClose = (positions, moves, outcome) => avoidableOf(positions, moves, outcome)?.isOpen ?? false;

/**
 * Return the moves that lead to where the engine knew the outcome: after the mistake that decided the game, else before a
 * late move of the engine, where three or four cells of 3x3 are free.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome} outcome
 * @param {Mark} engine the engine's mark
 */
export function knownMoves(positions, moves, outcome, engine) {
  const { winner } = outcome;
  const mistake = positions && winner ? decisiveOf(mistakesOf(positions, moves, outcome), winner) : null;
  if (mistake && mistake.mark !== engine) return moves.slice(0, mistake.ply);
  const isLast = moves.length % 2 === (engine === "X" ? 1 : 0);
  return moves.slice(0, Math.min(moves.length - (isLast ? 1 : 2), engine === "X" ? 6 : 5));
}

/**
 * Return the sentences about a game that is over: how it ended, if not on the board, and the last move that need not have
 * lost, else how it was won. They speak to the player of a mark, or name both players. A sentence about a move has its `ply`.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome} outcome @param {People} people
 * @returns {Sentence[]}
 */
export function endSentences(positions, moves, outcome, people) {
  const last = (positions && valuesOf(positions, null)[moves.length]) ?? null;
  const { reason, winner } = outcome;
  if (reason === "aborted") return [];
  if (reason === "agreement") return [of(last === "X" || last === "O" ? "end.agreed.won" : "end.agreed", people.you)];
  if (OFF_THE_BOARD.has(reason)) return [...offTheBoard(reason, winner, people), ...standing(last, people)];
  return positions ? decision(positions, moves, outcome, people) : [];
}

/** The ends that do not follow from the moves. */
const OFF_THE_BOARD = new Set(["timeout", "resignation", "abandoned", "bell"]);

/** @typedef {{you: Mark|null, nameOf: (mark: Mark) => string, variant: Shape|null}} People */

/** @param {string} key @param {Mark|boolean|null} isYou whether it has a form for you @param {Sentence["values"]} [values] */
const of = (key, isYou, values = {}) => ({
  key: /** @type {Sentence["key"]} */ (isYou ? `${key}.you` : key),
  values,
});

/** @param {string} reason @param {Mark|null} winner @param {People} people @returns {Sentence[]} */
function offTheBoard(reason, winner, { you, nameOf }) {
  const loser = winner && opponentOf(winner);
  if (reason === "timeout") return [of("end.time", false)];
  if (!loser) return [];
  return [of(reason === "resignation" ? "end.resigned" : "end.gone", loser === you, { name: nameOf(loser) })];
}

/** Say who was winning on the board. @param {Value} value @param {People} people @returns {Sentence[]} */
function standing(value, { you, nameOf }) {
  if (value === null) return [];
  if (value === "draw") return [of("end.level", false)];
  return [of("end.ahead", value === you, { name: nameOf(value) })];
}

/**
 * Say what decided a game on the board, or nothing.
 * @param {readonly Position[]} positions @param {readonly string[]} moves @param {Outcome} outcome @param {People} people
 * @returns {Sentence[]}
 */
function decision(positions, moves, outcome, people) {
  const { you, nameOf, variant } = people;
  /** @param {string} key @param {{ply: number, cell: string, mark: Mark}} move @returns {Sentence[]} */
  const about = (key, { ply, cell, mark }) => [
    of(key, mark === you, { ply, cell: cellMark(cell), name: nameOf(mark) }),
  ];
  const { winner } = outcome;
  if (!winner) {
    const missed = mistakesOf(positions, moves, outcome).findLast(({ before, mark }) => before === mark);
    if (missed) return about("end.missed", missed);
    return valuesOf(positions, outcome).every((value) => value === "draw") ? [of("end.perfect", false)] : [];
  }
  const move = avoidableOf(positions, moves, outcome);
  if (move?.before === "win") return about("end.missed", move);
  if (move?.isOpen) return about(variant?.misere ? "end.line" : "end.open", move);
  if (move && move.mark === you) return about("end.after", move);
  const ply = positions.findLastIndex(({ turn }) => turn === opponentOf(winner));
  const fork = moves[ply - 1];
  // Elsewhere the last move may lose to a single threat, or to none.
  if (fork && variant && !variant.misere && !variant.gravity && !variant.nested && losesSoon(positions[ply]?.verdict))
    return [of("end.two", false, { ply, cell: cellMark(fork) })];
  return move ? about("end.after", move) : [];
}
