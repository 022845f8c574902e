import { warnOnError } from "../net/failures.js";
import { createPicture, positionOf } from "../board/picture.js";
import { button, createForm, h, labelled, setText } from "../browser/dom.js";
import { allVariants } from "../net/api.js";
import { serverClock } from "../net/clock.js";
import { roomUrl } from "../net/urls.js";
import { t, textOfName } from "../texts/i18n.js";
import { timeOfDay } from "../texts/moments.js";
import { engineName } from "../texts/names.js";
import { age } from "../texts/times.js";
import { adminRequest } from "./access.js";
import { createCommand, createEntry, createList, line } from "./entries.js";
import { mayGrow } from "./state.js";

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
const variantOf = ({ game, variant }) => allVariants().find(({ key }) => key === (game?.variant ?? variant));

/** Return the id in a link to a room, or the id itself. @param {string} text */
const idIn = (text) =>
  text
    .trim()
    .replace(/[?#].*/, "")
    .split("/")
    .pop() ?? "";

/** @param {{act: import("./entries.js").Act, more: () => void, show: (id: string) => void}} context */
export function createRooms({ act, more, show }) {
  /** @type {WeakMap<HTMLElement, (room: Room) => void>} */
  const drawers = new WeakMap();
  const list = createList(
    /** @type {Parameters<typeof createList<Room>>[0]} */ ({
      title: t("admin.rooms"),
      empty: t("admin.rooms.none"),
      className: "admin-rooms",
      keyOf: (room) => `${room.id} ${room.game?.variant ?? room.variant}`,
      create: createRoom,
      draw: (node, room) => drawers.get(node)?.(room),
      more,
    }),
  );

  const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", dir: "ltr" });
  input.addEventListener("input", () => input.value || show(""));
  list.element.append(
    createForm(
      { class: "admin-form" },
      () => show(idIn(input.value)),
      labelled(t("admin.room.find"), input),
      h("button", { type: "submit", text: t("admin.room.show") }),
    ),
  );

  /** @param {Room} first */
  function createRoom(first) {
    const variant = variantOf(first);
    const picture = variant && createPicture(variant);
    const names = h("b", { translate: "no" });
    const about = h("span", { class: "secondary" });
    const text = h("span", { class: "admin-text" }, names, about);
    const { id } = first;
    const node = createEntry([...(picture ? [picture.element] : []), text], () => [
      h("p", { class: "secondary" }, t("admin.room.id"), " ", h("code", { text: id })),
      h("a", { class: "button", href: roomUrl(id), target: "_blank", rel: "noopener", text: t("lobby.watch") }),
      createChat(id),
      createCommand(t("admin.close"), t("admin.close.sure"), () =>
        act(() => adminRequest("POST", `rooms/${encodeURIComponent(id)}/close`), t("admin.close.done")),
      ),
    ]);
    drawers.set(node, (room) => {
      if (variant) picture?.draw({ ...positionOf(variant, room.game), still: true });
      const [x, o] = room.players.map(shownName);
      setText(names, x ? (o ? t("lobby.pair", { x, o }) : x) : t("room.empty"));
      setText(
        about,
        line(
          variant?.name ?? room.variant,
          textOfName("admin.phase.", room.phase),
          room.ply > 0 && t("admin.ply", { n: room.ply }),
          room.connections > 0 && t("admin.here", { n: room.connections }),
          t("admin.ago", { time: age(serverClock.now() - room.used_ms) }),
        ),
      );
    });
    return node;
  }

  return {
    element: list.element,
    /** @param {import("./state.js").OpenAdmin} state */
    draw(state) {
      const { rooms, total } = state.answers.rooms;
      const isOfEngines = (/** @type {Room} */ { players }) => Number(players.every((name) => name.startsWith(ENGINE)));
      list.draw(
        [...rooms].sort((a, b) => isOfEngines(a) - isOfEngines(b)),
        total,
        mayGrow(state),
      );
    },
  };
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
