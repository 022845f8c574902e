import { landing } from "../board/layout.js";
import { request } from "../net/api.js";
import { requestAsGuest } from "../net/guest.js";
import { keepNewRoom, loadInvite, saveInvite, saveTokens } from "../net/stored_rooms.js";
import { inviteLink } from "../net/urls.js";
import { t } from "../texts/i18n.js";

/** Make the rooms that the start page offers. Each function returns the id of the room. */

/** @import { StoredChoice } from "../browser/preferences.js" */
/** @import { Variant } from "../net/messages.js" */

/** @param {{choice: () => StoredChoice, variantOf: (key: string) => Variant|undefined}} options */
export function createRooms({ choice, variantOf }) {
  function settings() {
    const { variant, clock } = choice();
    return { variant: variantOf(variant)?.key ?? variant, clock: JSON.parse(clock) };
  }

  /** Return the settings of a room for a friend. @param {string} [ofGame] the variant, if it is not the chosen one */
  function friendly(ofGame) {
    const game = ofGame && variantOf(ofGame) ? { variant: ofGame } : {};
    return { ...settings(), ...game, opponent: "friend", mark: choice().mark };
  }

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
    /** Play the engine, with a first move if you are X. @param {string} cell */
    playEngine(cell) {
      const { level, mark } = choice();
      return create({ ...settings(), opponent: "engine", level, mark }, cell);
    },
    inviteFriend: () => create(friendly()),
    /** Make a room for a friend, and open the device's own sheet to share it, where there is one. @param {string} variant */
    async inviteAgain(variant) {
      const id = await create(friendly(variant));
      const invite = loadInvite(id);
      if (invite) navigator.share?.({ text: t("share.text"), url: inviteLink(id, invite) }).catch(() => {});
      return id;
    },
    async findOpponent() {
      const { room } = await requestAsGuest("POST", "quickplay", settings());
      keepNewRoom(room, null);
      return room.id;
    },
    /** Create two guest accounts and a room, and store their tokens. */
    async passAndPlay() {
      const names = [t("start.player1"), t("start.player2")];
      const [first, second] = await Promise.all(names.map((name) => request("POST", "players", { body: { name } })));
      const body = { ...settings(), opponent: "friend", mark: "X", visibility: "unlisted" };
      const { room, invite } = await request("POST", "rooms", { token: first.token, body });
      saveTokens(room.id, { tokens: [first.token, second.token], invite });
      return room.id;
    },
  };
}
