/** Facts that follow from a room's view: pure functions, which the parts of the page share. */

/** @import { Clock, Mark, View, You } from "./messages.js" */

/** @type {readonly Mark[]} */
export const MARKS = ["X", "O"];

/** @param {Mark} mark @returns {Mark} */
export const opponentOf = (mark) => (mark === "X" ? "O" : "X");

/** @param {You} you @param {string} command */
export const can = (you, command) => you.can.includes(command);

/** Return the marks for which a command may be sent: `sit` in ["sit:O"] gives ["O"]. @param {You} you @param {string} command */
export const marksFor = (you, command) => MARKS.filter((mark) => can(you, `${command}:${mark}`));

/** Return whether the engine is the stand-in in your seat. @param {View} view @param {You} you */
export const hasStandIn = (view, you) => you.mark !== null && view.seats[you.mark]?.kind === "engine";

/** @param {View} view */
export const bothAreEngines = (view) => MARKS.every((mark) => view.seats[mark]?.kind === "engine");

/** Return whether the players have days for each move. @param {View} view */
export const isDays = ({ clock }) => clock?.mode === "days";

/**
 * Return the ms left on a clock.
 * @param {Clock} clock
 * @param {Mark} mark
 * @param {number} now the server's time in ms
 */
export function timeLeft(clock, mark, now) {
  const left = mark === "X" ? clock.X_ms : clock.O_ms;
  return clock.running === mark ? Math.max(0, left - Math.max(0, now - clock.at_ms)) : left;
}

/** Return under which name a seat has its wins, or null. @param {View["seats"]["X"]} seat */
export function seatKey(seat) {
  if (!seat) return null;
  return seat.kind === "human" ? seat.player : (seat.holding_for?.player ?? "engine:" + seat.level);
}

/** Return how many games the player or engine in a seat has won. @param {View} view @param {Mark} mark */
export function winsOf(view, mark) {
  const key = seatKey(view.seats[mark]);
  return view.score.find((entry) => entry.player === key)?.wins ?? 0;
}

/**
 * Return the empty seat that this visitor can take.
 * @param {import("../room/state.js").OpenState} state
 * @returns {Mark|null}
 */
export function openSeat({ view, you, invite, passAndPlay }) {
  if (passAndPlay || you.mark || view.phase === "closed") return null;
  const mark = MARKS.find((seat) => view.seats[seat] === null) ?? null;
  const isAllowed = view.join === "open" ? mark !== null && can(you, "sit:" + mark) : invite !== null;
  return isAllowed ? mark : null;
}

/**
 * Return whether this player can invite a friend to the empty seat.
 * @param {import("../room/state.js").OpenState} state
 */
export const canInvite = ({ view, you, invite, passAndPlay }) =>
  Boolean(invite) &&
  !passAndPlay &&
  you.mark !== null &&
  view.phase !== "closed" &&
  MARKS.some((mark) => view.seats[mark] === null);
