import { request } from "../net/api.js";
import { HttpError } from "../net/http.js";
import { OPEN_BOUNDS } from "./tree.js";

/** What the chapters ask the server. Answers are kept while the page is open, because readers go back and forth. */

/** @import { GameRecord, MinimaxAnswer, Position } from "../net/messages.js" */

const TOO_MANY = 429;
const RETRY_MS = 2_000;
const MAX_TRIES = 10;

/** @type {Map<string, Promise<any>>} */
const answers = new Map();

/** Ask, and wait while the server wants fewer questions. @param {string} path @returns {Promise<any>} */
async function ask(path) {
  for (let tries = 1; ; tries++) {
    try {
      return await request("GET", path);
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== TOO_MANY || tries === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** @param {string} path @returns {Promise<any>} */
function askOnce(path) {
  const kept = answers.get(path) ?? ask(path);
  answers.set(path, kept);
  kept.catch(() => answers.delete(path));
  return kept;
}

/**
 * @param {readonly string[]} moves
 * @param {{depth?: number, bounds?: import("./tree.js").Bounds, from?: number}} [options]
 *   `from` is the ply from which values count, by default that of the position
 * @returns {Promise<MinimaxAnswer>}
 */
export function askMinimax(moves, { depth = 1, bounds: [alpha, beta] = OPEN_BOUNDS, from = moves.length } = {}) {
  const query = new URLSearchParams({ moves: moves.join(","), alpha: String(alpha), beta: String(beta) });
  query.set("from", String(from));
  query.set("depth", String(depth));
  return askOnce(`minimax?${query}`);
}

/** Ask for the record of moves, with the legal ones after them. @param {string} variant @param {readonly string[]} moves @returns {Promise<GameRecord>} */
export const askRecord = (variant, moves) =>
  askOnce(`record?${new URLSearchParams({ variant, moves: moves.join(",") })}`);

/** Ask for what is proved after moves. @param {string} variant @param {readonly string[]} moves @returns {Promise<Position>} */
export async function askPosition(variant, moves) {
  const { positions } = await askOnce(`analysis?${new URLSearchParams({ variant, moves: moves.join(",") })}`);
  return positions.at(-1);
}
