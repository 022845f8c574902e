import { button, h } from "../browser/dom.js";
import { loadChoice } from "../browser/preferences.js";
import { pageAt, roomUrl } from "../net/urls.js";
import { createRooms } from "../start/new_rooms.js";
import { t } from "../texts/i18n.js";
import { levelAfterChange } from "../texts/names.js";
import { roomPage } from "./page.js";
import { nextVariantOf } from "./state.js";

/**
 * A game against the engine for a player who waits for a friend. It is a second room, shown in place of the first until the
 * friend comes. Both rooms are connected. Links between games of the second room open in its place.
 */

/** @import { RoomState } from "./state.js" */

/** @param {{root: HTMLElement, room: HTMLElement, current: () => RoomState}} options `room` is the element of the room that waits */
export function createWarmUp({ root, room, current }) {
  const element = h("div");
  /** @type {(() => void)|null} */
  let close = null;
  let disposed = false;

  const isAwaiting = () => !disposed && current().view?.game === null;

  /** Make the room of the engine. @param {string} cell the first move, if you are X */
  function makeRoom(cell) {
    const state = current();
    const variant = nextVariantOf(state) ?? undefined;
    const level = levelAfterChange(loadChoice().level, undefined, variant);
    const choice = { variant: variant?.key ?? "", clock: "null", level, mark: state.you.mark ?? "X" };
    return createRooms({ choice: () => choice, variantOf: () => variant }).playEngine(cell);
  }

  /** @param {string} path @param {string} [focused] */
  function openRoom(path, focused = "") {
    close?.();
    const back = button(t("sheet.invite"), () => root.replaceChildren(room));
    const note = h("p", { class: "branch-line" }, h("span", { text: t("waiting.friend") }), back);
    close = roomPage({ root: element, id: pageAt(path).id, path, navigate: openRoom, focused, note });
  }

  function dispose() {
    disposed = true;
    close?.();
    close = null;
  }

  return {
    /** @param {string} cell the first move */
    async open(cell) {
      const id = close ? null : await makeRoom(cell);
      if (!isAwaiting()) return;
      root.replaceChildren(element);
      if (id) openRoom(roomUrl(id), cell);
    },
    /** Leave the game, because the friend is here. */
    end() {
      const isSeen = root.contains(element);
      dispose();
      if (!isSeen) return;
      root.replaceChildren(room);
      room.querySelector("h1")?.focus();
    },
    dispose,
  };
}
