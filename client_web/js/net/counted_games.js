import { loadPlayedGames, savePlayedGames, tallyOf } from "./played_games.js";
import { opponentOf } from "./view.js";

/** Count a game among those that were played in this browser. The page of a room imports it for the end of a game. */

/** @import { View, You } from "./messages.js" */
/** @import { Ending, Friend, PlayedGame, PlayedGames, Tally } from "./played_games.js" */

const MAX_LATEST = 12;
const MAX_FRIENDS = 4;
/** Games that are known to be counted, so that a page that is loaded again does not count its game twice. */
const MAX_COUNTED = 100;

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
    friends: person ? friendsAfter(games.friends, { ...person, variant: game.variant }, ending) : games.friends,
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

/** @param {readonly Friend[]} friends @param {Friend} met @param {Ending} ending */
function friendsAfter(friends, { player, name, variant }, ending) {
  const { won = 0, lost = 0 } = friends.find((friend) => friend.player === player) ?? {};
  const friend = { player, name, variant, won: won + Number(ending === "won"), lost: lost + Number(ending === "lost") };
  return [friend, ...friends.filter((other) => other.player !== player)].slice(0, MAX_FRIENDS);
}

/** Keep the game that a view shows the end of. @param {View} view @param {You} you */
export function keepPlayedGame(view, you) {
  const games = loadPlayedGames();
  const after = withGameOf(games, view, you);
  if (after !== games) savePlayedGames(after);
}
