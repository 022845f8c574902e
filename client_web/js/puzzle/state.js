import { updateBy } from "../browser/update_by.js";

/** The state of the page of puzzles. `update` is its only way to change: a pure function of the state and a change. */

/** @import { Puzzle, PuzzleJudgement } from "../net/messages.js" */

/**
 * @typedef {{puzzle: Puzzle|null, tried: readonly string[], judgement: PuzzleJudgement|null, reached: PuzzleJudgement|null,
 *   pending: string|null, isLifted: boolean, tries: readonly boolean[]}} PuzzleState
 *   `tried` are the moves of the line so far, the solver's and the replies. `reached` is the last right judgement: its position
 *   is where the solver goes on. `pending` is the move that waits for its judgement. `isLifted` means that a wrong move and its
 *   punishment are off the board again. `tries` says of each try whether it was right.
 */
/**
 * @typedef {{type: "begin", puzzle: Puzzle} | {type: "try", cell: string} | {type: "lift", judgement: PuzzleJudgement}
 *   | {type: "judged", cell: string, judgement: PuzzleJudgement|null} | {type: "line", judgement: PuzzleJudgement}} Change
 */

/** @type {PuzzleState} */
export const NO_PUZZLE = {
  puzzle: null,
  tried: [],
  judgement: null,
  reached: null,
  pending: null,
  isLifted: false,
  tries: [],
};

/** Return the state after a change. @type {(state: PuzzleState, change: Change) => PuzzleState} */
export const update = updateBy({
  begin: (_, { puzzle }) => ({ ...NO_PUZZLE, puzzle }),
  try: (_, { cell }) => ({ pending: cell }),
  lift: (state, { judgement }) => ({ isLifted: state.isLifted || state.judgement === judgement }),
  judged: receiveJudgement,
  line: (_, { judgement }) => ({ judgement, isLifted: false }),
});

/**
 * Keep a judgement. Without one, because the server cannot be reached, the move is taken back.
 * @param {PuzzleState} state @param {{cell: string, judgement: PuzzleJudgement|null}} change
 * @returns {Partial<PuzzleState>}
 */
function receiveJudgement({ tried, tries }, { cell, judgement }) {
  if (!judgement) return { pending: null };
  const line = judgement.reply ? [...tried, cell, judgement.reply] : [...tried, cell];
  const newState = { pending: null, judgement, isLifted: false, tries: [...tries, judgement.right] };
  return judgement.right ? { ...newState, reached: judgement, tried: line } : newState;
}

/** Return whether the newest move was wrong. @param {PuzzleState} state */
export const isWrong = ({ judgement }) => Boolean(judgement && !judgement.right && !judgement.done);

/** Return whether the solver may try a move. @param {PuzzleState} state */
export const isOpen = ({ judgement, isLifted }) => !judgement || isLifted || (judgement.right && !judgement.done);

/** Return whether the puzzle is solved. @param {PuzzleState} state */
export const isSolved = ({ judgement }) => Boolean(judgement?.done && judgement.right);

/** Return the position on the board. @param {PuzzleState} state */
export const shownPosition = ({ puzzle, judgement, reached, isLifted }) =>
  (isLifted ? reached : judgement)?.position ?? puzzle;
