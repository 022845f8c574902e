import { request } from "./api.js";
import { connect } from "./connection.js";
import { browserStorage } from "./storage.js";

/**
 * Pass and play: two players on one screen. For the server it is a room like any other. This page holds both seats, with a
 * guest account and a connection for each, and shows the newer of the two views with the commands of both players.
 */

/** @typedef {import("./messages.js").Answer} Answer */
/** @typedef {import("./messages.js").Command} Command */
/** @typedef {import("./messages.js").RoomMessage} RoomMessage */
/** @typedef {import("./messages.js").ClockSetting} ClockSetting */
/** @typedef {import("./connection.js").Status} Status */
/**
 * @typedef {{tokens: [string, string], invite: string, at: number}} Tokens
 *   of both players; `at` is when they were stored, in ms
 */
/** @typedef {{connection: ReturnType<typeof connect>, message: RoomMessage|null, status: Status}} Player */

const KEY_PREFIX = "noughts.here.";
const MAX_STORED_ROOMS = 8;
/** Commands that two players at one screen do not need. */
const HIDDEN_COMMANDS = /^(sit|stand|claim|seat_engine|chat|react|answer|free|mute)/;
const STATES_WORST_FIRST = /** @type {const} */ (["ended", "offline", "reconnecting", "connecting", "open"]);

/**
 * Return the stored tokens of a room, or null if it is not one of pass and play.
 * @param {string} room
 * @returns {Tokens|null}
 */
export function loadTokens(room) {
  try {
    const stored = JSON.parse(browserStorage.get(KEY_PREFIX + room) ?? "null");
    return Array.isArray(stored?.tokens) && stored.tokens.length === 2 ? stored : null;
  } catch {
    return null;
  }
}

/** @param {string} room */
export const deleteTokens = (room) => browserStorage.set(KEY_PREFIX + room, null);

/** Delete the oldest tokens beyond MAX_STORED_ROOMS, because the server deletes old rooms too. */
function pruneTokens() {
  const rooms = browserStorage
    .keys()
    .filter((key) => key.startsWith(KEY_PREFIX))
    .map((key) => key.slice(KEY_PREFIX.length));
  rooms.sort((a, b) => (loadTokens(b)?.at ?? 0) - (loadTokens(a)?.at ?? 0));
  for (const room of rooms.slice(MAX_STORED_ROOMS)) deleteTokens(room);
}

/**
 * Create two guest accounts and a room, and store their tokens.
 * @param {{variant: string, clock: ClockSetting|null, names: [string, string]}} options
 * @returns {Promise<string>} the id of the room
 */
export async function createPassAndPlayRoom({ variant, clock, names }) {
  const [first, second] = await Promise.all(names.map((name) => request("POST", "players", { body: { name } })));
  const { room, invite } = await request("POST", "rooms", {
    token: first.token,
    body: { variant, clock, opponent: "friend", mark: "X", visibility: "unlisted" },
  });
  /** @type {Tokens} */
  const tokens = { tokens: [first.token, second.token], invite, at: Date.now() };
  browserStorage.set(KEY_PREFIX + room.id, JSON.stringify(tokens));
  pruneTokens();
  return room.id;
}

/**
 * Connect both players. Pass on one stream of room messages, in which `you` can do what either player can.
 * @param {{id: string, tokens: Tokens, onMessage: (message: any) => void, onStatus: (status: Status) => void}} options
 * @returns {import("./guest_connection.js").RoomConnection}
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

  /** @param {number} index @param {any} message */
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
    const offer = command.type === "offer" ? `offer:${command["what"]}` : null;
    if (offer) {
      const allowed = players.filter((player) => player.message?.you.can.includes(offer));
      return allowed.find((player) => command["what"] !== "takeback" || player !== toMove) ?? allowed[0] ?? playerAt(0);
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
      return opponent.connection.send({ ...command, type: "answer", accept: true });
    },
    now: () => playerAt(0).connection.now(),
    close() {
      for (const player of players) player.connection.close();
    },
  };
}
