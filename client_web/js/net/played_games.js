import { browserStorage } from "../browser/storage.js";
import { opponentOf } from "./view.js";

/**
 * The games that were played in this browser: the latest as pictures, and for each variant how they ended and which
 * levels were beaten. The server has none of it. The functions with `games` are pure.
 */

/** @import { Game, Mark, View, You } from "./messages.js" */

/**
 * @typedef {{room: string, number: number, variant: string, mark: Mark, ending: Ending, opponent: string, level: string|null,
 *   moves: string[], marks: Record<string, Mark>, boards: Game["boards"]|null, outcome: NonNullable<Game["outcome"]>}} PlayedGame
 *   `opponent` is a person's name, empty for an engine, whose level is `level`
 * @typedef {"won"|"drawn"|"lost"} Ending
 * @typedef {Record<Ending, number> & {beaten: string[], level: string|null, run: number}} Tally
 *   `run` counts the wins in a row against the engine at `level`, or, below zero, the losses
 * @typedef {{player: string, name: string, variant: string}} Friend
 * @typedef {{latest: PlayedGame[], tallies: Record<string, Tally>, friends: Friend[], counted: string[]}} PlayedGames
 */

const KEY = "noughts.played";
const MAX_LATEST = 12;
const MAX_FRIENDS = 4;
/** Games that are known to be counted, so that a page that is loaded again does not count its game twice. */
const MAX_COUNTED = 100;

/** @returns {PlayedGames} */
const noGames = () => ({ latest: [], tallies: {}, friends: [], counted: [] });

/** @returns {PlayedGames} */
export function loadPlayedGames() {
  const stored = browserStorage.load(KEY);
  const isWhole = Array.isArray(stored?.latest) && Array.isArray(stored.friends) && Array.isArray(stored.counted);
  return isWhole && typeof stored.tallies === "object" ? { ...noGames(), ...stored } : noGames();
}

export const hasPlayedGames = () => loadPlayedGames().latest.length > 0;
export const clearPlayedGames = () => browserStorage.set(KEY, null);

/** Return what is known of a variant's games. @param {PlayedGames} games @param {string} variant @returns {Tally} */
export const tallyOf = ({ tallies }, variant) => ({
  ...{ won: 0, drawn: 0, lost: 0, beaten: [], level: null, run: 0 },
  ...tallies[variant],
});

/**
 * Add the finished game of a view, if you played it and it counts. Otherwise return the same object.
 * @param {PlayedGames} games @param {View} view @param {You} you @returns {PlayedGames}
 */
export function withGameOf(games, { id, game, seats }, { mark }) {
  const outcome = game?.outcome;
  const opponent = mark && seats[opponentOf(mark)];
  if (!outcome || !mark || !opponent || outcome.reason === "aborted" || game.from) return games;
  const key = `${id} ${game.number}`;
  if (games.counted.includes(key)) return games;
  const ending = outcome.winner === null ? "drawn" : outcome.winner === mark ? "won" : "lost";
  const person = opponent.kind === "human" ? opponent : opponent.holding_for;
  const level = opponent.kind === "engine" && !person ? opponent.level : null;
  /** @type {PlayedGame} */
  const played = {
    ...{ room: id, number: game.number, variant: game.variant, mark, ending, opponent: person?.name ?? "", level },
    ...{ moves: game.moves, marks: game.marks, boards: game.boards ?? null, outcome },
  };
  return {
    latest: [played, ...games.latest].slice(0, MAX_LATEST),
    tallies: { ...games.tallies, [game.variant]: tallyAfter(tallyOf(games, game.variant), ending, level) },
    friends: person ? friendsAfter(games.friends, { ...person, variant: game.variant }) : games.friends,
    counted: [...games.counted, key].slice(-MAX_COUNTED),
  };
}

/** @param {Tally} tally @param {Ending} ending @param {string|null} level @returns {Tally} */
function tallyAfter(tally, ending, level) {
  const counted = { ...tally, [ending]: tally[ending] + 1 };
  if (level === null) return counted;
  const { beaten } = tally;
  const run = tally.level === level ? tally.run : 0;
  return {
    ...counted,
    beaten: ending === "won" && !beaten.includes(level) ? [...beaten, level] : beaten,
    level,
    run: ending === "won" ? Math.max(run, 0) + 1 : ending === "lost" ? Math.min(run, 0) - 1 : 0,
  };
}

/** @param {readonly Friend[]} friends @param {Friend} met */
const friendsAfter = (friends, { player, name, variant }) =>
  [{ player, name, variant }, ...friends.filter((friend) => friend.player !== player)].slice(0, MAX_FRIENDS);

/** Keep the game that a view shows the end of. @param {View} view @param {You} you */
export function keepPlayedGame(view, you) {
  const games = loadPlayedGames();
  const after = withGameOf(games, view, you);
  if (after !== games) browserStorage.set(KEY, JSON.stringify(after));
}

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
