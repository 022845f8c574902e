import { button, h, setText } from "../browser/dom.js";
import { serverClock } from "../net/clock.js";
import { t, textOfName } from "../texts/i18n.js";
import { age } from "../texts/times.js";
import { adminRequest } from "./access.js";
import { createInputForm, createList, line } from "./entries.js";

/** Bans, limits, nodes and the last backup. */

/** @import { OpenAdmin } from "./state.js" */

/**
 * @typedef {{limit: string, times: number, holder: string}} Bite
 * @typedef {{node: string, name: string, version: string, started_ms: number, connections: number, rooms: number,
 *   round_trip_ms: number, clock_offset_ms: number, guarantee: string}} NodeStatus
 */

/** @param {{act: import("./entries.js").Act}} context */
export function createBans({ act }) {
  const ban = (/** @type {string} */ address, banned = true) =>
    act(() => adminRequest("POST", "bans", { address, banned }), t(banned ? "admin.ban.done" : "admin.lift.done"));
  const list = createList({
    title: t("admin.bans"),
    empty: t("admin.bans.none"),
    itemsOf: ({ answers }) => answers.bans.banned,
    keyOf: (subject) => subject,
    create: (subject) =>
      h(
        "li",
        { class: "admin-ban" },
        h("code", { text: subject }),
        button(t("admin.lift"), () => ban(subject, false)),
      ),
  });
  const input = h("input", { type: "text", required: true, autocomplete: "off", autocapitalize: "off", dir: "ltr" });
  list.element.append(
    createInputForm(t("admin.ban.whom"), input, t("admin.ban"), async () => {
      if (await ban(input.value)) input.value = "";
    }),
  );
  return list;
}

export const createLimits = () =>
  createList({
    title: t("admin.limits"),
    empty: t("admin.limits.none"),
    itemsOf: ({ answers }) => answers.players.limits,
    keyOf: ({ limit }) => limit,
    linesOf: ({ limit, times, holder }) => [
      textOfName("admin.limit.", limit),
      line(t("admin.times", { n: times }), t("admin.most", { holder })),
    ],
  });

export const createNodes = () =>
  createList({
    title: t("admin.nodes"),
    empty: "",
    itemsOf: ({ answers }) => answers.nodes.nodes,
    keyOf: ({ node }) => node,
    linesOf: (status) => [
      status.name,
      line(
        status.version,
        t("admin.since", { time: age(serverClock.now() - status.started_ms) }),
        t("admin.connections", { n: status.connections }),
        t("admin.node.rooms", { n: status.rooms }),
        t("admin.node.store", { ms: Math.round(status.round_trip_ms * 10) / 10 }),
        t("admin.node.clock", { ms: status.clock_offset_ms }),
      ),
    ],
  });

export function createBackup() {
  const text = h("p");
  return {
    element: h("section", { class: "card" }, h("h2", { text: t("admin.backup") }), text),
    /** @param {OpenAdmin} state */
    draw({ answers }) {
      const { at_ms: atMs, hours, fault } = answers.backup;
      setText(
        text,
        line(
          atMs === null ? t("admin.backup.none") : t("admin.ago", { time: age(serverClock.now() - atMs) }),
          hours ? t("admin.backup.hours", { hours }) : "",
          fault ? t("admin.backup.failed", { reason: fault }) : "",
        ),
      );
    },
  };
}
