import { h, setText } from "../browser/dom.js";
import { allVariants } from "../net/api.js";
import { serverClock } from "../net/clock.js";
import { tournamentUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { age } from "../texts/times.js";
import { adminRequest } from "./access.js";
import { createCommand, createEntry, createList, line } from "./entries.js";

/** The tournaments that are not over. */

/**
 * @typedef {{id: string, name: string, mode: "arena"|"round_robin"|"knockout", variant: string, state: "open"|"running",
 *   entrants: number, host: string, used_ms: number}} ListedTournament
 */

/** @param {{act: import("./entries.js").Act}} context */
export function createTournaments({ act }) {
  const list = createList(
    /** @type {Parameters<typeof createList<ListedTournament>>[0]} */ ({
      title: t("admin.tournaments"),
      empty: t("admin.tournaments.none"),
      keyOf: ({ id }) => id,
      create: createTournament,
      draw: drawTournament,
    }),
  );

  /** @param {ListedTournament} first */
  function createTournament({ id }) {
    const text = h("span", { class: "admin-text" }, h("b", { translate: "no" }), h("span", { class: "secondary" }));
    const href = tournamentUrl(id);
    return createEntry([text], () => [
      h("a", { class: "button", href, target: "_blank", rel: "noopener", text: t("tournament.open_page") }),
      createCommand(t("admin.tournament.delete"), t("admin.tournament.delete.sure"), () =>
        act(() => adminRequest("POST", `rooms/${encodeURIComponent(id)}/close`), t("admin.tournament.delete.done")),
      ),
    ]);
  }

  /** @param {HTMLElement} node @param {ListedTournament} tournament */
  function drawTournament(node, { name, mode, variant, state, entrants, host, used_ms: usedMs }) {
    const [title, about] = node.querySelectorAll("summary b, summary .secondary");
    if (title) setText(title, name);
    if (about)
      setText(
        about,
        line(
          t(`admin.mode.${mode}`),
          allVariants().find(({ key }) => key === variant)?.name ?? variant,
          t(state === "open" ? "admin.phase.waiting" : "admin.phase.playing"),
          t("admin.entrants", { n: entrants }),
          host,
          t("admin.ago", { time: age(serverClock.now() - usedMs) }),
        ),
      );
  }

  return {
    element: list.element,
    draw: (/** @type {import("./state.js").OpenAdmin} */ { answers }) => list.draw(answers.tournaments.tournaments),
  };
}
