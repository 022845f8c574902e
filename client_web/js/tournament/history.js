import { createConfirmed, drawChildren, h, show, svg } from "../browser/dom.js";
import { warnOnError } from "../browser/notices.js";
import { request } from "../net/api.js";
import { apiUrl, roomUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";

/** The matches of a tournament, each with its room to replay: a list, a bracket for a knockout, a cross table for a round robin. */

/** @import { Match, Row, TournamentMessage } from "../net/messages.js" */

const PAGE = 100;
const MAX_SHOWN = 500;
const BOX = { width: 168, height: 44, gap: 12, column: 208 };

/** @param {{id: string, annul: (match: number) => void}} options */
export function createHistory({ id, annul }) {
  /** @type {Match[]} */ let matches = [];
  let version = -1;
  let isLoading = false;
  let wasOver = false;
  const picture = h("div", { class: "wide", tabindex: 0 });
  const rows = h("ol", { class: "matches" });
  const csv = h("a", {
    class: "button",
    href: apiUrl(`tournaments/${id}/results.csv`),
    download: "results.csv",
    text: t("tournament.csv"),
  });
  const list = h("details", {}, h("summary", { text: t("tournament.matches") }), rows);
  const element = h(
    "section",
    { class: "tournament-results", hidden: true },
    h("h2", { text: t("tournament.results") }),
    picture,
    list,
    csv,
  );
  /** @type {TournamentMessage|null} */ let shown = null;

  list.addEventListener("toggle", () => list.open && void load(true));

  /** Fetch all matches. @param {boolean} [again] also if the tournament has not changed since the last time */
  async function load(again = false) {
    if (!shown || isLoading || (!again && version === shown.tournament.version)) return;
    isLoading = true;
    version = shown.tournament.version;
    await warnOnError(async () => {
      const read = [];
      for (let more = true; more && read.length < MAX_SHOWN; ) {
        const page = await request("GET", `tournaments/${id}/matches?after=${read.at(-1)?.n ?? 0}`);
        read.push(...page.matches);
        more = page.more && page.matches.length === PAGE;
      }
      matches = read;
      draw();
    });
    isLoading = false;
  }

  function draw() {
    if (!shown) return;
    const { mode } = shown.tournament;
    picture.replaceChildren(
      ...(matches.length && mode === "knockout"
        ? [createBracket(matches, shown.tournament.state === "over" ? shown.top : [])]
        : []),
      ...(matches.length && mode === "round_robin" ? [createCrossTable(matches, shown.top)] : []),
    );
    show(picture, picture.childElementCount > 0);
    picture.setAttribute("aria-label", t(mode === "knockout" ? "tournament.bracket" : "tournament.cross"));
    drawChildren(rows, matches, (match) => `${match.n}-${match.state}-${match.games.length}`, createMatch);
  }

  /** @param {Match} match */
  function createMatch(match) {
    const { entrants, points, room, n, state } = match;
    const text = `${entrants[0].name} ${points[0]} : ${points[1]} ${entrants[1]?.name ?? t("tournament.bye")}`;
    const about = [
      ...(state === "over" || state === "playing" ? [] : [t(`tournament.match.${state}`)]),
      ...(match.decided_by ? [t(`tournament.decided.${match.decided_by}`)] : []),
    ].join(" · ");
    const mayAnnul = shown?.you.can.includes("annul") && state !== "annulled" && entrants[1];
    return h(
      "li",
      {},
      room && state !== "annulled" ? h("a", { href: roomUrl(room), "data-page-link": "", text }) : h("span", { text }),
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
    /** @param {TournamentMessage} message */
    draw(message) {
      shown = message;
      const { state, mode } = message.tournament;
      show(element, state !== "open");
      show(csv, state === "over");
      if (state === "over" && !wasOver) list.open = true;
      wasOver = state === "over";
      if (list.open || (state !== "open" && mode !== "arena")) void load();
    },
  };
}

/**
 * Return which entrant of a match won it: the one who plays on, or the first of the standings after the last round; -1 while
 * that is open. Points do not say it, because time or a lot may decide a tie.
 * @param {Match} match @param {readonly Match[]} next the matches of the next round @param {readonly Row[]} top
 */
function winnerOf({ entrants }, next, top) {
  const numbers = entrants.map((entrant) => entrant?.entrant);
  const onward = next.flatMap((match) => match.entrants.map((entrant) => entrant?.entrant));
  const winner = next.length
    ? onward.find((number) => numbers.includes(number))
    : top.find(({ rank }) => rank === 1)?.entrant;
  return winner === undefined ? -1 : numbers.indexOf(winner);
}

/** @param {readonly Match[]} matches @param {readonly Row[]} top */
function createBracket(matches, top) {
  const rounds = Math.max(...matches.map(({ round }) => round));
  const byRound = Array.from({ length: rounds }, (_, n) =>
    matches.filter(({ round, state }) => round === n + 1 && state !== "annulled"),
  );
  const first = Math.max(1, byRound[0]?.length ?? 1);
  const height = first * (BOX.height + BOX.gap) + BOX.gap;
  const nodes = byRound.flatMap((inRound, column) => {
    const places = Math.max(1, Math.ceil(first / 2 ** column));
    return inRound.map((match, index) => {
      const y = ((index + 0.5) * height) / places - BOX.height / 2;
      const won = winnerOf(match, byRound[column + 1] ?? [], top);
      const line = (/** @type {0|1} */ index) =>
        svg("text", {
          x: 8,
          y: index ? 36 : 16,
          class: won === index ? "won" : "",
          text: `${(match.entrants[index]?.name ?? t("tournament.bye")).slice(0, 18)}  ${match.entrants[index] ? match.points[index] : ""}`,
        });
      return svg(
        "g",
        { transform: `translate(${column * BOX.column + 4} ${y})` },
        svg("rect", { width: BOX.width, height: BOX.height, rx: 8 }),
        line(0),
        line(1),
      );
    });
  });
  return svg(
    "svg",
    {
      class: "bracket",
      role: "img",
      "aria-label": t("tournament.bracket"),
      width: rounds * BOX.column,
      height,
      viewBox: `0 0 ${rounds * BOX.column} ${height}`,
    },
    ...nodes,
  );
}

/** @param {readonly Match[]} matches @param {readonly Row[]} top */
function createCrossTable(matches, top) {
  const order = top.map(({ entrant, name }) => ({ entrant, name }));
  /** @type {Map<string, number>} */
  const points = new Map();
  for (const {
    entrants,
    points: [a, b],
    state,
  } of matches) {
    const [first, second] = entrants;
    if (!second || state === "playing" || state === "annulled") continue;
    points.set(`${first.entrant} ${second.entrant}`, a);
    points.set(`${second.entrant} ${first.entrant}`, b);
  }
  const cells = (/** @type {{entrant: number}} */ row) =>
    order.map(({ entrant }) =>
      h("td", { text: entrant === row.entrant ? "·" : String(points.get(`${row.entrant} ${entrant}`) ?? "") }),
    );
  return h(
    "table",
    { class: "cross-table" },
    h("caption", { class: "visually-hidden", text: t("tournament.cross") }),
    h(
      "thead",
      {},
      h("tr", {}, h("th"), ...order.map(({ name }, n) => h("th", { scope: "col", title: name, text: String(n + 1) }))),
    ),
    h(
      "tbody",
      {},
      ...order.map((row, n) => h("tr", {}, h("th", { scope: "row", text: `${n + 1}. ${row.name}` }), ...cells(row))),
    ),
  );
}
