import { updateBy } from "../browser/update_by.js";

/** The state of the admin page. `update` is its only way to change: a pure function of the state and a change. */

/** @import { Connected } from "./players.js" */
/** @import { Room } from "./rooms.js" */
/** @import { Bite, NodeStatus } from "./server_lists.js" */
/** @import { ListedTournament } from "./tournaments.js" */

/**
 * @typedef {{rooms: {rooms: Room[], total: number}, players: {players: Connected[], total: number, limits: Bite[]},
 *   tournaments: {tournaments: ListedTournament[]}, nodes: {nodes: NodeStatus[]}, bans: {banned: string[], address: string}, backup: {at_ms: number|null, hours: number, fault: string}}} Answers
 *   What the server answered to the requests of one reading.
 * @typedef {{listed: number, roomId: string, begun: number, drawn: number, answers: Answers|null, trouble: string}} AdminState
 *   `listed` is how many rooms and players are listed at most. `roomId` is the only room to list, if it is not empty. `begun` and
 *   `drawn` are numbers of requests: of the newest request, and of the request whose answer is shown.
 * @typedef {AdminState & {answers: Answers}} OpenAdmin
 * @typedef {{type: "more"} | {type: "show", room: string} | {type: "read"} | {type: "answers", reading: number, answers: Answers}
 *   | {type: "trouble", message: string}} Change
 */

/** How many rooms and players are listed at first, and how many more with each tap on "Show more". */
const STEP = 12;
const MAX_LISTED = 96;

/** @type {AdminState} */
export const NEW_ADMIN = { listed: STEP, roomId: "", begun: 0, drawn: 0, answers: null, trouble: "" };

/** Return the state after a change. @type {(state: AdminState, change: Change) => AdminState} */
export const update = updateBy({
  more: ({ listed }) => ({ listed: Math.min(MAX_LISTED, listed + STEP) }),
  show: (_, { room }) => ({ roomId: room }),
  read: ({ begun }) => ({ begun: begun + 1 }),
  answers: ({ drawn }, { reading, answers }) => (reading < drawn ? {} : { drawn: reading, answers, trouble: "" }), // answers that overtook these are newer
  trouble: (_, { message }) => ({ trouble: message }),
});

/** Return whether more rooms and players can be listed. @param {AdminState} state */
export const mayGrow = ({ listed }) => listed < MAX_LISTED;
