import { updateBy } from "../browser/update_by.js";
import { hasRung, mayJoin } from "./text.js";

/** The state of a tournament's page. `update` is its only way to change: a pure function of the state and a change. */

/** @import { Board, Match, Row, TournamentMessage } from "../net/messages.js" */

/**
 * @typedef {{
 *   pin: string, message: TournamentMessage|null, boards: readonly Board[], isConnected: boolean, nowMs: number,
 *   isMatchOpen: boolean, isBetweenGames: boolean, isAway: boolean, isPlaying: boolean,
 *   fetched: readonly Row[], areAllRows: boolean, matches: readonly Match[], hasMore: boolean, matchLimit: number, isListOpen: boolean,
 * }} TournamentState
 *   `pin` is that of the link, or "". `nowMs` is the server's time. `isMatchOpen` is true while the room of the reader's match is
 *   on the page, and `isBetweenGames` while the end of its first game is shown. `isAway` means that the reader looks at the
 *   standings meanwhile. `isPlaying` means that the host wants to play too. `fetched` and `matches` were read beside the message,
 *   and `hasMore` says that there are more matches. `areAllRows` shows all rows, and `isListOpen` the first `matchLimit` matches.
 * @typedef {TournamentState & {message: TournamentMessage}} OpenTournament
 */
/**
 * @typedef {{type: "message", message: TournamentMessage} | {type: "boards", boards: readonly Board[]}
 *   | {type: "connection", isConnected: boolean} | {type: "time"} | {type: "away", isAway: boolean}
 *   | {type: "match", isOpen: boolean, isBetweenGames: boolean} | {type: "play_too"}
 *   | {type: "rows", rows: readonly Row[]} | {type: "matches", matches: readonly Match[], hasMore: boolean}
 *   | {type: "all_rows"} | {type: "more_matches"} | {type: "list", isOpen: boolean}} Change
 */

const BOARDS_OF_READER = 6;
const BOARDS_OF_ENTRANT = 2;
const MAX_ROWS = 512;
const ROWS_OF_CROSS_TABLE = 40;
const NAMES_ON_WALL = 100; // before the start
const MATCHES = 100; // in the list, and again with each tap on "more"
const OWN_MATCHES_AMONG = 2_000;

/** @param {string} pin @returns {TournamentState} */
export const createTournamentState = (pin) => ({
  pin,
  message: null,
  boards: [],
  isConnected: true,
  nowMs: 0,
  isMatchOpen: false,
  isBetweenGames: false,
  isAway: false,
  isPlaying: false,
  fetched: [],
  areAllRows: false,
  matches: [],
  hasMore: false,
  matchLimit: MATCHES,
  isListOpen: false,
});

/** Return the state after a change. @type {(state: TournamentState, change: Change) => TournamentState} */
export const update = updateBy({
  message: (state, { message }) => ({
    message,
    ...(isPaired(state.message, message) ? { isAway: false } : {}),
    ...(isOver(message) && !(state.message && isOver(state.message)) ? { isListOpen: showsMatches(message) } : {}),
  }),
  boards: (_, { boards }) => ({ boards }),
  connection: (_, { isConnected }) => ({ isConnected }),
  time: () => ({}),
  away: (state, { isAway }) => ({ isAway: isAway && state.isMatchOpen }),
  match: (state, { isOpen, isBetweenGames }) => ({
    isMatchOpen: isOpen,
    isBetweenGames,
    isAway: state.isAway && isOpen,
  }),
  play_too: () => ({ isPlaying: true }),
  rows: (_, { rows }) => ({ fetched: rows }),
  matches: (_, { matches, hasMore }) => ({ matches, hasMore }),
  all_rows: () => ({ areAllRows: true }),
  more_matches: ({ matchLimit }) => ({ matchLimit: matchLimit + MATCHES }),
  list: (_, { isOpen }) => ({ isListOpen: isOpen }),
});

/** @param {TournamentMessage} message */
const isOver = ({ tournament }) => tournament.state === "over";

