import { connect } from "./connection.js";
import * as session from "./session.js";

/** The way to one room as the guest of this browser: by token, or as a nameless spectator until a command needs a name. */

/** @typedef {import("./wire.js").Command} Command */
/** @typedef {import("./wire.js").Answer} Answer */
/** @typedef {import("./connection.js").Status} Status */
/**
 * @typedef {{send: (command: Command) => Promise<Answer>, now: () => number, close: () => void, shared: boolean}} Link
 *   `shared`: both seats are on this screen.
 */

const UNAUTHORIZED = 4401;

/**
 * @param {{id: string, onMessage: (message: any) => void, onStatus: (status: Status) => void}} options
 * @returns {Link}
 */
export function guestLink({ id, onMessage, onStatus }) {
  /** @type {string|null} */
  let used = null;
  const start = () => connect({
    hello() {
      used = session.token();
      return used ? { room: id, token: used } : { room: id };
    },
    onMessage(message) {
      if (message.type === "welcome") session.learn(message.player);
      onMessage(message);
    },
    onStatus(status) {
      if (status.state === "ended" && status.code === UNAUTHORIZED && used) {
        session.drop(used);
        connection = start();
      } else onStatus(status);
    },
  });
  let connection = start();
  const off = session.onChange(() => {
    if (session.token() !== used) connection.reopen();
  });
  return {
    shared: false,
    async send(command) {
      await session.ensure();
      return connection.send(command);
    },
    now: () => connection.now(),
    close() {
      off();
      connection.close();
    },
  };
}
