import { decoded } from "../net/urls.js";

/**
 * The board at any ply of a game, from its record alone. Pure functions without rules: the record says what each
 * move removed and decided.
 */

/** @import { GameRecord, Mark, Outcome } from "../net/messages.js" */

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

/**
 * The link of a game, which holds all of its moves: `#classic=b2,a1,c1,a2,a3`, with `&over=resignation,O` for an end
 * without a line. Pure functions.
 */

/**
 * @typedef {{variant: string, moves: string[], over: {reason: string, winner: import("../net/messages.js").Mark|null}|null}}
 *   GameLink
 */

const CELL_NAME = /^[a-z]\d{1,2}(\.\d)?$/;
const WORD = /^[a-z0-9_-]{1,40}$/i;
const MAX_MOVES = 300;
/** The ends that follow from the moves, so a link does not name them. */
const ENDS_OF_MOVES = new Set(["line", "full_board", "repetition", "ply_limit"]);

/** Return whether a game ended by its moves, and not by time or a player's word. @param {Outcome|null} outcome */
export const followsFromMoves = (outcome) => outcome !== null && ENDS_OF_MOVES.has(outcome.reason);

/**
 * Return a game as text, for a fragment.
 * @param {string} variant
 * @param {readonly string[]} moves
 * @param {{reason: string, winner: string|null}|null} outcome
 */
export function gameText(variant, moves, outcome) {
  const over =
    outcome && !ENDS_OF_MOVES.has(outcome.reason)
      ? `&over=${outcome.reason}${outcome.winner ? "," + outcome.winner : ""}`
      : "";
  return `${variant}=${moves.join(",")}${over}`;
}

/**
 * Return the game of a text, or null if it is none.
 * @param {string} link with or without its `#`
 * @returns {GameLink|null}
 */
export function parseGame(link) {
  const [game = "", ...rest] = decoded(link.replace(/^#/, "")).split("&");
  const separator = game.indexOf("=");
  const variant = game.slice(0, separator);
  const moves = game
    .slice(separator + 1)
    .split(",")
    .filter(Boolean);
  if (separator < 1 || !WORD.test(variant) || moves.length > MAX_MOVES || !moves.every((cell) => CELL_NAME.test(cell)))
    return null;
  const over = rest
    .find((part) => part.startsWith("over="))
    ?.slice("over=".length)
    .split(",");
  if (!over) return { variant, moves, over: null };
  const [reason = "", winner = null] = over;
  if (!WORD.test(reason) || ENDS_OF_MOVES.has(reason) || (winner !== null && winner !== "X" && winner !== "O"))
    return null;
  return { variant, moves, over: { reason, winner } };
}
