import { connect } from "../net/connection.js";
import { loadTokens } from "../net/stored_rooms.js";

/**
 * Pass and play: two players on one screen. For the server it is a room like any other. This page plays both seats, with a
 * guest account and a connection for each, and shows the newer of the two views with the commands of both players.
 */

/** @import { Status } from "../net/connection.js" */
/** @import { Tokens } from "../net/stored_rooms.js" */
/** @import { Command, RoomMessage, PushedMessage } from "../net/messages.js" */
/** @import { Connecting, RoomConnection } from "./connections.js" */

const NO_TOKENS = /** @type {Tokens} */ ({ tokens: ["", ""], invite: "" });

/** @typedef {{connection: ReturnType<typeof connect>, message: RoomMessage|null, status: Status}} Player */

/** Commands that two players at one screen do not need. */
const HIDDEN_COMMANDS = /^(sit|stand|claim|seat_engine|chat|react|answer|free|mute)/;
const STATES_WORST_FIRST = /** @type {const} */ (["ended", "offline", "reconnecting", "connecting", "open"]);

/**
 * Connect both players. Pass on one stream of room messages, in which `you` can do what either player can.
 * @param {Connecting & {tokens?: Tokens}} options  without `tokens` those that this browser stores
 * @returns {RoomConnection}
 */
export function connectPassAndPlay({ id, tokens = loadTokens(id) ?? NO_TOKENS, onMessage, onStatus }) {
  let isSeating = false;
  const [first, second] = [createPlayer(tokens.tokens[0]), createPlayer(tokens.tokens[1])];
  const players = [first, second];

  /** @param {string} token */
  function createPlayer(token) {
    /** @type {Player} */
    const player = {
      message: null,
      status: { state: "connecting", code: 0, blocked: false },
      connection: connect({
        hello: () => ({ room: id, token }),
        onMessage: (message) => receive(player, message),
        onStatus(status) {
          player.status = status;
          reportStatus();
        },
      }),
    };
    return player;
  }

  /** Report the worse of the two statuses. */
  function reportStatus() {
    const rank = (/** @type {Player} */ { status }) => STATES_WORST_FIRST.indexOf(status.state);
    onStatus((rank(second) < rank(first) ? second : first).status);
  }

  /** @param {Player} player @param {PushedMessage} message */
  function receive(player, message) {
    if (message.type === "room") {
      player.message = message;
      seatSecondPlayer();
      passOn(message.event);
    } else if (message.type === "welcome") {
      player.message = null; // a new connection takes its first view, even an older one
      onMessage(message);
    } else if (player === first && message.type !== "chat" && message.type !== "reaction") onMessage(message);
  }

  /** Let the second player take the empty seat, as soon as a view shows one. */
  function seatSecondPlayer() {
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
    const mark = newest.room.game?.turn ?? first.message?.you.mark ?? null;
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
      return allowed.find((player) => offer !== "offer:takeback" || player !== toMove) ?? allowed[0] ?? first;
    }
    return (command.type === "move" || command.type === "resign" ? toMove : null) ?? first;
  }

  return {
    /** Send a command. The opponent accepts an offer at once. */
    async send(command) {
      const sender = senderOf(command);
      const answer = await sender.connection.send(command);
      if (!answer.ok || command.type !== "offer") return answer;
      const opponent = sender === first ? second : first;
      const { what, game = null } = command;
      return opponent.connection.send({ type: "answer", what, accept: true, game });
    },
    now: () => first.connection.now(),
    close() {
      for (const player of players) player.connection.close();
    },
  };
}
