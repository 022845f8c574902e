import { keepNewRoom } from "./first_move.js";
import { landing } from "./geometry.js";
import * as guest from "./guest.js";
import { t } from "./i18n.js";
import { createPassAndPlayRoom } from "./pass_and_play.js";
import { saveInvite, swapTappedRoom } from "./stored_rooms.js";

/** Make the rooms that the start page offers. Each function returns the id of the room. */

/** @typedef {import("./messages.js").Variant} Variant */
/** @typedef {import("./choice.js").StoredChoice} StoredChoice */

/** @param {{variantOf: (key: string) => Variant|undefined}} options */
export function createRooms({ variantOf }) {
  /** @param {StoredChoice} choice */
  const settings = ({ variant, clock }) => ({ variant: variantOf(variant)?.key ?? variant, clock: JSON.parse(clock) });

  /** @param {Record<string, unknown>} body @param {string|null} [tapped] */
  async function create(body, tapped = null) {
    const { room, invite } = await guest.requestAsGuest("POST", "rooms", body);
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
      if (before) void import("./unplayed_room.js").then(({ closeUnplayedRoom }) => closeUnplayedRoom(before));
      return id;
    },
    /** @param {StoredChoice} choice */
    inviteFriend: (choice) => create({ ...settings(choice), opponent: "friend", mark: choice.mark }),
    /** @param {StoredChoice} choice */
    openRoom: (choice) => create({ ...settings(choice), opponent: "anyone", mark: choice.mark }),
    /** @param {StoredChoice} choice */
    async findOpponent(choice) {
      const { room } = await guest.requestAsGuest("POST", "quickplay", settings(choice));
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
