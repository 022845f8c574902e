import { h } from "../browser/dom.js";
import { t } from "../texts/i18n.js";

/** The cross table of a round robin: the points of each entrant against each other, in the order of the standings. */

/** @import { Match, Row } from "../net/messages.js" */

/** @param {readonly Match[]} matches @param {readonly Row[]} rows */
export function createCrossTable(matches, rows) {
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
