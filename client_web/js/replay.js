/**
 * The board at any ply of a game, from its record alone. Pure functions without rules: the record says what each
 * move removed and decided.
 */

/** @typedef {import("./messages.js").Mark} Mark */
/** @typedef {import("./messages.js").Seats} Seats */
/** @typedef {import("./messages.js").Outcome} Outcome */
/**
 * @typedef {{cell: string, mark: Mark, by: string|null, at_ms: number|null, removed: string|null,
 *   decided: {board: number, by: Mark|"draw"}|null}} MoveRecord
 */
/**
 * @typedef {{variant: string, number: number|null, players: Seats|null, moves: MoveRecord[], outcome: Outcome|null}}
 *   GameRecord
 */
/**
 * @typedef {{marks: Record<string, Mark>, moves: string[], fading: string|null, boards: (Mark|"draw"|null)[]|null,
 *   outcome: Outcome|null}} ReplayedBoard
 */

const SMALL_BOARDS = 9;

/**
 * Return the board after the first `ply` moves of a record.
 * @param {GameRecord} record
 * @param {number} ply
 * @returns {ReplayedBoard}
 */
export function replayAt({ moves, outcome }, ply) {
  /** @type {Record<string, Mark>} */
  const marks = {};
  /** @type {(Mark|"draw"|null)[]} */
  const boards = Array(SMALL_BOARDS).fill(null);
  for (const { cell, mark, removed, decided } of moves.slice(0, ply)) {
    if (removed) delete marks[removed];
    marks[cell] = mark;
    if (decided) boards[decided.board] = decided.by;
  }
  return {
    marks,
    boards: moves.some(({ decided }) => decided !== null) ? boards : null,
    moves: moves.slice(0, ply).map(({ cell }) => cell),
    fading: moves[ply]?.removed ?? null,
    outcome: ply === moves.length ? outcome : null,
  };
}
