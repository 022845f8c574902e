import { call } from "./api.js";
import { passOf } from "./passplay.js";
import { player } from "./session.js";
import { lasting } from "./storage.js";
import { MARKS } from "./view.js";

/** The way back to the room in which this browser last held a seat. */

const KEY = "noughts.room";

/** @param {string} id @param {boolean} held whether a seat is ours there */
export function keepRoom(id, held) {
  const kept = lasting.get(KEY);
  if (held && kept !== id) lasting.set(KEY, id);
  if (!held && kept === id) lasting.set(KEY, null);
}

/** @returns {Promise<import("./wire.js").View|null>} the room, if it is still there and a seat still ours */
export async function lastRoom() {
  const id = lasting.get(KEY);
  if (!id) return null;
  try {
    /** @type {import("./wire.js").View} */
    const view = await call("GET", "rooms/" + encodeURIComponent(id));
    const me = player()?.id;
    const held = passOf(id) !== null || MARKS.some((mark) => {
      const seat = view.seats[mark];
      return me !== undefined && (seat?.kind === "human" ? seat.player : seat?.holding_for?.player) === me;
    });
    if (held && view.phase !== "closed") return view;
    keepRoom(id, false);
  } catch (fault) {
    if (/** @type {{status?: number}} */ (fault).status === 404) keepRoom(id, false);
  }
  return null;
}
