import { createClock } from "./net/clock.js";
import { connect } from "./net/connection.js";
import { HttpError, requestJson } from "./net/http.js";
import { apiUrl, socketUrl } from "./net/urls.js";

/**
 * A client for pages of other sites, which import this module from a running server:
 *
 *     import { signIn } from "https://games.example.org/static/js/client.js";
 *     const guest = await signIn({ name: "Ann" });
 *     const { room } = await guest.createRoom({ variant: "classic", opponent: "engine", mark: "X" });
 *     const connection = guest.enterRoom(room.id, { onRoom: (view, you) => draw(view, you) });
 *
 * The operator lists the site in NOUGHTS_ORIGINS. See docs/how-to/use-the-javascript-client.md.
 */

/** @import { Status } from "./net/connection.js" */
/** @import { Answer, ClockSetting, Command, Mark, Player, PushedMessage, RoomEvent, RoomMessage, Variant, View, You } from "./net/messages.js" */

/**
 * @typedef {{variant: string, opponent?: "friend"|"anyone"|"engine"|"engines", level?: string, levels?: [string, string],
 *   mark?: Mark|"random", clock?: ClockSetting|null, visibility?: "public"|"unlisted"}} RoomOptions
 *   The body of `POST /api/rooms`.
 * @typedef {{room: View, url: string, watch_url?: string, invite?: string}} CreatedRoom
 *   `url` is the link for the opponent and holds the `invite` if there is one. `watch_url` never does.
 */
/**
 * @typedef {Exclude<PushedMessage, RoomMessage>} OtherMessage
 * @typedef {{
 *   onRoom?: (view: View, you: You, event: RoomEvent|null) => void, onStatus?: (status: Status) => void,
 *   onMessage?: (message: OtherMessage) => void,
 * }} RoomCallbacks
 *   `onRoom` gets every view that is newer than the one before. The first view of a new connection is taken as it is.
 *   `onMessage` gets every other message: welcome, crowd, chat and reaction.
 */
/**
 * @typedef {{
 *   send: (command: Command) => Promise<Answer>, move: (cell: string) => Promise<Answer>, now: () => number,
 *   close: () => void,
 * }} RoomConnection
 *   `send` resolves with the server's answer to a command, over whatever connection it comes. `move` plays a cell in
 *   the position of the newest view. `now` returns the server's time in ms.
 */
/**
 * @typedef {{
 *   player: Player, token: string, variants: () => Promise<Variant[]>,
 *   createRoom: (options: RoomOptions) => Promise<CreatedRoom>,
 *   enterRoom: (id: string, callbacks: RoomCallbacks) => RoomConnection,
 * }} Guest
 *   Keep the `token` secret, and give it to `signIn` to be the same player again.
 */

export { HttpError };

/**
 * Become a new guest with a name, or the guest of a token. `server` is the server's URL, by default the server that this
 * module came from. Throw an HttpError.
 * @param {{name?: string, token?: string|null, server?: string|null}} [options]
 * @returns {Promise<Guest>}
 */
export async function signIn({ name = "", token: knownToken = null, server = null } = {}) {
  const api = (/** @type {string} */ path) => (server ? `${server.replace(/\/$/, "")}/api/${path}` : apiUrl(path));
  const socket = server ? `${server.replace(/\/$/, "").replace(/^http/, "ws")}/ws` : socketUrl();
  const answer = knownToken
    ? await requestJson("GET", api("players/me"), { token: knownToken })
    : await requestJson("POST", api("players"), { body: name ? { name } : {} });
  /** @type {string} */
  const token = knownToken ?? answer.token;
  return {
    player: answer.player,
    token,
    variants: async () => (await requestJson("GET", api("variants"))).variants,
    createRoom: (options) => requestJson("POST", api("rooms"), { token, body: options }),
    enterRoom: (id, callbacks) => enterRoom(socket, { room: id, token }, callbacks),
  };
}

/**
 * @param {string} url
 * @param {{room: string, token: string}} hello
 * @param {RoomCallbacks} callbacks
 * @returns {RoomConnection}
 */
function enterRoom(url, hello, { onRoom = () => {}, onStatus = () => {}, onMessage = () => {} }) {
  /** @type {View|null} */
  let view = null;
  let version = -1;
  const connection = connect({
    url,
    clock: createClock(),
    hello: () => hello,
    onStatus,
    onMessage(message) {
      if (message.type === "welcome") version = -1;
      if (message.type !== "room") {
        onMessage(message);
      } else if (message.version >= version) {
        version = message.version;
        view = message.room;
        onRoom(message.room, message.you, message.event);
      }
    },
  });
  return {
    send: connection.send,
    async move(cell) {
      const game = view?.game;
      if (!game) return { ok: false, code: "not_playing", message: "There is no game yet." };
      return connection.send({ type: "move", cell, ply: game.moves.length, game: game.number });
    },
    now: connection.now,
    close: connection.close,
  };
}
