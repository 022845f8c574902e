import { button, drawChildren, h, setAttr, setText, show } from "../browser/dom.js";
import { wantsNoMotion } from "../browser/preferences.js";
import { t } from "../texts/i18n.js";
import { rowsOf } from "./state.js";

/** The standings: a table whose lines move to their new places. */

/** @import { Row } from "../net/messages.js" */
/** @import { Change, OpenTournament } from "./state.js" */

const MOVE_MS = 400;
const RESULTS = /** @type {const} */ (["wins", "draws", "losses"]);

/**
 * @param {{caption: string, onChoose?: ((row: Row) => void)|null}} options `onChoose` makes the names buttons
 */
export function createStandings({ caption, onChoose = null }) {
  const body = h("tbody");
  const heading = (/** @type {"rank"|"name"|"points"} */ name) =>
    h("th", { scope: "col", class: name, text: t(`tournament.${name}`) });
  const results = RESULTS.map((name) =>
    h(
      "th",
      { scope: "col", class: "result" },
      h("span", { "aria-hidden": "true", title: t(`tournament.${name}`), text: t(`tournament.${name}.short`) }),
      h("span", { class: "visually-hidden", text: t(`tournament.${name}`) }),
    ),
  );
  const element = h(
    "table",
    { class: "standings" },
    h("caption", { class: "visually-hidden", text: caption }),
    h("thead", {}, h("tr", {}, heading("rank"), heading("name"), heading("points"), ...results)),
    body,
  );

  /** @param {Row} row */
  function createRow(row) {
    let newest = row;
    const name = onChoose
      ? h("button", { type: "button", class: "quiet-text", on: { click: () => onChoose(newest) } })
      : h("span");
    const state = h("span", { class: "secondary" });
    const rank = h("td", { class: "rank" });
    const points = h("td", { class: "points" });
    const counts = RESULTS.map(() => h("td", { class: "result" }));
    const node = h(
      "tr",
      {},
      rank,
      h("th", { scope: "row", class: "name", translate: "no" }, name, " ", state),
      points,
      ...counts,
    );
    /** @param {Row} row */
    function draw(row) {
      newest = row;
      setText(rank, String(row.rank));
      setText(name, row.name);
      setText(state, stateText(row));
      setAttr(node, "data-state", row.state);
      setText(points, String(row.points));
      setAttr(node, "aria-current", row.entrant === ownEntrant ? "true" : null);
      for (const [n, result] of RESULTS.entries()) setText(/** @type {Node} */ (counts[n]), String(row[result]));
    }
    return { element: node, draw };
  }
  /** The entrant to mark. @type {number|null} */ let ownEntrant = null;

  return {
    element,
    /**
     * @param {readonly Row[]} rows @param {{mode: string, state: string}} tournament before the start there are only names, and
     *   a knockout has no points
     * @param {number|null} [own] the entrant to mark
     */
    draw(rows, { mode, state }, own = null) {
      const before = new Map([...body.children].map((node) => [node, node.getBoundingClientRect().top]));
      ownEntrant = own;
      setAttr(element, "data-mode", mode);
      setAttr(element, "data-tournament", state);
      drawChildren(body, rows, (row) => String(row.entrant), createRow);
      if (wantsNoMotion()) return;
      for (const [node, top] of before) {
        const shift = node.isConnected ? top - node.getBoundingClientRect().top : 0;
        if (shift)
          node.animate([{ transform: `translateY(${shift}px)` }, { transform: "none" }], {
            duration: MOVE_MS,
            easing: "ease",
          });
      }
    },
  };
}

/** @param {Row} row */
function stateText({ state, bot }) {
  const words = bot ? [t("tournament.bot")] : [];
  if (state !== "waiting") words.push(t(`tournament.state.${state}`));
  return words.join("\u00a0·\u00a0");
}

/**
 * Create the standings on a tournament's page: the first of them and those around the reader, and on demand all.
 * @param {{onChoose: (row: Row) => void, dispatch: (change: Change) => void}} options `onChoose` is for the host
 */
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
