import { opponentOf } from "../net/view.js";
import { list } from "../texts/i18n.js";

/**
 * What the exact values of a game's positions say about its moves. Pure functions. A value that is not proved gives
 * no sentence.
 */

/** @import { Mark, Outcome, Position } from "../net/messages.js" */

/** @typedef {Mark|"draw"|null} Value  the winner with perfect play, or null where it is not proved */
/**
 * @typedef {{ply: number, cell: string, mark: Mark, before: Value, after: Value, held: string[], complete: boolean}}
 *   Mistake
 *   `ply` counts from 1; without `complete`, more moves than `held` may keep the value
 */
/** @typedef {{key: import("../texts/i18n.js").Key, values: Record<string, string|number>}} Sentence */

const MAX_NAMED = 3;

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
    if (!mark || !before || !after || before === after) return [];
    const { best = [], complete = false } = positions[index] ?? {};
    return [{ ply: index + 1, cell, mark, before, after, held: best, complete }];
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

/**
 * Return whether the loser's last move was their last error: one move earlier, the game was not lost. A game that did not end on
 * the board was not lost by an error.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome} outcome
 */
export function wasClose(positions, moves, outcome) {
  if (OFF_THE_BOARD.has(outcome.reason)) return false;
  const error = positions && outcome.winner ? decisiveOf(mistakesOf(positions, moves, outcome), outcome.winner) : null;
  return error ? error.ply >= moves.length - 1 : false;
}

/** Return the last error of the loser, if it lost the game. @param {Mistake[]} mistakes @param {Mark} winner */
const decisiveOf = (mistakes, winner) =>
  mistakes.filter(({ after, mark }) => after === winner && mark !== winner).at(-1);

/**
 * Return the mistake that a player can try to mend: the move that lost the game, if exactly one move is proved to have held.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome|null} outcome
 */
export function retryOf(positions, moves, outcome) {
  if (!positions || !outcome?.winner) return null;
  const mistake = decisiveOf(mistakesOf(positions, moves, outcome), outcome.winner);
  return mistake?.complete && mistake.held.length === 1 ? mistake : null;
}

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
 * Return the sentences about a game that is over: how it ended, if not on the board, and the error that decided it, else
 * what the values of its positions say. They speak to the player of a mark, or name both players.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome} outcome
 * @param {{you: Mark|null, nameOf: (mark: Mark) => string}} people
 * @returns {Sentence[]}
 */
export function endSentences(positions, moves, outcome, people) {
  const last = (positions && valuesOf(positions, null)[moves.length]) ?? null;
  const { reason, winner } = outcome;
  if (reason === "aborted") return [];
  if (reason === "agreement") return [of(last === "X" || last === "O" ? "end.agreed.won" : "end.agreed", people.you)];
  if (OFF_THE_BOARD.has(reason)) return [...offTheBoard(reason, winner, people), ...standing(last, people)];
  return positions ? decision(positions, moves, outcome, people) : [of("end.unproved", false)];
}

/** The ends that do not follow from the moves. */
const OFF_THE_BOARD = new Set(["timeout", "resignation", "abandoned", "bell"]);

/** @typedef {{you: Mark|null, nameOf: (mark: Mark) => string}} People */

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
 * Say what decided a game on the board. Where only a part of it is proved, and that part decides nothing, say nothing.
 * @param {readonly Position[]} positions @param {readonly string[]} moves @param {Outcome} outcome @param {People} people
 */
function decision(positions, moves, outcome, people) {
  const { winner } = outcome;
  const values = valuesOf(positions, outcome);
  const mistakes = mistakesOf(positions, moves, outcome);
  const decisive = winner && decisiveOf(mistakes, winner);
  if (decisive) return [slip(decisive, people)];
  const missed = winner === null && mistakes.filter(({ before, mark }) => before === mark).at(-1);
  if (missed) return [of("end.missed", missed.mark === people.you, valuesFor(missed, people))];
  const first = values.findLastIndex((value) => value !== (winner ?? "draw")) + 1;
  if (first === 0 && !winner) return [of("end.perfect", false)];
  if (winner && first < moves.length)
    return [of("end.from", winner === people.you, { ply: Math.max(first, 1), name: people.nameOf(winner) })];
  const isProved = valuesOf(positions, null).some((value) => value !== null);
  return isProved ? [] : [of("end.unproved", false)];
}

/** @param {Mistake} mistake @param {People} people @returns {Sentence} */
function slip(mistake, people) {
  const { before, held, complete } = mistake;
  const isOnly = held.length === 1 && (complete || before !== "draw");
  const kind =
    held.length === 0 || held.length > MAX_NAMED ? "" : isOnly ? (before === "draw" ? ".draw" : ".win") : ".some";
  return of(`end.slip${kind}`, mistake.mark === people.you, valuesFor(mistake, people));
}

/** @param {Mistake} mistake @param {People} people */
const valuesFor = ({ cell, ply, mark, held }, { nameOf }) => ({ cell, ply, name: nameOf(mark), held: list(held) });
