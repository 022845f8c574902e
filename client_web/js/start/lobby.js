import { drawChildren, h, setText, show } from "../browser/dom.js";
import { connect } from "../net/connection.js";
import { roomUrl } from "../net/urls.js";
import { clockText, plural, t } from "../texts/i18n.js";
import { seatName } from "../texts/names.js";

/** The lobby: public rooms to join and public games to watch. The server sends it while the start page is open. */

/** @import { LiveRoom, LobbyMessage, OpenRoom } from "../net/messages.js" */

/** @param {{variantName: (key: string) => string}} options */
export function createLobby({ variantName }) {
  const note = h("p", { class: "secondary" });
  const openRooms = h("ul", { class: "rooms" });
  const liveRooms = h("ul", { class: "rooms" });
  const noOpenRooms = h("p", { class: "secondary", hidden: true, text: t("lobby.open.none") });
  const noLiveRooms = h("p", { class: "secondary", hidden: true, text: t("lobby.live.none") });
  const element = h(
    "section",
    { class: "card lobby" },
    h("h2", { text: t("lobby.open") }),
    openRooms,
    noOpenRooms,
    h("h2", { text: t("lobby.live") }),
    liveRooms,
    noLiveRooms,
    note,
  );
  /** @type {LobbyMessage|null} */
  let lobby = null;
  /** @type {import("../net/connection.js").Status["state"]} */
  let connectionState = "connecting";

  /** @param {string} id @param {string} linkText @param {string} label */
  const createItem = (id, linkText, label) =>
    h(
      "li",
      {},
      h("span", { class: "room-text" }, h("b"), h("span", { class: "secondary" })),
      h("a", { class: "button", href: roomUrl(id), "data-page-link": "", text: linkText, "aria-label": label }),
    );

  /** @param {HTMLElement} item @param {string} title @param {string} detail */
  function drawItem(item, title, detail) {
    const titleElement = item.querySelector("b");
    const detailElement = item.querySelector("span span");
    if (titleElement) setText(titleElement, title);
    if (detailElement) setText(detailElement, detail);
  }

  /** @param {OpenRoom} room */
  const ownerName = ({ owner }) => owner.name || t("guest.someone");

  /** @param {OpenRoom} room */
  function openDetail({ variant, clock, mark }) {
    return t("lobby.detail.mark", { variant: variantName(variant), clock: clockText(clock), mark });
  }

  /** @param {LiveRoom} room */
  const pairText = ({ seats }) => t("lobby.pair", { x: seatName(seats.X), o: seatName(seats.O) });

  function draw() {
    const isCurrent = lobby !== null && connectionState === "open";
    element.toggleAttribute("data-still", lobby !== null && !isCurrent);
    setText(
      note,
      isCurrent
        ? ""
        : connectionState === "reconnecting" || connectionState === "offline"
          ? t(`lobby.${connectionState}`)
          : t("lobby.connecting"),
    );
    // Only an answer of the server says that there are none.
    show(noOpenRooms, isCurrent && lobby?.open.length === 0);
    show(noLiveRooms, isCurrent && lobby?.live.length === 0);
    if (!lobby) return;
    drawChildren(
      openRooms,
      lobby.open,
      ({ id }) => id,
      (room) => createItem(room.id, t("lobby.join"), t("lobby.join.label", { name: ownerName(room) })),
      (item, room) => drawItem(item, t("lobby.waiting", { name: ownerName(room) }), openDetail(room)),
    );
    drawChildren(
      liveRooms,
      lobby.live,
      ({ id }) => id,
      (room) => createItem(room.id, t("lobby.watch"), t("lobby.watch.label", { pair: pairText(room) })),
      (item, room) =>
        drawItem(
          item,
          pairText(room),
          t("lobby.detail.live", {
            variant: variantName(room.variant),
            clock: clockText(room.clock),
            ply: room.ply,
            spectators: room.spectators ? t("comma") + plural("spectators", room.spectators) : "",
          }),
        ),
    );
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
