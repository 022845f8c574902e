import { h, pageLink, setText, show } from "../browser/dom.js";
import { warnOnError } from "../browser/notices.js";
import { loadChoice } from "../browser/preferences.js";
import { tabStorage } from "../browser/storage.js";
import { requestAsGuest } from "../net/guest.js";
import { keepNewRoom, saveInvite } from "../net/stored_rooms.js";
import { roomUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { levelAfterChange } from "../texts/names.js";

/** A branch of a game: a room in which you play on against the engine after some of its moves. It does not count. */

/** @import { Variant } from "../net/messages.js" */
/** @import { OpenState, Part } from "./state.js" */

const BACK_PREFIX = "noughts.branch.";

/**
 * Make a branch after these moves, for the mark to move, and open it. The page that is open is the way back.
 * @param {Variant} variant @param {readonly string[]} moves
 */
export const playOn = (variant, moves) =>
  warnOnError(async () => {
    const body = {
      variant: variant.key,
      opponent: "engine",
      level: levelAfterChange(loadChoice().level, undefined, variant),
      mark: moves.length % 2 ? "O" : "X",
      moves,
    };
    const { room, invite } = await requestAsGuest("POST", "rooms", body);
    saveInvite(room.id, invite);
    tabStorage.set(BACK_PREFIX + room.id, location.pathname + location.search + location.hash);
    keepNewRoom(room, null, invite);
    const link = pageLink(roomUrl(room.id), { hidden: true });
    document.body.append(link);
    link.click(); // the entry point follows it without a reload
    link.remove();
  });

/** Create the line that says that a game is a branch, with the way back. @param {{id: string}} context @returns {Part} */
export function createBranchLine({ id }) {
  const text = h("span");
  const back = tabStorage.get(BACK_PREFIX + id);
  const backLink = back && pageLink(back, { class: "button", text: t("branch.back") });
  const element = h("p", { class: "branch-line", hidden: true }, text, backLink);
  return {
    element,
    /** @param {OpenState} state */
    draw({ view }) {
      const from = view.game?.from ?? 0;
      show(element, from > 0);
      setText(text, t("branch.note", { n: from + 1 }));
    },
  };
}
