import { warnOnError } from "../net/failures.js";
import { createPicture, positionOf } from "../board/picture.js";
import { button, h } from "../browser/dom.js";
import { knownVariant } from "../net/api.js";
import { serverClock } from "../net/clock.js";
import { roomUrl } from "../net/urls.js";
import { t, textOfName } from "../texts/i18n.js";
import { timeOfDay } from "../texts/moments.js";
import { engineName } from "../texts/names.js";
import { age } from "../texts/times.js";
import { createConfirmed } from "../start/confirmed.js";
import { adminRequest } from "./access.js";
import { createInputForm, createList, line } from "./entries.js";

/** The newest rooms, those with people first, or one that the operator looks for. Each has its board. */

/**
 * @typedef {{id: string, variant: string, phase: string, visibility: string, players: string[], ply: number,
 *   connections: number, used_ms: number, game: import("../net/messages.js").Game|null}} Room
 * @typedef {{at_ms: number, player: string, name: string|null, text: string}} Line
 */

const ENGINE = "engine:";

/** Return the name of a seat's holder. @param {string} name */
const shownName = (name) => (name.startsWith(ENGINE) ? engineName(name.slice(ENGINE.length)) : name);

/** The variant whose board is shown: the game's, because the owner may have chosen another one after it. @param {Room} room */
const variantOf = ({ game, variant }) => knownVariant(game?.variant ?? variant);

/** Return the id in a link to a room, or the id itself. @param {string} text */
const idIn = (text) =>
  text
    .trim()
    .replace(/[?#].*/, "")
    .split("/")
    .pop() ?? "";

/** Create the board of a room, unless the page does not know the game. @param {Room} first */
function createBoard(first) {
  const variant = variantOf(first);
  const picture = variant && createPicture(variant);
  if (!picture) return null;
  const draw = (/** @type {Room} */ { game }) => picture.draw({ ...positionOf(variant, game), still: true });
  return { element: picture.element, draw };
}

/** @param {Room} room @returns {[string, string]} */
function linesOf(room) {
  const { players, phase, ply, connections, used_ms: usedMs } = room;
  const [x, o] = players.map(shownName);
  return [
    x ? (o ? t("lobby.pair", { x, o }) : x) : t("room.empty"),
    line(
      variantOf(room)?.name ?? room.variant,
      textOfName("admin.phase.", phase),
      ply > 0 && t("admin.ply", { n: ply }),
      connections > 0 && t("admin.here", { n: connections }),
      t("admin.ago", { time: age(serverClock.now() - usedMs) }),
    ),
  ];
}

/** Return whether only engines play in a room, as a number. @param {Room} room */
const isOfEngines = ({ players }) => Number(players.every((name) => name.startsWith(ENGINE)));

/** @param {{act: import("./entries.js").Act, more: () => void, show: (id: string) => void}} context */
export function createRooms({ act, more, show }) {
  const list = createList({
    title: t("admin.rooms"),
    empty: t("admin.rooms.none"),
    className: "admin-rooms",
    itemsOf: ({ answers }) => [...answers.rooms.rooms].sort((a, b) => isOfEngines(a) - isOfEngines(b)),
    keyOf: (room) => `${room.id} ${room.game?.variant ?? room.variant}`,
    linesOf,
    totalOf: ({ answers }) => answers.rooms.total,
    pictureOf: createBoard,
    commandsOf: ({ id }) => [
      h("p", { class: "secondary" }, t("admin.room.id"), " ", h("code", { text: id })),
      h("a", { class: "button", href: roomUrl(id), target: "_blank", rel: "noopener", text: t("lobby.watch") }),
      createChat(id),
      createConfirmed(t("admin.close"), t("admin.close.sure"), () =>
        act(() => adminRequest("POST", `rooms/${encodeURIComponent(id)}/close`), t("admin.close.done")),
      ),
    ],
    more,
  });
  const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", dir: "ltr" });
  input.addEventListener("input", () => input.value || show(""));
  list.element.append(
    createInputForm(t("admin.room.find"), input, t("admin.room.show"), () => show(idIn(input.value))),
  );
  return list;
}

/** Create a button that shows the chat of a room. The server logs that it was read. @param {string} id */
function createChat(id) {
  const element = h(
    "div",
    { class: "admin-chat" },
    button(t("admin.chat"), () => warnOnError(load)),
  );

  async function load() {
    /** @type {{lines: Line[]}} */
    const { lines } = await adminRequest("GET", `rooms/${encodeURIComponent(id)}/chat`);
    const title = h("h3", { tabindex: -1, text: t("chat.title") });
    const items = lines.map(({ at_ms, name, text }) =>
      h(
        "li",
        {},
        h("span", { class: "secondary", text: timeOfDay(at_ms) }),
        " ",
        t("chat.line", { name: name ?? t("guest.someone"), text }),
      ),
    );
    const content = items.length ? h("ol", {}, ...items) : h("p", { class: "secondary", text: t("chat.none") });
    element.replaceChildren(title, content);
    title.focus();
  }

  return element;
}
