import { hasRung, mayJoin } from "./text.js";

/** The state of a tournament's page. `update` is its only way to change: a pure function of the state and a change. */

/** @import { Board, Row, TournamentMessage } from "../net/messages.js" */

/**
 * @typedef {{
 *   pin: string, message: TournamentMessage|null, boards: readonly Board[], isConnected: boolean, nowMs: number,
 *   isMatchOpen: boolean, isBetweenGames: boolean, isAway: boolean, isPlaying: boolean,
 * }} TournamentState
 *   `pin` is that of the link, or "". `nowMs` is the server's time. `isMatchOpen` is true while the room of the reader's match is
 *   on the page, and `isBetweenGames` while the end of its first game is shown. `isAway` means that the reader looks at the
 *   standings meanwhile. `isPlaying` means that the host wants to play too.
 * @typedef {TournamentState & {message: TournamentMessage, rows: readonly Row[]}} OpenTournament  with the rows that are shown
 */
/**
 * @typedef {{type: "message", message: TournamentMessage} | {type: "boards", boards: readonly Board[]}
 *   | {type: "connection", isConnected: boolean} | {type: "time"} | {type: "away", isAway: boolean}
 *   | {type: "match", isOpen: boolean, isBetweenGames: boolean} | {type: "play_too"}} Change
 */

const BOARDS_OF_READER = 6;
const BOARDS_OF_ENTRANT = 2;

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
});

/**
 * What changes of each type change.
 * @type {{[T in Change["type"]]: (state: TournamentState, change: Extract<Change, {type: T}>) => Partial<TournamentState>}}
 */
const CHANGES = {
  message: (state, { message }) => ({ message, ...(isPaired(state.message, message) ? { isAway: false } : {}) }),
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
};

/** Return the state after a change. @param {TournamentState} state @param {Change} change @returns {TournamentState} */
export function update(state, change) {
  const changed = /** @type {(state: TournamentState, change: Change) => Partial<TournamentState>} */ (
    CHANGES[change.type]
  );
  return { ...state, ...changed(state, change) };
}

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
