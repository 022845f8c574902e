import { tabStorage } from "./storage.js";
import { can } from "./view.js";

/** The move that has no answer yet. This tab keeps it, so that it survives a reload. */

/** @typedef {import("./messages.js").View} View */
/** @typedef {import("./messages.js").You} You */
/**
 * @typedef {import("./room_state.js").Move & {id: string}} SentMove  `id` is the command's: the server carries it out once
 */

const PREFIX = "noughts.move.";

/** @param {string} room @param {SentMove} move */
export const keepMove = (room, move) => tabStorage.set(PREFIX + room, JSON.stringify(move));

/**
 * Return the kept move of a room, or null if there is none that can be read.
 * @param {string} room
 * @returns {SentMove|null}
 */
export function loadMove(room) {
  try {
    return JSON.parse(tabStorage.get(PREFIX + room) ?? "null");
  } catch {
    return null;
  }
}

/** Forget a move, unless a later one is kept. @param {string} room @param {SentMove} move */
export function dropMove(room, move) {
  if (loadMove(room)?.id === move.id) tabStorage.set(PREFIX + room, null);
}

/**
 * Return what to do with a kept move in a view: `send` it, `wait` for another view, or drop it. It is `played` if the
 * server had it, and `late` if the game went on without it.
 * @param {SentMove} move @param {View} view @param {You} you
 */
export function fateOf(move, { game }, you) {
  if (game?.number !== move.game) return "late";
  if (game.moves.length > move.ply) return game.moves[move.ply] === move.cell ? "played" : "late";
  if (game.outcome || game.moves.length < move.ply) return "late";
  return can(you, "move") ? "send" : "wait";
}
