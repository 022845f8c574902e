import { request } from "./api.js";
import * as guest from "./guest.js";
import { loadTokens } from "./pass_and_play.js";
import { browserStorage, tabStorage } from "./storage.js";
import { MARKS } from "./view.js";

/** What this browser stores about rooms: the room of its last seat, and the invites that this tab was given. */

const LAST_ROOM_KEY = "noughts.room";
const TAPPED_ROOM_KEY = "noughts.tapped";
const INVITE_PREFIX = "noughts.invite.";

/**
 * Store a room as the last one, or remove it if this browser has no seat in it.
 * @param {string} id
 * @param {boolean} seated
 */
export function saveLastRoom(id, seated) {
  const storedId = browserStorage.get(LAST_ROOM_KEY);
  if (seated && storedId !== id) browserStorage.set(LAST_ROOM_KEY, id);
  if (!seated && storedId === id) browserStorage.set(LAST_ROOM_KEY, null);
}

/** Return the id of the last room, which may be gone. */
export const storedLastRoom = () => browserStorage.get(LAST_ROOM_KEY);

/** Store the newest room that a tap on the start page made. Return the one before. @param {string} id */
export function swapTappedRoom(id) {
  const before = browserStorage.get(TAPPED_ROOM_KEY);
  browserStorage.set(TAPPED_ROOM_KEY, id);
  return before;
}

/**
 * Return the last room if it still exists and this browser still has a seat in it.
 * @returns {Promise<import("./messages.js").View|null>}
 */
export async function loadLastRoom() {
  const id = browserStorage.get(LAST_ROOM_KEY);
  if (!id) return null;
  try {
    /** @type {import("./messages.js").View} */
    const view = await request("GET", "rooms/" + encodeURIComponent(id));
    const playerId = guest.player()?.id;
    const seated =
      loadTokens(id) !== null ||
      MARKS.some((mark) => {
        const seat = view.seats[mark];
        return (
          playerId !== undefined && (seat?.kind === "human" ? seat.player : seat?.holding_for?.player) === playerId
        );
      });
    if (seated && view.phase !== "closed") return view;
    saveLastRoom(id, false);
  } catch (error) {
    if (/** @type {{status?: number}} */ (error).status === 404) saveLastRoom(id, false);
  }
  return null;
}

/** @param {string} room @param {string} invite a secret, so it is stored for this tab only */
export const saveInvite = (room, invite) => tabStorage.set(INVITE_PREFIX + room, invite);

/** @param {string} room */
export const loadInvite = (room) => tabStorage.get(INVITE_PREFIX + room);
