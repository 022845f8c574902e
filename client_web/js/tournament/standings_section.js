import { button, h, setText, show } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { createStandings } from "./standings.js";
import { rowsOf } from "./state.js";

/** The standings on a tournament's page: the first of them and those around the reader, and on demand all. */

/** @import { Row } from "../net/messages.js" */
/** @import { Change, OpenTournament } from "./state.js" */

/** @param {{onChoose: (row: Row) => void, dispatch: (change: Change) => void}} options `onChoose` is for the host */
export function createStandingsSection({ onChoose, dispatch }) {
  /** @type {ReturnType<typeof createStandings>|null} */ let standings = null;
  let isHost = false;
  const title = h("h2");
  const holder = h("div");
  const noNames = h("p", { class: "secondary", text: t("tournament.no_names") });
  const allButton = button("", () => dispatch({ type: "all_rows" }), "quiet-text");

  return {
    element: h("section", { class: "tournament-table" }, title, holder, noNames, allButton),
    /** @param {OpenTournament} state */
    draw(state) {
      const { tournament, you } = state.message;
      const rows = rowsOf(state);
      if (!standings || isHost !== you.host) {
        isHost = you.host; // this browser may have taken the host's account since
        standings = createStandings({ caption: t("tournament.standings"), onChoose: you.host ? onChoose : null });
        holder.replaceChildren(standings.element);
      }
      setText(title, t(tournament.state === "open" ? "tournament.entrants" : "tournament.standings"));
      standings.draw(rows, tournament, you.entrant);
      show(holder, rows.length > 0);
      show(noNames, rows.length === 0);
      show(allButton, tournament.entrants > rows.length);
      setText(allButton, t("tournament.all", { n: tournament.entrants }));
    },
  };
}
