import { updateBy } from "../browser/update_by.js";
import { canInvite } from "../net/view.js";

/**
 * The state of a room page. `update` is its only way to change: a pure function of the state and a message. A message comes
 * from the server, or from the page itself: what the connection, the player and the clock do.
 */

/** @import { Status } from "../net/connection.js" */
/** @import { Answer, ChatLine, ChatMessage, Command, CrowdMessage, GameRecord, Mark, Position, RoomMessage, Variant, View, WelcomeMessage, You } from "../net/messages.js" */
/** @import { Prompt } from "./prompt.js" */

/** @typedef {{cell: string, ply: number, game: number}} Move  a move that has no answer yet */
/** @typedef {{ply: number, cells: string[]}} LegalMoves  of a ply of a game under review */
/**
 * @typedef {"narrow"|"column"|"wide"} Layout  a column beside the board needs more width, and the sheet beside it still more
 */
/** @typedef {"chat"|"rules"|"settings"|"change"|"invite"|"more"} SheetName */
/**
 * @typedef {{
 *   id: string, passAndPlay: boolean, invite: string|null, connection: Status, variants: readonly Variant[],
 *   version: number, view: View|null, you: You, crowd: CrowdMessage|null, crowdAt: number,
 *   player: string|null, reactions: string[], lines: ChatLine[], hasHistory: boolean, newLines: number, muted: ReadonlySet<string>,
 *   move: Move|null, tapped: string|null, winsRun: number,
 *   sheet: SheetName|null, layout: Layout, isHidden: boolean, slanted: boolean,
 *   plan: NewGame|null, knocks: boolean, ownPrompt: Prompt|null, keptSides: number|null, reviewed: number|null, step: number|null, seenPly: number, stoppedAt: number|null, record: GameRecord|null, glimpse: number|null, rewinds: boolean, legal: LegalMoves|null,
 *   analysis: readonly Position[]|null, analysisFailed: boolean,
 * }} RoomState
 *   `passAndPlay` is true while this page plays both seats. `crowdAt` is the server's time in ms when the crowd message
 *   arrived: its durations count from then. `hasHistory` is true once the lines from before are there. `newLines` counts
 *   the chat lines of others that arrived out of sight. `player` is your id. `isHidden` is true while the browser does not show the page. `tapped` is the
 *   cell that a second tap plays. `winsRun` counts your wins one after the other. `slanted` draws layers as a stack.
 *   `plan` is what you have chosen for the next game. `knocks` is true while the game that a friend's arrival began waits for your first tap. `ownPrompt` is a question of the page itself. `keptSides` is the number of the game in which you chose not to swap. `reviewed` is the number of the
 *   game under review, or null. `step` is the ply on the board, or null for the newest one. `stoppedAt`
 *   is the server's time in ms when the connection was lost: nothing counts time until a view of the next connection is
 *   there. `record` and `analysis` are of the shown game. `glimpse` is the
 *   ply of the move that the board shows for a moment. With `rewinds` it shows the move that need not have lost, lifted.
 */
/** @typedef {{variant?: string, level?: string, clock?: import("../net/messages.js").ClockSetting|null, first_to?: number|null, swap?: boolean}} NewGame  what differs */
/** A state with a view, so with everything that a room needs. @typedef {RoomState & {view: View}} OpenState */
/**
 * @typedef {{type: "connection", status: Status, at_ms: number}
 *   | {type: "move", move: Move} | {type: "answer", move: Move, answer: Answer}
 *   | {type: "confirm_tap", cell: string|null} | {type: "sheet", sheet: SheetName|null}
 *   | {type: "sight", layout: Layout, isHidden: boolean} | {type: "step", ply: number|null}
 *   | {type: "review", game: number|null} | {type: "glimpse", ply: number|null} | {type: "slant", slanted: boolean}
 *   | {type: "rewind"} | {type: "begin"} | {type: "legal", game: number, legal: LegalMoves} | {type: "keep_sides", game: number} | {type: "plan", plan: NewGame} | {type: "own", prompt: Prompt} | {type: "answer_own", key: string}
 *   | {type: "record", record: GameRecord} | {type: "analysis", game: number, positions: Position[]|null}
 *   | {type: "mute", muted: readonly string[]}} PageMessage  what the page tells itself
 * @typedef {WelcomeMessage|RoomMessage|ChatMessage|(CrowdMessage & {at_ms: number})|PageMessage} Message
 * @typedef {(message: Message) => void} Dispatch
 * @typedef {{
 *   id: string, dispatch: Dispatch, sendCommand: (command: Command) => Promise<Answer>, play: (cell: string|null) => void,
 *   sit: (mark: Mark, name: string) => Promise<void>, change: (plan?: NewGame) => Promise<void>,
 *   warmUp: (cell?: string) => Promise<void>, navigate: (path: string) => void, share: () => void,
 *   now: () => number,
 * }} RoomContext
 *   What each part of the page is created with. `sendCommand` also shows the reason of a rejection. `change` without a plan begins the game once more. `now` returns the
 *   server's time in ms.
 * @typedef {{element: HTMLElement, draw: (state: OpenState) => void, tick?: (state: OpenState) => void,
 *   dispose?: () => void}} Part
 *   A part of the page. `draw` may run at any time, and changes only what differs. `tick` draws what counts time.
 */

