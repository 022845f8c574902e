import { drawChildren, h, setAttr, setText } from "../browser/dom.js";
import { t } from "../texts/i18n.js";

/** The standings: a table whose lines move to their new places. */

/** @import { Row } from "../net/messages.js" */

const MOVE_MS = 400;

/**
 * @param {{caption: string, onChoose?: ((row: Row) => void)|null}} options `onChoose` makes the names buttons
 */
export function createStandings({ caption, onChoose = null }) {
  const body = h("tbody");
  const headings = ["rank", "name", "points", "games"].map((name) =>
    h("th", { scope: "col", class: name, text: t(/** @type {any} */ (`tournament.${name}`)) }),
  );
  const element = h(
    "table",
    { class: "standings" },
    h("caption", { class: "visually-hidden", text: caption }),
    h("thead", {}, h("tr", {}, ...headings)),
    body,
  );

  /** @param {Row} row */
  function createRow(row) {
    /** @type {Row} */
    let newest = row;
    const name = onChoose
      ? h("button", { type: "button", class: "quiet-text", on: { click: () => onChoose(newest) } })
      : h("span");
    const state = h("span", { class: "secondary" });
    const rank = h("td", { class: "rank" });
    const points = h("td", { class: "points" });
    const games = h("td", { class: "games" });
    const node = h("tr", {}, rank, h("th", { scope: "row", class: "name" }, name, " ", state), points, games);
    drawers.set(node, (row) => {
      newest = row;
      setText(rank, String(row.rank));
      setText(name, row.name);
      setText(state, stateText(row));
      setText(points, String(row.points));
      const { wins, draws, losses } = row;
      setText(games, row.games ? t("tournament.record", { wins, draws, losses }) : "");
    });
    return node;
  }
  /** @type {WeakMap<HTMLElement, (row: Row) => void>} */
  const drawers = new WeakMap();

  return {
    element,
    /** @param {readonly Row[]} rows @param {number|null} [own] the entrant to mark */
    draw(rows, own = null) {
      const before = new Map([...body.children].map((node) => [node, node.getBoundingClientRect().top]));
      drawChildren(
        body,
        rows,
        (row) => String(row.entrant),
        createRow,
        (node, row) => {
          drawers.get(node)?.(row);
          setAttr(node, "aria-current", row.entrant === own ? "true" : null);
        },
      );
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
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
  if (state !== "waiting") words.push(t(/** @type {any} */ (`tournament.state.${state}`)));
  return words.join(" · ");
}
