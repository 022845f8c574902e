import { connect } from "./connection.js";
import * as guest from "./guest.js";

/** Close a room that a tap on the start page made and that was left at once, so that taps leave no heap of rooms. */

const MAX_PLIES = 2; // the tap, and the answer of the engine

/** @param {string} id */
export function closeUnplayedRoom(id) {
  const token = guest.token();
  if (!token) return;
  const connection = connect({
    hello: () => ({ room: id, token }),
    onMessage(message) {
      if (message.type !== "room") return;
      const { you, room } = message;
      const isUnplayed = room.phase === "playing" && room.game?.number === 1 && room.game.moves.length <= MAX_PLIES;
      if (!isUnplayed || !you.can.includes("close")) connection.close();
      else void connection.send({ type: "close" }).then(() => connection.close());
    },
    onStatus: () => {},
  });
}