const MAX_LINES = 200;
/** What is known of a game that has just begun to be shown. */
const NO_RECORD = { record: null, analysis: null, analysisFailed: false, glimpse: null, rewinds: false, legal: null };

/**
 * @param {{id: string, passAndPlay: boolean, invite: string|null, muted: readonly string[], slanted?: boolean,
 *   variants?: readonly Variant[]}} options
 * @returns {RoomState}
 */
export const createRoomState = ({ id, passAndPlay, invite, muted, slanted = false, variants = [] }) => ({
  id,
  passAndPlay,
  invite,
  connection: { state: "connecting", code: 0, blocked: false },
  variants,
  version: -1,
  view: null,
  you: { mark: null, owner: false, can: [] },
  crowd: null,
  crowdAt: 0,
  player: null,
  reactions: [],
  lines: [],
  hasHistory: false,
  newLines: 0,
  muted: new Set(muted),
  move: null,
  tapped: null,
  winsRun: 0,
  sheet: null,
  layout: "narrow",
  isHidden: false,
  slanted,
  plan: null,
  knocks: false,
  ownPrompt: null,
  keptSides: null,
  reviewed: null,
  step: null,
  seenPly: 0,
  stoppedAt: null,
  ...NO_RECORD,
});

/** @type {(state: RoomState, message: Message) => RoomState} */
const changed = updateBy({
  welcome: (_, { reactions, player }) => ({
    player: player?.id ?? null,
    reactions: reactions ?? [],
    version: -1,
    crowd: null,
  }), // a new connection may begin with an older view
  room: receiveRoom,
  crowd: (_, { at_ms: crowdAt, ...crowd }) => ({ crowd, crowdAt }),
  chat: receiveLines,
  connection: (state, { status, at_ms }) => ({
    connection: status,
    stoppedAt: isLost(status) ? (state.stoppedAt ?? at_ms) : state.stoppedAt,
  }),
  move: (_, { move }) => ({ move, tapped: null, step: null }),
  confirm_tap: (_, { cell }) => ({ tapped: cell }),
  answer: (state, { move, answer }) =>
    state.move === move && (!answer.ok || state.version >= answer.version) ? { move: null } : {},
  sheet: (_, { sheet }) => ({ sheet }),
  sight: (_, { layout, isHidden }) => ({ layout, isHidden }),
  step: stepTo,
  review: openReview,
  glimpse: (_, { ply }) => ({ glimpse: ply }),
  slant: (_, { slanted }) => ({ slanted }),
  record: (state, { record }) =>
    record.number === shownGame(state) ? { ...NO_RECORD, rewinds: state.rewinds, record } : {},
  begin: () => ({ knocks: false }),
  rewind: (state) => ({ rewinds: isOver(state), step: null }),
  legal: (state, { game, legal }) => (shownGame(state) === game ? { legal } : {}),
  analysis: (state, { game, positions }) =>
    shownGame(state) === game ? { analysis: positions, analysisFailed: positions === null } : {},
  keep_sides: (_, { game }) => ({ keptSides: game }),
  plan: (state, { plan }) => ({ plan: { ...state.plan, ...plan }, sheet: null }),
  own: (_, { prompt }) => ({ ownPrompt: prompt }),
  answer_own: () => ({ ownPrompt: null }),
  mute: (_, { muted }) => ({ muted: new Set(muted) }),
});

/** @param {Status} status */
const isLost = ({ state, blocked }) => blocked || (state !== "open" && state !== "connecting");

/**
 * Return the state after a message. A message of an unknown type changes nothing.
 * @param {RoomState} state
 * @param {Message} message
 * @returns {RoomState}
 */
export function update(state, message) {
  const next = changed(state, message);
  return next !== state && showsChat(next) ? { ...next, newLines: 0 } : next;
}

/** Return whether the player sees the chat. Beside a board it is part of the page. @param {RoomState} state */
export const showsChat = ({ sheet, layout, isHidden }) =>
  !isHidden && (sheet === "chat" || (layout === "wide" && sheet === null));

/**
 * Show another ply. The newest one of a game that is on is no step back.
 * @param {RoomState} state
 * @param {{ply: number|null}} message
 */
function stepTo(state, { ply }) {
  const isNewest = ply === null || (ply >= plyOf(state) && state.reviewed === null);
  return { step: isNewest ? null : ply, seenPly: state.step === null ? plyOf(state) : state.seenPly };
}

