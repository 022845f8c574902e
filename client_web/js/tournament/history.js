import { warnOnError } from "../net/failures.js";
import { button, drawChildren, h, setAttr, show } from "../browser/dom.js";
import { createConfirmed } from "../browser/confirmed.js";
import { apiUrl, roomUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { createBracket, fetchMatches } from "./bracket.js";
import { createCrossTable } from "./cross_points.js";
import { fetchRows } from "./rows.js";
import { gamesText } from "./text.js";

/** The matches of a tournament, each with its room to replay: a list, a bracket for a knockout, a cross table for a round robin. */

/** @import { Match, Row, TournamentMessage } from "../net/messages.js" */

const PAGE = 100;
const MAX_ROWS = 40; // of a cross table
const MAX_SEARCHED = 2_000; // for the matches of an entrant

/** Return a name that keeps its own direction between others: isolated by U+2068 and U+2069. @param {{name: string}} entrant */
const isolated = ({ name }) => `\u2068${name}\u2069`;

/** @param {{id: string, annul: (match: number) => void}} options */
export function createHistory({ id, annul }) {
  /** @type {Match[]} */ let matches = [];
  /** @type {Row[]} */ let rows = [];
  let limit = PAGE;
  let hasMore = false;
  let version = -1;
  let isLoading = false;
  let wasOver = false;
  const picture = h("div", { class: "wide", role: "group", tabindex: 0 });
  const items = h("ol", { class: "matches" });
  const ownItems = h("ol", { class: "matches" });
  const own = h("div", { hidden: true }, h("h3", { text: t("tournament.matches.own") }), ownItems);
  const moreButton = button(t("tournament.matches.more"), showMore, "quiet-text");
  const csv = h("a", {
    class: "button",
    href: apiUrl(`tournaments/${id}/results.csv`),
    download: "results.csv",
    text: t("tournament.csv"),
  });
  const list = h("details", {}, h("summary", { text: t("tournament.matches") }), items, moreButton);
  const element = h(
    "section",
    { class: "tournament-results", hidden: true },
    h("h2", { text: t("tournament.results") }),
    picture,
    own,
    list,
    h("div", { class: "buttons" }, csv),
  );
  /** @type {TournamentMessage|null} */ let shown = null;

  list.addEventListener("toggle", () => list.open && void load(true));

  function showMore() {
    limit += PAGE;
    void load(true);
  }

  /** Fetch the matches: all of them where a picture needs them. @param {boolean} [again] also if the tournament has not changed */
  async function load(again = false) {
    if (!shown || isLoading || (!again && version === shown.tournament.version)) return;
    isLoading = true;
    const { tournament } = shown;
    version = tournament.version;
    await warnOnError(async () => {
      const isOwn = tournament.state === "over" && shown?.you.entrant !== null;
      const most = tournament.mode !== "arena" ? Infinity : isOwn ? Math.max(limit, MAX_SEARCHED) : limit;
      const { matches: read, more } = await fetchMatches(id, most);
      if (tournament.mode === "round_robin") rows = await fetchRows(id, MAX_ROWS);
      [matches, hasMore] = [read, more];
      draw();
    });
    isLoading = false;
    if (isWanted() && version !== shown.tournament.version) void load(); // it changed in the meantime
  }

  /** Whether the reader may follow links: an entrant who plays stays on this page, where the next match opens. */
  function mayGo() {
    const { tournament, you } = /** @type {TournamentMessage} */ (shown);
    return tournament.state === "over" || !["waiting", "playing"].includes(you.row?.state ?? "");
  }

  const isWanted = () =>
    list.open ||
    shown?.tournament.mode !== "arena" ||
    (shown.tournament.state === "over" && shown.you.entrant !== null);

  function draw() {
    if (!shown) return;
    const { mode, rounds, state } = shown.tournament;
    const drawings = {
      arena: () => [],
      knockout: () =>
        rounds ? [createBracket(matches, rounds, state === "over" ? (shown?.top ?? []) : [], mayGo())] : [],
      round_robin: () => [createCrossTable(matches, rows)],
    };
    picture.replaceChildren(...(matches.length ? drawings[mode]() : []));
    show(picture, picture.childElementCount > 0);
    setAttr(picture, "aria-label", t(mode === "knockout" ? "tournament.bracket" : "tournament.cross"));
    const { entrant } = shown.you;
    const isOwn = (/** @type {Match} */ { entrants }) => entrants.some((each) => each && each.entrant === entrant);
    const mayAnnul = shown.you.can.includes("annul");
    const keyOf = (/** @type {Match} */ match) =>
      `${match.n}-${match.state}-${match.games.length}-${mayAnnul}-${mayGo()}`;
    drawChildren(ownItems, state === "over" ? matches.filter(isOwn) : [], keyOf, createMatch);
    show(own, ownItems.childElementCount > 0);
    drawChildren(items, list.open ? matches.slice(0, limit) : [], keyOf, createMatch, (node, match) =>
      setAttr(node, "aria-current", isOwn(match) ? "true" : null),
    );
    show(moreButton, hasMore || matches.length > limit);
    showWhole();
  }

  /** Show the part once there is a match. Those of an arena are fetched when you ask for them. */
  const showWhole = () =>
    show(element, shown?.tournament.state !== "open" && (shown?.tournament.mode === "arena" || matches.length > 0));

  /** @param {Match} match */
  function createMatch(match) {
    const { entrants, points, room, n, state, games } = match;
    const [first, second] = entrants;
    const text = second
      ? `${isolated(first)} ${gamesText(points[0])} : ${gamesText(points[1])} ${isolated(second)}`
      : `${isolated(first)} · ${t("tournament.bye")}`;
    const about = [
      ...(state === "over" ? [] : [t(`tournament.match.${state}`)]),
      ...(match.decided_by ? [t(`tournament.decided.${match.decided_by}`)] : []),
    ].join("\u00a0·\u00a0");
    const mayAnnul = shown?.you.can.includes("annul") && state !== "annulled" && second;
    const isPlayed = room && state !== "annulled" && (games.length > 0 || state === "playing");
    return h(
      "li",
      {},
      isPlayed && mayGo()
        ? h("a", { href: roomUrl(room), "data-page-link": "", translate: "no", text })
        : h("span", { translate: "no", text }),
      h("span", { class: "secondary", text: about }),
      mayAnnul &&
        createConfirmed(
          {
            label: t("tournament.annul"),
            question: t("tournament.annul.sure"),
            yes: t("tournament.annul"),
            cancel: t("cancel"),
          },
          () => annul(n),
        ),
    );
  }

  return {
    element,
    /** @param {import("./state.js").OpenTournament} state */
    draw({ message }) {
      shown = message;
      const { state, mode } = message.tournament;
      showWhole();
      show(csv, state === "over" && message.you.host);
      if (state === "over" && !wasOver) list.open = mode !== "arena" && message.you.entrant === null;
      wasOver = state === "over";
      if (state !== "open" && isWanted()) void load();
    },
  };
}
