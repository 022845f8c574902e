import { drawChildren, h, pageLink, setText, show } from "../browser/dom.js";
import { knownVariant } from "../net/api.js";
import { connect } from "../net/connection.js";
import { roomUrl } from "../net/urls.js";
import { plural, t } from "../texts/i18n.js";
import { clockText } from "../texts/times.js";
import { nameWithLevel } from "../texts/names.js";

/** The lobby: public rooms to join and public games to watch. The server sends it while the start page is open. */

/** @import { LiveRoom, LobbyMessage, OpenRoom } from "../net/messages.js" */

/**
 * Create a list of rooms with its title. It is hidden without rooms.
 * @template {{id: string}} R
 * @param {string} title
 * @param {(room: R) => {title: string, detail: string, link: string, label: string}} textsOf
 */
function createRoomList(title, textsOf) {
  const list = h("ul", { class: "rooms" });
  const heading = h("h2", { text: title });

  /** @param {R} first */
  function createItem(first) {
    const { link, label } = textsOf(first);
    const [name, detail] = [h("b", { translate: "no" }), h("span", { class: "secondary" })];
    return {
      element: h(
        "li",
        {},
        h("span", { class: "room-text" }, name, detail),
        pageLink(roomUrl(first.id), { class: "button", text: link, "aria-label": label }),
      ),
      /** @param {R} room */
      draw(room) {
        const texts = textsOf(room);
        setText(name, texts.title);
        setText(detail, texts.detail);
      },
    };
  }

  return {
    elements: [heading, list],
    /** @param {readonly R[]} rooms */
    draw(rooms) {
      show(heading, rooms.length > 0);
      drawChildren(list, rooms, ({ id }) => id, createItem);
    },
  };
}

/** @param {string} key */
const variantName = (key) => knownVariant(key)?.name ?? key;

export function createLobby() {
  const openRooms = createRoomList(t("lobby.open"), openTexts);
  const liveRooms = createRoomList(t("lobby.live"), liveTexts);
  const element = h("section", { class: "card lobby" }, ...openRooms.elements, ...liveRooms.elements);
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
    const pair = t("lobby.pair", { x: nameWithLevel(seats.X), o: nameWithLevel(seats.O) });
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
    const { open, live } = lobby ?? { open: [], live: [] };
    show(element, connectionState !== "ended" && open.length + live.length > 0);
    element.toggleAttribute("data-still", connectionState !== "open");
    openRooms.draw(open);
    liveRooms.draw(live);
  }

  const connection = connect({
    hello: () => ({ lobby: true }),
    onMessage(message) {
      if (message.type !== "lobby") return;
      lobby = message;
      draw();
    },
    onStatus: ({ state }) => {
      connectionState = state; // it ends if the operator turns the lobby off
      draw();
    },
  });

  draw();
  return { element, draw, dispose: () => connection.close() };
}
