import { landing } from "../board/layout.js";
import { request } from "../net/api.js";
import { connect } from "../net/connection.js";
import { guestToken, requestAsGuest } from "../net/guest.js";
import { keepNewRoom, saveInvite, saveTokens, swapTappedRoom } from "../net/stored_rooms.js";
import { t } from "../texts/i18n.js";

/** Make the rooms that the start page offers. Each function returns the id of the room. */

/** @import { StoredChoice } from "../browser/preferences.js" */
/** @import { ClockSetting, Variant } from "../net/messages.js" */

const MAX_PLIES = 2; // the tap, and the answer of the engine

/** @param {{variantOf: (key: string) => Variant|undefined}} options */
export function createRooms({ variantOf }) {
  /** @param {StoredChoice} choice */
  const settings = ({ variant, clock }) => ({ variant: variantOf(variant)?.key ?? variant, clock: JSON.parse(clock) });

  /** @param {Record<string, unknown>} body @param {string|null} [tapped] */
  async function create(body, tapped = null) {
    const { room, invite } = await requestAsGuest("POST", "rooms", body);
    if (invite) saveInvite(room.id, invite);
    const isFirst = room.game?.turn && room.seats[room.game.turn]?.kind === "human";
    const cell =
      tapped && isFirst ? landing(tapped, new Set(room.game.legal), Boolean(variantOf(room.variant)?.gravity)) : null;
    keepNewRoom(room, cell, invite);
    return room.id;
  }

  return {
    /** Play the engine, with a first move if you are X. @param {StoredChoice} choice @param {string|null} cell */
    async playEngine(choice, cell) {
      const id = await create(
        { ...settings(choice), opponent: "engine", level: choice.level, mark: choice.mark },
        cell,
      );
      const before = swapTappedRoom(id);
      if (before) void closeUnplayedRoom(before);
      return id;
    },
    /** @param {StoredChoice} choice */
    inviteFriend: (choice) => create({ ...settings(choice), opponent: "friend", mark: choice.mark }),
    /** @param {StoredChoice} choice */
    openRoom: (choice) => create({ ...settings(choice), opponent: "anyone", mark: choice.mark }),
    /** @param {StoredChoice} choice */
    async findOpponent(choice) {
      const { room } = await requestAsGuest("POST", "quickplay", settings(choice));
      keepNewRoom(room, null);
      return room.id;
    },
    /** @param {StoredChoice} choice */
    passAndPlay: (choice) =>
      createPassAndPlayRoom({
        ...settings(choice),
        names: [choice.name1 || t("start.player1"), choice.name2 || t("start.player2")],
      }),
    /** @param {StoredChoice} choice */
    watchEngines: (choice) =>
      create({ variant: settings(choice).variant, opponent: "engines", levels: [choice.levelX, choice.levelO] }),
  };
}

/**
 * Create two guest accounts and a room, and store their tokens.
 * @param {{variant: string, clock: ClockSetting|null, names: [string, string]}} options
 * @returns {Promise<string>} the id of the room
 */
async function createPassAndPlayRoom({ variant, clock, names }) {
  const [first, second] = await Promise.all(names.map((name) => request("POST", "players", { body: { name } })));
  const { room, invite } = await request("POST", "rooms", {
    token: first.token,
    body: { variant, clock, opponent: "friend", mark: "X", visibility: "unlisted" },
  });
  saveTokens(room.id, { tokens: [first.token, second.token], invite });
  return room.id;
}

/**
 * Close a room that a tap on the start page made and that was left at once, so that taps leave no heap of rooms.
 * @param {string} id
 */
function closeUnplayedRoom(id) {
  const token = guestToken();
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