/** Open the review of a game by its number, or close the review. @param {RoomState} state @param {{game: number|null}} message */
function openReview(state, { game }) {
  const isSame = shownGame(state) === shownGame({ ...state, reviewed: game });
  return {
    reviewed: game,
    glimpse: null,
    rewinds: false,
    ...(isSame ? {} : NO_RECORD),
    ...(isSame && game !== null ? {} : { step: null }),
  };
}

/** Return the number of the game on the board, or null before the first one. @param {RoomState} state */
export const shownGame = ({ view, reviewed }) => reviewed ?? view?.game?.number ?? null;

/** @param {RoomState} state */
const plyOf = (state) => state.view?.game?.moves.length ?? 0;

/**
 * Keep the newest view. A view that is older than the shown one changes nothing.
 * @param {RoomState} state
 * @param {RoomMessage} message
 */
function receiveRoom(state, { version, room: view, you }) {
  if (version < state.version) return {};
  const isOtherGame = view.game?.number !== state.view?.game?.number;
  const { move } = state;
  const isStale = move !== null && (move.ply !== view.game?.moves.length || move.game !== view.game.number);
  const invite = you.invite ?? state.invite;
  const isInviteUsed = state.sheet === "invite" && !canInvite({ ...state, view, you, invite });
  const isEnd = !isOtherGame && view.game?.outcome && state.view && !isOver(state);
  const isArrival = view.game !== null && state.view?.game === null && canInvite({ ...state, view: state.view });
  const isCovered = isOtherGame && state.sheet !== "chat"; // a sheet over a game that has just begun
  return {
    version,
    view,
    you,
    stoppedAt: null,
    invite,
    knocks: isArrival || state.knocks,
    ...(isInviteUsed || isCovered ? { sheet: null } : {}),
    ...(isEnd ? { winsRun: view.game?.outcome?.winner === you.mark ? state.winsRun + 1 : 0 } : {}),
    move: isStale ? null : move,
    ...(isOtherGame ? { plan: null, step: null, reviewed: null, seenPly: 0, ...NO_RECORD } : {}),
  };
}

/**
 * Add chat lines. The first chat message holds the lines from before, which are not new.
 * @param {RoomState} state
 * @param {{lines: ChatLine[]}} message
 */
function receiveLines(state, { lines }) {
  const numbers = new Set(state.lines.map(({ n }) => n));
  const newLines = lines.filter(({ n }) => !numbers.has(n));
  const isHistory = !state.hasHistory;
  const isUnread = (/** @type {ChatLine} */ { from }) =>
    !state.muted.has(from.player) && from.player !== state.player && (state.isHidden || from.mark === null); // players have bubbles
  return {
    hasHistory: true,
    lines: [...state.lines, ...newLines].sort((a, b) => a.n - b.n).slice(-MAX_LINES),
    newLines: isHistory ? state.newLines : state.newLines + newLines.filter(isUnread).length,
  };
}

/**
 * Return the variant of the game on the board, which stays in sight after a change of variant.
 * @param {RoomState} state
 */
export function variantOf({ view, variants }) {
  const key = view?.game?.variant ?? view?.variant;
  return variants.find((variant) => variant.key === key) ?? null;
}

/** Return the variant of the next game. @param {RoomState} state */
export const nextVariantOf = ({ view, variants }) => variants.find(({ key }) => key === view?.variant) ?? null;

/**
 * Return the time to count from, in ms: the server's, or when the connection was lost.
 * @param {RoomState} state
 * @param {number} now
 */
export const timeOf = ({ stoppedAt }, now) => stoppedAt ?? now;

/** Return whether the connection is lost, so that what the page shows may be out of date. @param {RoomState} state */
export const isStill = ({ stoppedAt }) => stoppedAt !== null;

/** Return whether the player's move waits for a connection. @param {RoomState} state */
export const isQueued = ({ move, stoppedAt }) => move !== null && stoppedAt !== null;

/** Return whether the game on the board is over. @param {RoomState} state */
export const isOver = ({ view }) => Boolean(view?.game?.outcome);

/** Return whether the room has a chat. A tournament may have none. @param {OpenState} state */
export const hasChat = ({ view, you, lines }) => !view.tournament || you.can.includes("chat") || lines.length > 0;

/**
 * Return whether both seats are this page's or no other person was ever here: then there is no one to talk to.
 * @param {OpenState} state
 */
export function hasPeople({ view, crowd, you, passAndPlay, lines }) {
  if (passAndPlay) return false;
  const others = ["X", "O"].filter((mark) => {
    const seat = view.seats[/** @type {"X"|"O"} */ (mark)];
    return seat?.kind === "human" && mark !== you.mark;
  }).length;
  const spectators = (crowd?.spectators ?? 0) - (you.mark ? 0 : 1);
  return others > 0 || spectators > 0 || lines.length > 0;
}
