import { followsFromMoves, replayAt } from "../board/replay.js";
import { request } from "../net/api.js";
import { decoded } from "../net/urls.js";
import { MARKS, opponentOf, seatKey } from "../net/view.js";

/**
 * The games of a series: fetched from its room, and as a link that holds them all. Its fragment is
 * `#series&classic.a=b2a1c1a2a3&classic.b=a1b2~resignation.O`: the variant of each game, whether player a or b held X at its end,
 * its moves, and an end that does not follow from them.
 */

/** @import { GameRecord, Mark, Players, View } from "../net/messages.js" */

/** @typedef {"a"|"b"} Side  a player of the series: a began its first game as X */
/**
 * @typedef {{record: GameRecord, x: Side}} SeriesGame  `x` held X at the end of the game
 * @typedef {{variant: string, moves: string[], over: {reason: string, winner: Mark|null}|null, x: Side}} LinkedGame
 */

const START = "series";
const GAME = /^([a-z0-9_-]{1,40})\.([ab])=((?:[a-z]\d{1,2}(?:\.\d)?)*)(?:~([a-z_]{1,20})(?:\.([XO]))?)?$/i;
const CELL = /[a-z]\d{1,2}(?:\.\d)?/g;
const MAX_GAMES = 60;
const MOST_GAMES = 12; // of a room without a series

/** Return the games of a series as text, for a fragment. @param {readonly SeriesGame[]} games */
export function seriesText(games) {
  const texts = games.map(({ record: { variant, moves, outcome }, x }) => {
    const cells = moves.map(({ cell }) => cell).join("");
    const winner = outcome?.winner ? "." + outcome.winner : "";
    const over = outcome && !followsFromMoves(outcome) ? `~${outcome.reason}${winner}` : "";
    return `${variant}.${x}=${cells}${over}`;
  });
  return [START, ...texts].join("&");
}

/** Return the games of a text, or null if it holds no series. @param {string} link with or without its `#` @returns {LinkedGame[]|null} */
export function parseSeries(link) {
  const [start, ...games] = decoded(link.replace(/^#/, "")).split("&");
  if (start !== START || !games.length || games.length > MAX_GAMES) return null;
  const parsed = games.map((game) => GAME.exec(game));
  if (parsed.includes(null)) return null;
  return parsed.map((match) => {
    const [, variant = "", x, cells = "", reason, winner = null] = match ?? [];
    const over = reason ? { reason, winner: /** @type {Mark|null} */ (winner) } : null;
    return { variant, moves: cells.match(CELL) ?? [], over, x: /** @type {Side} */ (x) };
  });
}

/** Return who has won a game, or null. @param {SeriesGame} game @returns {Side|null} */
export function winnerOf({ record: { outcome }, x }) {
  if (!outcome?.winner) return null;
  return outcome.winner === "X" ? x : x === "a" ? "b" : "a";
}

/** Return the games that each side has won. @param {readonly SeriesGame[]} games */
export function scoreOf(games) {
  const winners = games.map(winnerOf);
  const wins = (/** @type {Side} */ side) => winners.filter((winner) => winner === side).length;
  return { a: wins("a"), b: wins("b") };
}

/** Return the sides by their marks at the end of the newest game. @param {readonly SeriesGame[]} games @returns {Record<Mark, Side>} */
export function sidesOf(games) {
  const x = games.at(-1)?.x ?? "a";
  return { X: x, O: x === "a" ? "b" : "a" };
}

/** Return what the board of a game shows at its end. @param {GameRecord} record @param {import("../board/layout.js").Shape} variant */
export const lastPosition = (record, variant) => ({ ...replayAt(record, record.moves.length), variant, still: true });

/** Return who held a mark at the end of a recorded game. @param {GameRecord} record @param {Mark} mark */
const holderOf = ({ players, swapped }, mark) =>
  seatKey(/** @type {Players} */ (players)?.[swapped ? opponentOf(mark) : mark] ?? null);

/** Return whether an engine moved for a player, so that the game does not count. @param {GameRecord} record */
const hadStandIn = ({ players, moves }) =>
  MARKS.every((mark) => players?.[mark].kind === "human")
    ? moves.some(({ by }) => by?.startsWith("engine:"))
    : MARKS.some((mark) => {
        const seat = players?.[mark];
        return seat?.kind === "engine" && seat.holding_for;
      });

/** Fetch the finished games of a room's newest series, without one the newest games. @param {View} view @returns {Promise<SeriesGame[]>} */
export async function fetchSeries({ id, game, series }) {
  /** @type {GameRecord[]} */
  const records = [];
  for (let n = game?.outcome ? game.number : (game?.number ?? 1) - 1; n > 0; n--) {
    if (records.length === (series?.games ?? MOST_GAMES)) break;
    const record = await request("GET", `rooms/${encodeURIComponent(id)}/games/${n}`);
    if (record.outcome && record.outcome.reason !== "aborted" && !hadStandIn(record)) records.unshift(record);
  }
  const first = records[0];
  const a = first && holderOf(first, first.swapped ? "O" : "X");
  return records.map((record) => ({ record, x: holderOf(record, "X") === a ? "a" : "b" }));
}
