import * as guest from "./guest.js";
import { MARKS } from "./view.js";

/** A room that the start page has just made: its page draws it at once, and plays the cell that was tapped. */

/** @typedef {import("./messages.js").View} View */
/** @typedef {{view: View, you: import("./messages.js").You, cell: string|null}} NewRoom */

/** @type {NewRoom|null} */
let newRoom = null;

/** Keep a room for its page. @param {View} view @param {string|null} cell the first move @param {string} [invite] */
export function keepNewRoom(view, cell, invite) {
  const id = guest.player()?.id;
  const mark =
    MARKS.find((seat) => {
      const holder = view.seats[seat];
      return holder?.kind === "human" && holder.player === id;
    }) ?? null;
  newRoom = { view, cell, you: { mark, owner: view.owner === id, can: [], ...(invite ? { invite } : {}) } };
}

/** Return the room once, if it has this id. @param {string} id */
export function takeNewRoom(id) {
  const room = newRoom;
  newRoom = null;
  return room?.view.id === id ? room : null;
}
