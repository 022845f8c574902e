import { button, h } from "../browser/dom.js";
import { loadChoice } from "../browser/preferences.js";
import { forgetLastRoom } from "../net/stored_rooms.js";
import { roomIdFrom } from "../net/urls.js";
import { opponentOf } from "../net/view.js";
import { createRooms } from "../start/new_rooms.js";
import { t } from "../texts/i18n.js";
import { levelAfterChange, seatName } from "../texts/names.js";
import { roomPage } from "./page.js";
import { nextVariantOf } from "./state.js";

/**
 * A game against the engine for a player who waits for a friend. It is a second room, shown in place of the first. Both rooms
 * are connected. When the friend comes, the second room takes no more input, and after three seconds the first one is shown.
 */

/** @import { RoomState } from "./state.js" */

const KNOCK_MS = 3_000;

/** @param {{root: HTMLElement, room: HTMLElement, current: () => RoomState}} options `room` is the element of the room that waits */
export function createWarmUp({ root, room, current }) {
  const element = h("div");
  /** @type {(() => void)|null} */
  let close = null;
  let note = h("p");
  let game = "";
  let disposed = false;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let knocking;

  const isAwaiting = () => !disposed && current().view?.game === null;

  /** Make the room of the engine. @param {string} cell the first move, if you are X */
  function makeRoom(cell) {
    const state = current();
    const variant = nextVariantOf(state) ?? undefined;
    const level = levelAfterChange(loadChoice().level, undefined, variant);
    const choice = { variant: variant?.key ?? "", clock: "null", level, mark: state.you.mark ?? "X" };
    return createRooms({ choice: () => choice, variantOf: () => variant }).playEngine(cell);
  }

  /** @param {string|null} id @param {string} [focused] */
  function openRoom(id, focused = "") {
    close?.();
    game = id ?? "";
    const back = button(t("sheet.invite"), () => root.replaceChildren(room));
    note = h("p", { class: "branch-line" }, h("span", { text: t("waiting.friend") }), back);
    const navigate = (/** @type {string} */ path) => openRoom(roomIdFrom(path));
    close = roomPage({ root: element, id: game, navigate, focused, note });
  }

  function dispose() {
    disposed = true;
    clearTimeout(knocking);
    close?.();
    close = null;
    forgetLastRoom(game); // a game to pass the time is none to go on with
  }

  return {
    /** @param {string} cell the first move */
    async open(cell) {
      const id = close ? null : await makeRoom(cell);
      if (!isAwaiting()) return;
      root.replaceChildren(element);
      if (id) openRoom(id, cell);
    },
    /** Leave the game, because the friend is here. */
    end() {
      element.inert = true;
      const { view, you } = current();
      const friend = view?.seats[opponentOf(you.mark ?? "X")] ?? null;
      note.replaceChildren(h("b", { class: "status", text: t("event.here", { name: seatName(friend) }) }));
      const isSeen = root.contains(element);
      knocking = setTimeout(
        () => {
          dispose();
          if (!isSeen) return;
          root.replaceChildren(room);
          room.querySelector("h1")?.focus();
        },
        isSeen ? KNOCK_MS : 0,
      );
    },
    dispose,
  };
}