/** Return whether the matches are shown at the end without being asked for. @param {TournamentMessage} message */
const showsMatches = ({ tournament, you }) => tournament.mode !== "arena" && you.entrant === null;

/** Return how many rows to read. @param {OpenTournament} state @param {boolean} isWall */
export function rowsWanted({ message: { tournament, top }, areAllRows }, isWall) {
  const isOpen = tournament.state === "open";
  const isCross = !isWall && tournament.mode === "round_robin" && !isOpen;
  const most = areAllRows ? MAX_ROWS : isWall && isOpen ? NAMES_ON_WALL : isCross ? ROWS_OF_CROSS_TABLE : 0;
  return isCross || Math.min(most, tournament.entrants) > top.length ? most : 0;
}

/** Return how many matches to read: all where a picture needs them. @param {OpenTournament} state @param {boolean} isWall */
export function matchesWanted({ message, matchLimit, isListOpen }, isWall) {
  const { tournament, you } = message;
  if (tournament.state === "open" || (isWall && tournament.mode !== "knockout")) return 0;
  if (tournament.mode !== "arena") return Infinity;
  if (isOver(message) && you.entrant !== null) return Math.max(matchLimit, OWN_MATCHES_AMONG);
  return isListOpen ? matchLimit : 0;
}

/** Return the rows to show, by rank: the first ones, and those around the reader or all that were read. @param {OpenTournament} state @param {boolean} [areAll] */
export function rowsOf({ message: { top, around }, fetched, areAllRows }, areAll = areAllRows) {
  const inTop = new Set(top.map(({ entrant }) => entrant));
  return [...top, ...(areAll && fetched.length ? fetched : around).filter(({ entrant }) => !inTop.has(entrant))];
}

/** Return the rows of a cross table. @param {OpenTournament} state */
export const crossRows = ({ fetched }) => fetched.slice(0, ROWS_OF_CROSS_TABLE);

/** Return whether the reader was paired. @param {TournamentMessage|null} before @param {TournamentMessage} after */
export const isPaired = (before, after) => after.you.match !== null && after.you.match.n !== before?.you.match?.n;

/** Return whether the room of the reader's match is shown. @param {TournamentState} state */
export const isBoardShown = ({ isMatchOpen, isAway }) => isMatchOpen && !isAway;

/** Return how many boards of other matches to show: none while the reader's own board is shown. @param {TournamentState} state */
export function boardsWanted(state) {
  const { message } = state;
  if (isBoardShown(state) || !message || message.tournament.state === "open") return 0;
  return message.you.entrant === null ? BOARDS_OF_READER : BOARDS_OF_ENTRANT;
}

/**
 * Return how the reader may join: by the form, by asking for it as the host, or by another PIN after being removed.
 * @param {TournamentState & {message: TournamentMessage}} state
 */
export function waysToJoin({ message, pin, isPlaying, nowMs }) {
  const { tournament, you } = message;
  const isOpen = mayJoin(tournament, nowMs);
  const isOutside = isOpen && you.entrant === null;
  const mayEnter = isOutside && (pin !== "" || isPlaying);
  return {
    mayEnter,
    mayPlayToo: isOutside && you.host && !mayEnter && tournament.bots !== "only",
    mayReturn: isOpen && you.entrant !== null && (you.row?.state ?? "removed") === "removed",
    showsPin: isOpen && (you.host || (tournament.state === "open" && you.entrant === null)),
  };
}

/** Return whether the tournament only waits for its last matches, and none is the reader's. @param {TournamentState & {message: TournamentMessage}} state */
export const isLastWait = ({ message, nowMs }) => hasRung(message.tournament, nowMs) && !message.you.match;

/**
 * Return whether the reader waits for the next game: then the screen stays on. During a game its room sees to that.
 * @param {TournamentState & {message: TournamentMessage}} state
 */
export const isWaiting = ({ message: { tournament, you }, isMatchOpen, isBetweenGames }) =>
  tournament.state === "running" && you.can.includes("pause") && (isBetweenGames || !isMatchOpen);
