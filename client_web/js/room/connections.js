import { CLOSE_CODES, connect } from "../net/connection.js";
import { discardGuest, ensureToken, guestToken, onGuestChange, syncName } from "../net/guest.js";

/**
 * A connection to one room or tournament as the guest of this browser, or as a nameless spectator until a command needs an
 * account.
 */

/** @import { Status } from "../net/connection.js" */
/** @import { Answer, Command, PushedMessage } from "../net/messages.js" */

/**
 * @typedef {{send: (command: Command) => Promise<Answer>, now: () => number, close: () => void}} RoomConnection
 *   `now` returns the server's time in ms.
 */

/** @typedef {{id: string, onMessage: (message: PushedMessage) => void, onStatus: (status: Status) => void}} Connecting */

/** @param {Connecting & {what?: "room"|"tournament"}} options */
export function connectAsGuest({ id, what = "room", onMessage, onStatus }) {
  /** @type {string|null} */
  let helloToken = null;
  const start = () =>
    connect({
      hello() {
        helloToken = guestToken();
        return { [what]: id, ...(helloToken ? { token: helloToken } : {}) };
      },
      onMessage(message) {
        if (message.type === "welcome") syncName(message.player);
        onMessage(message);
      },
      onStatus(status) {
        if (status.state === "ended" && status.code === CLOSE_CODES.unauthorized && helloToken) {
          discardGuest(helloToken);
          connection = start();
        } else onStatus(status);
      },
    });
  let connection = start();
  const removeListener = onGuestChange(() => {
    if (guestToken() !== helloToken) connection.reopen();
  });
  return {
    /** @param {Command} command */
    async send(command) {
      await ensureToken();
      return connection.send(command);
    },
    /** Send what needs no account. @param {Command} command */
    ask: (command) => connection.send(command),
    reopen: () => connection.reopen(),
    now: () => connection.now(),
    close() {
      removeListener();
      connection.close();
    },
  };
}
