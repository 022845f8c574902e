import { h } from "../browser/dom.js";
import { knownVariant } from "../net/api.js";
import { serverClock } from "../net/clock.js";
import { tournamentUrl } from "../net/urls.js";
import { createConfirmed } from "../start/confirmed.js";
import { t } from "../texts/i18n.js";
import { age } from "../texts/times.js";
import { adminRequest } from "./access.js";
import { createList, line } from "./entries.js";

/** The tournaments that are not over. */

/**
 * @typedef {{id: string, name: string, mode: "arena"|"round_robin"|"knockout", variant: string, state: "open"|"running",
 *   entrants: number, host: string, used_ms: number}} ListedTournament
 */

/** @param {{act: import("./entries.js").Act}} context */
export const createTournaments = ({ act }) =>
  createList({
    title: t("admin.tournaments"),
    empty: t("admin.tournaments.none"),
    itemsOf: ({ answers }) => answers.tournaments.tournaments,
    keyOf: ({ id }) => id,
    linesOf: ({ name, mode, variant, state, entrants, host, used_ms: usedMs }) => [
      name,
      line(
        t(`admin.mode.${mode}`),
        knownVariant(variant)?.name ?? variant,
        t(state === "open" ? "admin.phase.waiting" : "admin.phase.playing"),
        t("admin.entrants", { n: entrants }),
        host,
        t("admin.ago", { time: age(serverClock.now() - usedMs) }),
      ),
    ],
    commandsOf: ({ id }) => [
      h("a", {
        class: "button",
        href: tournamentUrl(id),
        target: "_blank",
        rel: "noopener",
        text: t("tournament.open_page"),
      }),
      createConfirmed(t("admin.tournament.delete"), t("admin.tournament.delete.sure"), () =>
        act(() => adminRequest("POST", `rooms/${encodeURIComponent(id)}/close`), t("admin.tournament.delete.done")),
      ),
    ],
  });
