import { characterKey } from "./keys.js";
import { isOver } from "./room_state.js";
import { setSound, soundIsOn } from "./sound.js";

/**
 * The keys of a room: R for a rematch, M for the sound, / to play a cell by its name, and arrows to step through the
 * game. Home and End belong to the page until a step back has begun.
 */

/** @typedef {import("./room_state.js").RoomState} RoomState */

/**
 * Return whether keys belong to an element: an input, a dialog, or the board with its own arrows.
 * @param {EventTarget|null} target
 */
const ownsKeys = (target) =>
  target instanceof Element && target.closest("input, select, textarea, dialog:modal, [role=gridcell]") !== null;

/** Return the ply to which a key steps, or undefined. @param {string} key @param {number} ply @param {number} last */
function plyForKey(key, ply, last) {
  if (key === "ArrowLeft") return Math.max(0, ply - 1);
  if (key === "ArrowRight") return Math.min(last, ply + 1);
  if (key === "Home") return 0;
  return key === "End" ? last : undefined;
}

/**
 * @param {KeyboardEvent} event @param {RoomState} state
 * @param {{dispatch: import("./room_state.js").Dispatch, playAgain: () => void, enterCell: () => void}} handlers
 */
export function handleRoomKey(event, state, { dispatch, playAgain, enterCell }) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const key = characterKey(event);
  if (key === "m") setSound(!soundIsOn());
  else if (key === "r" && isOver(state)) playAgain();
  else if (key === "/") {
    event.preventDefault();
    enterCell();
  } else if (!ownsKeys(event.target) && (state.reviewing || state.step !== null || event.key === "ArrowLeft")) {
    const last = (state.reviewedGame === null ? state.view?.game : state.record)?.moves.length ?? 0;
    const ply = plyForKey(event.key, state.step ?? last, last);
    if (ply === undefined) return;
    event.preventDefault();
    dispatch({ type: "step", ply });
  }
}
