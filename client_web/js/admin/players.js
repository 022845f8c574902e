import { h } from "../browser/dom.js";
import { createConfirmed } from "../start/confirmed.js";
import { t } from "../texts/i18n.js";
import { age } from "../texts/times.js";
import { adminRequest } from "./access.js";
import { createInputForm, createList, line } from "./entries.js";

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
  /** @param {Player & {isOwn: boolean}} player */
  function createCommands({ player, name, address, isOwn }) {
    const path = `players/${encodeURIComponent(player)}`;
    const ban = (/** @type {string} */ subject) =>
      act(() => adminRequest("POST", "bans", { address: subject }), t("admin.ban.done"));
    const input = h("input", { type: "text", maxlength: 24, required: true, autocomplete: "off" });
    input.value = name;
    const askedAddress = t(isOwn ? "admin.ban.address.own" : "admin.ban.address.sure", { address });
    return [
      h("p", { class: "secondary" }, t("admin.player.id"), " ", h("code", { text: player })),
      createInputForm(t("guest.name"), input, t("admin.rename"), () =>
        act(() => adminRequest("POST", `${path}/rename`, { name: input.value.trim() }), t("admin.rename.done")),
      ),
      createConfirmed(t("admin.ban.player"), t("admin.ban.player.sure"), () => ban(player)),
      createConfirmed(t("admin.ban.address"), askedAddress, () => ban(address)),
      createConfirmed(t("admin.forget"), t("admin.forget.sure"), () =>
        act(() => adminRequest("POST", `${path}/forget`), t("admin.forget.done")),
      ),
    ];
  }

  return createList({
    title: t("admin.players"),
    empty: t("admin.players.none"),
    // A ban of the operator's own address has a question of its own.
    itemsOf: ({ answers: { players, bans } }) =>
      grouped(players.players).map((player) => ({ ...player, isOwn: player.address === bans.address })),
    keyOf,
    linesOf: ({ name, bot, seconds, address, node, connections }) => [
      bot ? `${name} (${t("room.bot")})` : name,
      line(
        t("admin.since", { time: age(seconds * 1000) }),
        address,
        node,
        connections > 1 && t("admin.connections", { n: connections }),
      ),
    ],
    totalOf: ({ answers: { players } }, shown) => (players.total > players.players.length ? players.total : shown),
    commandsOf: createCommands,
    more,
  });
}
