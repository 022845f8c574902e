import { browserStorage } from "../browser/storage.js";

/**
 * The games that were played in this browser: the latest as pictures, and for each variant how they ended and which
 * levels were beaten. The server has none of it. The functions with `games` are pure.
 */

/** @import { Game, Mark } from "./messages.js" */

/**
 * @typedef {{room: string, number: number, variant: string, mark: Mark, ending: Ending, opponent: string, level: string|null,
 *   moves: string[], marks: Record<string, Mark>, boards: Game["boards"]|null, outcome: NonNullable<Game["outcome"]>}} PlayedGame
 *   `opponent` is a person's name, empty for an engine, whose level is `level`
 * @typedef {"won"|"drawn"|"lost"} Ending
 * @typedef {Record<Ending, number> & {beaten: string[], level: string|null, run: number}} Tally
 *   `run` counts the wins in a row against the engine at `level`, or, below zero, the losses
 * @typedef {{player: string, name: string, variant: string, won?: number, lost?: number}} Friend
 *   someone you met, with the variant of your last game, and how many games each of you won
 * @typedef {{latest: PlayedGame[], tallies: Record<string, Tally>, friends: Friend[], counted: string[]}} PlayedGames
 */

const KEY = "noughts.played";

/** The parts of what is stored, without those that came later. */
const MODEL = /** @type {PlayedGames} */ (
  /** @type {unknown} */ ({
    latest: [{ variant: "", moves: [""], outcome: { reason: "" } }],
    tallies: { 0: { won: 0, drawn: 0, lost: 0, beaten: [""] } },
    friends: [{ player: "", name: "" }],
    counted: [""],
  })
);

/** @returns {PlayedGames} */
export const loadPlayedGames = () =>
  browserStorage.load(KEY, MODEL) ?? { latest: [], tallies: {}, friends: [], counted: [] };

export const hasFriends = () => loadPlayedGames().friends.length > 0;
export const hasPlayedGames = () => loadPlayedGames().latest.length > 0;
/** @param {PlayedGames} games */
export const savePlayedGames = (games) => browserStorage.set(KEY, JSON.stringify(games));
export const clearPlayedGames = () => browserStorage.set(KEY, null);

/** Return what is known of a variant's games. @param {PlayedGames} games @param {string} variant @returns {Tally} */
export const tallyOf = ({ tallies }, variant) => ({
  ...{ won: 0, drawn: 0, lost: 0, beaten: [], level: null, run: 0 },
  ...tallies[variant],
});

/** Return the person with whom you played, or undefined. @param {string} player */
export const friendOf = (player) => loadPlayedGames().friends.find((friend) => friend.player === player);

const WINS_TO_CLIMB = 2;
const LOSSES_TO_STEP_DOWN = 3;

/**
 * Return the level to try next: the one above after two wins in a row, the one below after three losses, else null.
 * @param {Tally} tally @param {string} level that is chosen @param {readonly string[]} levels weakest first
 */
export function levelToTry({ level: played, run }, level, levels) {
  const height = levels.indexOf(level);
  if (played !== level || height < 0) return null;
  const step = run >= WINS_TO_CLIMB ? 1 : run <= -LOSSES_TO_STEP_DOWN ? -1 : 0;
  return step === 0 ? null : (levels[height + step] ?? null);
}
