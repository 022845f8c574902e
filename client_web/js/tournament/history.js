import { button, drawChildren, h, setAttr, show } from "../browser/dom.js";
import { createConfirmed } from "../start/confirmed.js";
import { apiUrl, roomUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { createBracket } from "./bracket.js";
import { crossRows } from "./state.js";
import { gamesText } from "./text.js";

/** The matches of a tournament, each with its room to replay: a list, a bracket for a knockout, a cross table for a round robin. */

/** @import { Match, Row } from "../net/messages.js" */
/** @import { Change, OpenTournament } from "./state.js" */

/** Return a name that keeps its own direction between others: isolated by U+2068 and U+2069. @param {{name: string}} entrant */
const isolated = ({ name }) => `\u2068${name}\u2069`;

/** Return whether the reader may follow links: an entrant who plays stays on this page, where the next match opens. @param {OpenTournament} state */
const mayGo = ({ message: { tournament, you } }) =>
  tournament.state === "over" || !["waiting", "playing"].includes(you.row?.state ?? "");

/** @param {{id: string, annul: (match: number) => void, dispatch: (change: Change) => void}} options */
export function createHistory({ id, annul, dispatch }) {
  const picture = h("div", { class: "wide", role: "group", tabindex: 0 });
  const items = h("ol", { class: "matches" });
  const ownItems = h("ol", { class: "matches" });
  const own = h("div", { hidden: true }, h("h3", { text: t("tournament.matches.own") }), ownItems);
  const moreButton = button(t("tournament.matches.more"), () => dispatch({ type: "more_matches" }), "quiet-text");
  const csv = h("a", {
    class: "button",
    href: apiUrl(`tournaments/${id}/results.csv`),
    download: "results.csv",
    text: t("tournament.csv"),
  });
  const summary = h("summary", { text: t("tournament.matches") });
  const list = h("details", {}, summary, items, moreButton);
  const element = h(
    "section",
    { class: "tournament-results", hidden: true },
    h("h2", { text: t("tournament.results") }),
    picture,
    own,
    list,
    h("div", { class: "buttons" }, csv),
  );
  /** What the picture shows, so that its links keep the focus while nothing changes. @type {readonly unknown[]} */
  let drawn = [];

  summary.addEventListener("click", (event) => {
    event.preventDefault(); // the state opens it
    dispatch({ type: "list", isOpen: !list.open });
  });

  /** @param {OpenTournament} state */
  function drawPicture(state) {
    const { message, matches, fetched } = state;
    const { mode, rounds, state: phase } = message.tournament;
    const shows = [matches, fetched, phase, mayGo(state)];
    if (shows.every((part, index) => part === drawn[index])) return;
    drawn = shows;
    const drawings = {
      arena: () => [],
      knockout: () =>
        rounds ? [createBracket(matches, rounds, phase === "over" ? message.top : [], mayGo(state))] : [],
      round_robin: () => [createCrossTable(matches, crossRows(state))],
    };
    picture.replaceChildren(...(matches.length ? drawings[mode]() : []));
    show(picture, picture.childElementCount > 0);
    setAttr(picture, "aria-label", t(mode === "knockout" ? "tournament.bracket" : "tournament.cross"));
  }

  /** @param {OpenTournament} openState @param {Match} match */
  function createMatch(openState, match) {
    const { entrants, points, room, n, state, games } = match;
    const [first, second] = entrants;
    const text = second
      ? `${isolated(first)} ${gamesText(points[0])} : ${gamesText(points[1])} ${isolated(second)}`
      : `${isolated(first)} · ${t("tournament.bye")}`;
    const about = [
      ...(state === "over" ? [] : [t(`tournament.match.${state}`)]),
      ...(match.decided_by ? [t(`tournament.decided.${match.decided_by}`)] : []),
    ].join("\u00a0·\u00a0");
    const mayAnnul = openState.message.you.can.includes("annul") && state !== "annulled" && second;
    const isPlayed = room && state !== "annulled" && (games.length > 0 || state === "playing");
    return h(
      "li",
      {},
      isPlayed && mayGo(openState)
        ? h("a", { href: roomUrl(room), "data-page-link": "", translate: "no", text })
        : h("span", { translate: "no", text }),
      h("span", { class: "secondary", text: about }),
      mayAnnul && createConfirmed(t("tournament.annul"), t("tournament.annul.sure"), () => annul(n)),
    );
  }

  return {
    element,
    /** @param {OpenTournament} state */
    draw(state) {
      const { message, matches, hasMore, matchLimit, isListOpen } = state;
      const { tournament, you } = message;
      const isOver = tournament.state === "over";
      show(element, tournament.state !== "open" && (tournament.mode === "arena" || matches.length > 0));
      show(csv, isOver && you.host);
      list.open = isListOpen;
      drawPicture(state);
      const isOwn = (/** @type {Match} */ { entrants }) =>
        entrants.some((each) => each && each.entrant === you.entrant);
      const keyOf = (/** @type {Match} */ match) =>
        `${match.n}-${match.state}-${match.games.length}-${you.can.includes("annul")}-${mayGo(state)}-${you.entrant}`;
      const create = (/** @type {Match} */ match) => createMatch(state, match);
      const createMarked = (/** @type {Match} */ match) => {
        const node = create(match);
        setAttr(node, "aria-current", isOwn(match) ? "true" : null);
        return node;
      };
      drawChildren(ownItems, isOver ? matches.filter(isOwn) : [], keyOf, create);
      show(own, ownItems.childElementCount > 0);
      drawChildren(items, isListOpen ? matches.slice(0, matchLimit) : [], keyOf, createMarked);
      show(moreButton, hasMore || matches.length > matchLimit);
    },
  };
}

/**
 * Create the cross table of a round robin: the points of each entrant against each other, in the order of the standings.
 * @param {readonly Match[]} matches @param {readonly Row[]} rows
 */
function createCrossTable(matches, rows) {
  /** @type {Map<string, number>} */
  const points = new Map();
  for (const match of matches) {
    const [first, second] = match.entrants;
    if (!second || match.state === "playing" || match.state === "annulled") continue;
    points.set(`${first.entrant} ${second.entrant}`, match.points[0]);
    points.set(`${second.entrant} ${first.entrant}`, match.points[1]);
  }
  const cells = (/** @type {Row} */ row) =>
    rows.map(({ entrant }) =>
      entrant === row.entrant
        ? h("td", { class: "own" })
        : h("td", { text: String(points.get(`${row.entrant} ${entrant}`) ?? "") }),
    );
  return h(
    "table",
    { class: "cross-table" },
    h("caption", { class: "visually-hidden", text: t("tournament.cross") }),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td"),
        ...rows.map(({ name }, n) =>
          h(
            "th",
            { scope: "col", title: name },
            h("span", { "aria-hidden": "true", text: String(n + 1) }),
            h("span", { class: "visually-hidden", text: name }),
          ),
        ),
        h("th", { scope: "col", text: t("tournament.points") }),
      ),
    ),
    h(
      "tbody",
      {},
      ...rows.map((row, n) =>
        h(
          "tr",
          {},
          h("th", { scope: "row", text: `${n + 1}. ${row.name}` }),
          ...cells(row),
          h("td", { class: "points", text: String(row.points) }),
        ),
      ),
    ),
  );
}
