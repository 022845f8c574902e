import { createForm, h, labelled, setText } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { age } from "../texts/times.js";
import { adminRequest } from "./access.js";
import { createCommand, createEntry, createList, line } from "./entries.js";
import { mayGrow } from "./state.js";

/** The players who are connected to any node. */

/**
 * @typedef {{player: string, name: string, bot: boolean, address: string, node: string, seconds: number}} Connected
 * @typedef {Connected & {connections: number}} Player
 */

/**
 * Return one entry for the connections of a player from one address to one node. It counts from the first of them.
 * @param {readonly Connected[]} connected
 */
function grouped(connected) {
  /** @type {Map<string, Player>} */
  const players = new Map();
  for (const each of connected) {
    const earlier = players.get(keyOf(each));
    const seconds = Math.max(each.seconds, earlier?.seconds ?? 0);
    players.set(keyOf(each), { ...each, seconds, connections: (earlier?.connections ?? 0) + 1 });
  }
  return [...players.values()];
}

/** @param {Connected} connected */
const keyOf = ({ player, address, node }) => `${player} ${address} ${node}`;

/** @param {{act: import("./entries.js").Act, more: () => void}} context */
export function createPlayers({ act, more }) {
  const list = createList(
    /** @type {Parameters<typeof createList<Player>>[0]} */ ({
      title: t("admin.players"),
      empty: t("admin.players.none"),
      keyOf,
      create: createPlayer,
      draw: drawPlayer,
      more,
    }),
  );

  let ownAddress = "";

  /** @param {Player} first */
  function createPlayer({ player, name, address }) {
    const path = `players/${encodeURIComponent(player)}`;
    const ban = (/** @type {string} */ subject) =>
      act(() => adminRequest("POST", "bans", { address: subject }), t("admin.ban.done"));
    return createEntry(
      [h("span", { class: "admin-text" }, h("b", { translate: "no" }), h("span", { class: "secondary" }))],
      () => {
        const input = h("input", { type: "text", maxlength: 24, required: true, autocomplete: "off" });
        input.value = name;
        const rename = createForm(
          { class: "admin-form" },
          () => act(() => adminRequest("POST", `${path}/rename`, { name: input.value.trim() }), t("admin.rename.done")),
          labelled(t("guest.name"), input),
          h("button", { type: "submit", text: t("admin.rename") }),
        );
        return [
          h("p", { class: "secondary" }, t("admin.player.id"), " ", h("code", { text: player })),
          rename,
          createCommand(t("admin.ban.player"), t("admin.ban.player.sure"), () => ban(player)),
          createCommand(
            t("admin.ban.address"),
            t(address === ownAddress ? "admin.ban.address.own" : "admin.ban.address.sure", { address }),
            () => ban(address),
          ),
          createCommand(t("admin.forget"), t("admin.forget.sure"), () =>
            act(() => adminRequest("POST", `${path}/forget`), t("admin.forget.done")),
          ),
        ];
      },
    );
  }

  /** @param {HTMLElement} node @param {Player} player */
  function drawPlayer(node, { name, bot, seconds, address, node: server, connections }) {
    const [title, about] = node.querySelectorAll("summary b, summary .secondary");
    if (title) setText(title, bot ? `${name} (${t("room.bot")})` : name);
    if (about)
      setText(
        about,
        line(
          t("admin.since", { time: age(seconds * 1000) }),
          address,
          server,
          connections > 1 && t("admin.connections", { n: connections }),
        ),
      );
  }

  return {
    element: list.element,
    /** @param {import("./state.js").OpenAdmin} state */
    draw(state) {
      const { players, total } = state.answers.players;
      ownAddress = state.answers.bans.address;
      const shown = grouped(players);
      list.draw(shown, total > players.length ? total : shown.length, mayGrow(state));
    },
  };
}
