/** The state of the page of puzzles. `update` is its only way to change: a pure function of the state and a change. */

/** @import { Puzzle, PuzzleJudgement } from "../net/messages.js" */

/**
 * @typedef {{puzzle: Puzzle|null, tried: readonly string[], judgement: PuzzleJudgement|null, reached: PuzzleJudgement|null,
 *   pending: string|null, cell: string}} PuzzleState
 *   `tried` are the moves of the line so far, the solver's and the replies. `reached` is the last right judgement: its position
 *   is where the solver goes on. `pending` is the move that waits for its judgement, and `cell` the one judged last.
 */
/**
 * @typedef {{type: "begin", puzzle: Puzzle} | {type: "try", cell: string} | {type: "again"}
 *   | {type: "judged", cell: string, judgement: PuzzleJudgement|null} | {type: "line", judgement: PuzzleJudgement}} Change
 */

/** @type {PuzzleState} */
export const NO_PUZZLE = { puzzle: null, tried: [], judgement: null, reached: null, pending: null, cell: "" };

/**
 * What changes of each type change.
 * @type {{[T in Change["type"]]: (state: PuzzleState, change: Extract<Change, {type: T}>) => Partial<PuzzleState>}}
 */
const CHANGES = {
  begin: (_, { puzzle }) => ({ ...NO_PUZZLE, puzzle }),
  try: (_, { cell }) => ({ pending: cell }),
  again: ({ reached }) => ({ judgement: reached, cell: "" }),
  judged: receiveJudgement,
  line: (_, { judgement }) => ({ judgement, cell: "" }),
};

/** Return the state after a change. @param {PuzzleState} state @param {Change} change @returns {PuzzleState} */
export function update(state, change) {
  const changed = /** @type {(state: PuzzleState, change: Change) => Partial<PuzzleState>} */ (CHANGES[change.type]);
  return { ...state, ...changed(state, change) };
}

/**
 * Keep a judgement. Without one, because the server cannot be reached, the move is taken back.
 * @param {PuzzleState} state @param {{cell: string, judgement: PuzzleJudgement|null}} change
 */
function receiveJudgement({ tried }, { cell, judgement }) {
  if (!judgement) return { pending: null };
  const line = judgement.reply ? [...tried, cell, judgement.reply] : [...tried, cell];
  return { pending: null, cell, judgement, ...(judgement.right ? { reached: judgement, tried: line } : {}) };
}

/** Return whether the solver may try a move. @param {PuzzleState} state */
export const isOpen = ({ judgement }) => !judgement || (judgement.right && !judgement.done);

/** Return whether the puzzle is solved. @param {PuzzleState} state */
export const isSolved = ({ judgement }) => Boolean(judgement?.done && judgement.right);
