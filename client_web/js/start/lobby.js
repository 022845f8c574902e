import { drawChildren, h, pageLink, setText, show } from "../browser/dom.js";
import { connect } from "../net/connection.js";
import { roomUrl } from "../net/urls.js";
import { plural, t } from "../texts/i18n.js";
import { clockText } from "../texts/times.js";
import { seatName } from "../texts/names.js";

/** The lobby: public rooms to join and public games to watch. The server sends it while the start page is open. */

/** @import { LiveRoom, LobbyMessage, OpenRoom } from "../net/messages.js" */

/**
 * Create a list of rooms with its title, and what it says without rooms.
 * @template {{id: string}} R
 * @param {string} title @param {string} none
 * @param {(room: R) => {title: string, detail: string, link: string, label: string}} textsOf
 */
function createRoomList(title, none, textsOf) {
  const list = h("ul", { class: "rooms" });
  const emptyNote = h("p", { class: "secondary", hidden: true, text: none });

  /** @param {R} room */
  function createItem(room) {
    const { link, label } = textsOf(room);
    return h(
      "li",
      {},
      h("span", { class: "room-text" }, h("b"), h("span", { class: "secondary" })),
      pageLink(roomUrl(room.id), { class: "button", text: link, "aria-label": label }),
    );
  }

  return {
    elements: [h("h2", { text: title }), list, emptyNote],
    /** @param {readonly R[]} rooms @param {boolean} isCurrent the server has just said so */
    draw(rooms, isCurrent) {
      show(emptyNote, isCurrent && rooms.length === 0);
      drawChildren(
        list,
        rooms,
        ({ id }) => id,
        createItem,
        (item, room) => {
          const texts = textsOf(room);
          const [titleElement, detailElement] = item.firstElementChild?.children ?? [];
          if (titleElement) setText(titleElement, texts.title);
          if (detailElement) setText(detailElement, texts.detail);
        },
      );
    },
  };
}

/** @param {{variantName: (key: string) => string}} options */
export function createLobby({ variantName }) {
  const openRooms = createRoomList(t("lobby.open"), t("lobby.open.none"), openTexts);
  const liveRooms = createRoomList(t("lobby.live"), t("lobby.live.none"), liveTexts);
  const note = h("p", { class: "secondary" });
  const element = h("section", { class: "card lobby" }, ...openRooms.elements, ...liveRooms.elements, note);
  /** @type {LobbyMessage|null} */
  let lobby = null;
  /** @type {import("../net/connection.js").Status["state"]} */
  let connectionState = "connecting";

  /** @param {OpenRoom} room */
  function openTexts({ owner, variant, clock, mark }) {
    const name = owner.name || t("guest.someone");
    return {
      title: t("lobby.waiting", { name }),
      detail: t("lobby.detail.mark", { variant: variantName(variant), clock: clockText(clock), mark }),
      link: t("lobby.join"),
      label: t("lobby.join.label", { name }),
    };
  }

  /** @param {LiveRoom} room */
  function liveTexts({ seats, variant, clock, ply, spectators }) {
    const pair = t("lobby.pair", { x: seatName(seats.X), o: seatName(seats.O) });
    const watching = spectators ? t("comma") + plural("spectators", spectators) : "";
    return {
      title: pair,
      detail: t("lobby.detail.live", {
        variant: variantName(variant),
        clock: clockText(clock),
        ply,
        spectators: watching,
      }),
      link: t("lobby.watch"),
      label: t("lobby.watch.label", { pair }),
    };
  }

  function draw() {
    const isCurrent = lobby !== null && connectionState === "open";
    element.toggleAttribute("data-still", lobby !== null && !isCurrent);
    const isLost = connectionState === "reconnecting" || connectionState === "offline";
    setText(note, isCurrent ? "" : t(isLost ? "lobby.reconnecting" : "lobby.connecting"));
    openRooms.draw(lobby?.open ?? [], isCurrent);
    liveRooms.draw(lobby?.live ?? [], isCurrent);
  }

  const connection = connect({
    hello: () => ({ lobby: true }),
    onMessage(message) {
      if (message.type !== "lobby") return;
      lobby = message;
      draw();
    },
    onStatus: ({ state }) => {
      connectionState = state;
      if (state === "ended")
        show(element, false); // the operator may have turned the lobby off
      else draw();
    },
  });

  draw();
  return { element, draw, dispose: () => connection.close() };
}
