import { connect } from "./connection.js";
import * as guest from "./guest.js";

/**
 * A connection to one room as the guest of this browser, or as a nameless spectator until a command needs an
 * account.
 */

/** @typedef {import("./messages.js").Command} Command */
/** @typedef {import("./messages.js").Answer} Answer */
/** @typedef {import("./connection.js").Status} Status */
/**
 * @typedef {{send: (command: Command) => Promise<Answer>, now: () => number, close: () => void, passAndPlay: boolean}}
 *   RoomConnection
 *   `passAndPlay` is true if the connection holds both seats. `now` returns the server's time in ms.
 */

const UNAUTHORIZED = 4401;

/**
 * @param {{id: string, onMessage: (message: any) => void, onStatus: (status: Status) => void}} options
 * @returns {RoomConnection}
 */
export function connectAsGuest({ id, onMessage, onStatus }) {
  /** @type {string|null} */
  let helloToken = null;
  const start = () =>
    connect({
      hello() {
        helloToken = guest.token();
        return helloToken ? { room: id, token: helloToken } : { room: id };
      },
      onMessage(message) {
        if (message.type === "welcome") guest.syncName(message.player);
        onMessage(message);
      },
      onStatus(status) {
        if (status.state === "ended" && status.code === UNAUTHORIZED && helloToken) {
          guest.discard(helloToken);
          connection = start();
        } else onStatus(status);
      },
    });
  let connection = start();
  const removeListener = guest.onChange(() => {
    if (guest.token() !== helloToken) connection.reopen();
  });
  return {
    passAndPlay: false,
    async send(command) {
      await guest.ensureToken();
      return connection.send(command);
    },
    now: () => connection.now(),
    close() {
      removeListener();
      connection.close();
    },
  };
}
