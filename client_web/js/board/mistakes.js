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
 * Return the one sentence about a game that is over: the move that decided it, else that no move did, else that it is
 * not proved.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome} outcome
 * @returns {Sentence}
 */
export function reviewSentence(positions, moves, outcome) {
  if (!positions) return { key: "review.unproved", values: {} };
  const mistakes = mistakesOf(positions, moves, outcome);
  const decisive = decisiveOf(mistakes, outcome);
  const missed = mistakes.filter(({ before, mark }) => before === mark).at(-1);
  if (decisive && outcome.winner)
    return {
      key: decisiveKey(decisive),
      values: { cell: decisive.cell, ply: decisive.ply, held: list(decisive.held) },
    };
  if (missed) return { key: "review.missed", values: { cell: missed.cell, ply: missed.ply } };
  const values = valuesOf(positions, outcome);
  return values.length > 0 && values.every((value) => value !== null) && !mistakes.length
    ? { key: "review.none", values: {} }
    : { key: "review.unproved", values: {} };
}

/** Return the move that decided a game. @param {readonly Mistake[]} mistakes @param {Outcome} outcome */
function decisiveOf(mistakes, { winner }) {
  const losing = mistakes.filter(({ after, mark }) => after === opponentOf(mark));
  return losing.filter(({ after }) => winner === null || after === winner).at(-1) ?? losing.at(-1);
}

/**
 * Return the mistake that a player can try to mend: the move that lost the game, if exactly one move is proved to have held.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome|null} outcome
 */
export function retryOf(positions, moves, outcome) {
  if (!positions || !outcome?.winner) return null;
  const mistake = decisiveOf(mistakesOf(positions, moves, outcome), outcome);
  return mistake?.complete && mistake.held.length === 1 ? mistake : null;
}

/**
 * Return the moves that lead to where the engine knew the outcome: after the mistake that decided the game, else before a
 * late move of the engine, where three or four cells of 3x3 are free.
 * @param {readonly Position[]|null} positions @param {readonly string[]} moves @param {Outcome} outcome
 * @param {Mark} engine the engine's mark
 */
export function knownMoves(positions, moves, outcome, engine) {
  const mistake = positions && outcome.winner ? decisiveOf(mistakesOf(positions, moves, outcome), outcome) : null;
  if (mistake && mistake.mark !== engine) return moves.slice(0, mistake.ply);
  const isLast = moves.length % 2 === (engine === "X" ? 1 : 0);
  return moves.slice(0, Math.min(moves.length - (isLast ? 1 : 2), engine === "X" ? 6 : 5));
}

/** @param {Mistake} mistake @returns {import("../texts/i18n.js").Key} */
function decisiveKey({ before, held, complete }) {
  const start = before === "draw" ? "review.lost.draw" : "review.lost.win";
  if (held.length === 1 && complete) return `${start}.only`;
  return held.length >= 1 && held.length <= MAX_NAMED ? `${start}.held` : start;
}
