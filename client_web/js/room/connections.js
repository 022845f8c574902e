import { connect } from "../net/connection.js";
import { discardGuest, ensureToken, guestToken, onGuestChange, syncName } from "../net/guest.js";

/**
 * A connection to one room as the guest of this browser, or as a nameless spectator until a command needs an
 * account.
 */

/** @import { Status } from "../net/connection.js" */
/** @import { Tokens } from "../net/stored_rooms.js" */
/** @import { Answer, Command, RoomMessage, PushedMessage } from "../net/messages.js" */

/**
 * @typedef {{send: (command: Command) => Promise<Answer>, now: () => number, close: () => void, passAndPlay: boolean}}
 *   RoomConnection
 *   `passAndPlay` is true if the connection plays both seats. `now` returns the server's time in ms.
 */

export const UNAUTHORIZED = 4401;

/**
 * @param {{id: string, onMessage: (message: PushedMessage) => void, onStatus: (status: Status) => void}} options
 * @returns {RoomConnection}
 */
export function connectAsGuest({ id, onMessage, onStatus }) {
  /** @type {string|null} */
  let helloToken = null;
  const start = () =>
    connect({
      hello() {
        helloToken = guestToken();
        return helloToken ? { room: id, token: helloToken } : { room: id };
      },
      onMessage(message) {
        if (message.type === "welcome") syncName(message.player);
        onMessage(message);
      },
      onStatus(status) {
        if (status.state === "ended" && status.code === UNAUTHORIZED && helloToken) {
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
    passAndPlay: false,
    async send(command) {
      await ensureToken();
      return connection.send(command);
    },
    now: () => connection.now(),
    close() {
      removeListener();
      connection.close();
    },
  };
}

/**
 * Pass and play: two players on one screen. For the server it is a room like any other. This page plays both seats, with a
 * guest account and a connection for each, and shows the newer of the two views with the commands of both players.
 */

/** @typedef {{connection: ReturnType<typeof connect>, message: RoomMessage|null, status: Status}} Player */

/** Commands that two players at one screen do not need. */
const HIDDEN_COMMANDS = /^(sit|stand|claim|seat_engine|chat|react|answer|free|mute)/;
const STATES_WORST_FIRST = /** @type {const} */ (["ended", "offline", "reconnecting", "connecting", "open"]);

/**
 * Connect both players. Pass on one stream of room messages, in which `you` can do what either player can.
 * @param {{id: string, tokens: Tokens, onMessage: (message: PushedMessage) => void, onStatus: (status: Status) => void}} options
 * @returns {import("./connections.js").RoomConnection}
 */
export function connectPassAndPlay({ id, tokens, onMessage, onStatus }) {
  let isSeating = false;
  const players = tokens.tokens.map((token, index) => {
    /** @type {Player} */
    const player = {
      message: null,
      status: { state: "connecting", code: 0, blocked: false },
      connection: connect({
        hello: () => ({ room: id, token }),
        onMessage: (message) => receive(index, message),
        onStatus(status) {
          player.status = status;
          reportStatus();
        },
      }),
    };
    return player;
  });

  /** @param {number} index */
  const playerAt = (index) => /** @type {Player} */ (players[index]);

  /** Report the worse of the two statuses. */
  function reportStatus() {
    const statuses = players.map((player) => player.status);
    const worst = STATES_WORST_FIRST.map((state) => statuses.find((status) => status.state === state)).find(
      (status) => status !== undefined,
    );
    if (worst) onStatus(worst);
  }

  /** @param {number} index @param {PushedMessage} message */
  function receive(index, message) {
    if (message.type === "welcome") {
      playerAt(index).message = null; // a new connection takes the first view as it is, even an older one
      onMessage(message);
      return;
    }
    if (message.type !== "room") {
      if (index === 0 && message.type !== "chat" && message.type !== "reaction") onMessage(message);
      return;
    }
    playerAt(index).message = message;
    seatSecondPlayer();
    passOn(message.event);
  }

  /** Let the second player take the empty seat, as soon as a view shows one. */
  function seatSecondPlayer() {
    const second = playerAt(1);
    const mark =
      second.message?.you.mark === null
        ? /** @type {const} */ (["O", "X"]).find((seat) => !second.message?.room.seats[seat])
        : null;
    if (!mark || isSeating || second.message?.room.phase === "closed") return;
    isSeating = true;
    void second.connection.send({ type: "sit", mark, invite: tokens.invite }).then(() => {
      isSeating = false;
    });
  }

  /** Pass on the newest view. The page reports the event of a version once. @param {RoomMessage["event"]} event */
  function passOn(event) {
    const version = Math.max(...players.map((player) => player.message?.version ?? -1));
    const current = players.filter((player) => player.message?.version === version);
    const newest = current[0]?.message;
    if (!newest) return;
    const can = current
      .flatMap((player) => player.message?.you.can ?? [])
      .filter((command) => !HIDDEN_COMMANDS.test(command));
    const mark = newest.room.game?.turn ?? playerAt(0).message?.you.mark ?? null;
    onMessage({ ...newest, event, you: { mark, owner: true, can: [...new Set(can)] } });
  }

  /**
   * Return the player that sends a command. A move or a resignation comes from the player to move, a takeback from their
   * opponent, and any other command from the first player that can send it.
   * @param {Command} command
   */
  function senderOf(command) {
    const toMove = players.find(
      (player) => player.message?.room.game?.turn && player.message.room.game.turn === player.message.you.mark,
    );
    const offer = command.type === "offer" ? `offer:${command.what}` : null;
    if (offer) {
      const allowed = players.filter((player) => player.message?.you.can.includes(offer));
      return allowed.find((player) => offer !== "offer:takeback" || player !== toMove) ?? allowed[0] ?? playerAt(0);
    }
    return (command.type === "move" || command.type === "resign" ? toMove : null) ?? playerAt(0);
  }

  return {
    passAndPlay: true,
    /** Send a command. The opponent accepts an offer at once. */
    async send(command) {
      const sender = senderOf(command);
      const answer = await sender.connection.send(command);
      if (!answer.ok || command.type !== "offer") return answer;
      const opponent = sender === playerAt(0) ? playerAt(1) : playerAt(0);
      const { what, game = null } = command;
      return opponent.connection.send({ type: "answer", what, accept: true, game });
    },
    now: () => playerAt(0).connection.now(),
    close() {
      for (const player of players) player.connection.close();
    },
  };
}
