import { button, createForm, h, labelled, setText } from "../browser/dom.js";
import { serverClock } from "../net/clock.js";
import { t, textOfName } from "../texts/i18n.js";
import { age } from "../texts/times.js";
import { adminRequest } from "./access.js";
import { createList, line } from "./entries.js";

/** Bans, limits, nodes and the last backup. */

/** @import { OpenAdmin } from "./state.js" */

/**
 * @typedef {{limit: string, times: number, holder: string}} Bite
 * @typedef {{node: string, name: string, version: string, started_ms: number, connections: number, rooms: number,
 *   round_trip_ms: number, clock_offset_ms: number, guarantee: string}} NodeStatus
 */

/** Create an entry of two lines. */
const createLines = () => h("li", { class: "admin-text" }, h("b"), h("span", { class: "secondary" }));

/** @param {HTMLElement} node @param {string} title @param {string} about */
function drawLines(node, title, about) {
  const [first, second] = node.children;
  if (first) setText(first, title);
  if (second) setText(second, about);
}

/** @param {{act: import("./entries.js").Act}} context */
export function createBans({ act }) {
  const list = createList(
    /** @type {Parameters<typeof createList<string>>[0]} */ ({
      title: t("admin.bans"),
      empty: t("admin.bans.none"),
      keyOf: (subject) => subject,
      create: (subject) =>
        h(
          "li",
          { class: "admin-ban" },
          h("code", { text: subject }),
          button(t("admin.lift"), () =>
            act(() => adminRequest("POST", "bans", { address: subject, banned: false }), t("admin.lift.done")),
          ),
        ),
    }),
  );
  const input = h("input", { type: "text", required: true, autocomplete: "off", autocapitalize: "off", dir: "ltr" });
  const form = createForm(
    { class: "admin-form" },
    async () => {
      const isDone = await act(() => adminRequest("POST", "bans", { address: input.value }), t("admin.ban.done"));
      if (isDone) input.value = "";
    },
    labelled(t("admin.ban.whom"), input),
    h("button", { type: "submit", text: t("admin.ban") }),
  );
  list.element.append(form);
  return { element: list.element, draw: (/** @type {OpenAdmin} */ { answers }) => list.draw(answers.bans.banned) };
}

export function createLimits() {
  const list = createList(
    /** @type {Parameters<typeof createList<Bite>>[0]} */ ({
      title: t("admin.limits"),
      empty: t("admin.limits.none"),
      keyOf: ({ limit }) => limit,
      create: createLines,
      draw: (node, { limit, times, holder }) =>
        drawLines(
          node,
          textOfName("admin.limit.", limit),
          line(t("admin.times", { n: times }), t("admin.most", { holder })),
        ),
    }),
  );
  return { element: list.element, draw: (/** @type {OpenAdmin} */ { answers }) => list.draw(answers.players.limits) };
}

export function createNodes() {
  const list = createList(
    /** @type {Parameters<typeof createList<NodeStatus>>[0]} */ ({
      title: t("admin.nodes"),
      empty: "",
      keyOf: ({ node }) => node,
      create: createLines,
      draw: (node, status) =>
        drawLines(
          node,
          status.name,
          line(
            status.version,
            t("admin.since", { time: age(serverClock.now() - status.started_ms) }),
            t("admin.connections", { n: status.connections }),
            t("admin.node.rooms", { n: status.rooms }),
            t("admin.node.store", { ms: Math.round(status.round_trip_ms * 10) / 10 }),
            t("admin.node.clock", { ms: status.clock_offset_ms }),
          ),
        ),
    }),
  );
  return { element: list.element, draw: (/** @type {OpenAdmin} */ { answers }) => list.draw(answers.nodes.nodes) };
}

export function createBackup() {
  const text = h("p");
  const element = h("section", { class: "card" }, h("h2", { text: t("admin.backup") }), text);
  return {
    element,
    /** @param {OpenAdmin} state */
    draw: ({
      answers: {
        backup: { at_ms: atMs, hours, fault },
      },
    }) =>
      setText(
        text,
        line(
          atMs === null ? t("admin.backup.none") : t("admin.ago", { time: age(serverClock.now() - atMs) }),
          hours ? t("admin.backup.hours", { hours }) : "",
          fault ? t("admin.backup.failed", { reason: fault }) : "",
        ),
      ),
  };
}
