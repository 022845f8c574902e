import { request } from "../net/api.js";
import { guestToken } from "../net/guest.js";

/** The number of games that wait for your move, on the icon of the installed app. */

/** @import { MyRooms } from "../net/messages.js" */

/**
 * Return your rooms, your turn first. Return none for a visitor who is no guest.
 * @param {string} [query]
 * @returns {Promise<MyRooms["rooms"]>}
 */
export async function loadRooms(query = "") {
  const token = guestToken();
  return token ? (await request("GET", "players/me/rooms" + query, { token })).rooms : [];
}

/** Return whether a room is one with a person, or waits for one. @param {MyRooms["rooms"][number]} room */
export const isWithPerson = ({ opponent }) => opponent?.kind !== "engine" || Boolean(opponent.holding_for);

/** Show a number on the icon of the app, where the browser has one. @param {number} count */
export function showOnIcon(count) {
  navigator.setAppBadge?.(count).catch(() => {});
}

/** Count your turns again, and show their number on the icon. Without an answer the number stays. */
export async function countTurns() {
  if (!("setAppBadge" in navigator)) return;
  const rooms = await loadRooms("?turn=mine").catch(() => null);
  if (rooms) showOnIcon(rooms.filter(isWithPerson).length);
}
