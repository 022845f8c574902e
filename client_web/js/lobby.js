import { connect } from "./connection.js";
import { h, keyed, setText, show } from "./dom.js";
import { clockText, plural, t } from "./i18n.js";
import * as paths from "./paths.js";
import { seatName } from "./view.js";

/** Open rooms and live games, pushed by the server while the start page is open. */

/** @typedef {import("./wire.js").LobbyMessage} LobbyMessage */
/** @typedef {import("./wire.js").OpenRoom} OpenRoom */
/** @typedef {import("./wire.js").LiveRoom} LiveRoom */

/** @param {{variantName: (key: string) => string}} options */
export function createLobby({ variantName }) {
  const counts = h("p", { class: "quiet counts" });
  const open = h("ul", { class: "rooms" });
  const live = h("ul", { class: "rooms" });
  const nobody = h("p", { class: "quiet", text: t("lobby.none") });
  const nothing = h("p", { class: "quiet", text: t("lobby.nolive") });
  const element = h("section", { class: "card lobby" },
    h("h2", { text: t("lobby.title") }), open, nobody,
    h("h2", { text: t("lobby.live") }), live, nothing, counts);
  /** @type {LobbyMessage|null} */
  let lobby = null;

  /** @param {string} id @param {string} what @param {string} label */
  const row = (id, what, label) => h("li", {},
    h("span", { class: "room-who" }, h("b"), h("span", { class: "quiet" })),
    h("a", { class: "button", href: paths.room(id), "data-go": "", text: what, "aria-label": label }));

  /** @param {HTMLElement} node @param {string} title @param {string} detail */
  function describe(node, title, detail) {
    const who = node.querySelector("b");
    const what = node.querySelector("span span");
    if (who) setText(who, title);
    if (what) setText(what, detail);
  }

  /** @param {OpenRoom} room */
  function openDetail({ variant, clock, mark }) {
    const values = { variant: variantName(variant), clock: clockText(clock) };
    return mark ? t("lobby.detail.mark", { ...values, mark }) : t("lobby.detail", values);
  }

  /** @param {LiveRoom} room */
  const liveTitle = ({ seats }) => t("lobby.pair", { x: seatName(seats.X), o: seatName(seats.O) });

  function draw() {
    if (!lobby) return;
    keyed(open, lobby.open, ({ id }) => id,
      ({ id, owner }) => row(id, t("lobby.join"), `${t("lobby.join")}: ${owner.name || t("who.someone")}`),
      (node, room) => describe(node, t("lobby.waiting", { name: room.owner.name || t("who.someone") }), openDetail(room)));
    keyed(live, lobby.live, ({ id }) => id,
      (room) => row(room.id, t("lobby.watch"), `${t("lobby.watch")}: ${liveTitle(room)}`),
      (node, room) => describe(node, liveTitle(room), t("lobby.detail.live", {
        variant: variantName(room.variant), clock: clockText(room.clock), ply: room.ply, spectators: room.spectators,
      })));
    show(nobody, lobby.open.length === 0);
    show(nothing, lobby.live.length === 0);
    const { players, rooms } = lobby;
    setText(counts, players ? t("lobby.counts", { players: plural("people", players), rooms: plural("rooms", rooms) }) : t("lobby.counts.none"));
  }

  const connection = connect({
    hello: () => ({ lobby: true }),
    onMessage(message) {
      if (message.type !== "lobby") return;
      lobby = message;
      draw();
    },
    onStatus: ({ state }) => {
      if (state === "ended") show(element, false); // an operator may have switched the lobby off
      else if (state !== "open" && lobby) setText(counts, t("lobby.lost"));
    },
  });

  return { element, draw, dispose: () => connection.close() };
}
