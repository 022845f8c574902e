import { createPicture } from "../board/picture.js";
import { h, setAttr, setText, show } from "../browser/dom.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { knownVariant } from "../net/api.js";
import { lastPosition, scoreOf, winnerOf } from "../room/series.js";
import { shownGame } from "../room/state.js";
import { t } from "../texts/i18n.js";
import { seatName } from "../texts/names.js";

/** The games of a series as a row of small boards with their winners. A tap opens a game in the review. */

/** @import { RoomState } from "../room/state.js" */
/** @import { SeriesGame } from "../room/series.js" */

/** Return the name of the winner of a game, its mark where there are no players, or "=". @param {SeriesGame} game */
function captionOf({ record: { outcome, players, swapped } }) {
  const winner = outcome?.winner;
  if (!winner) return "=";
  return players ? seatName(players[swapped ? (winner === "X" ? "O" : "X") : winner]) : winner;
}

/**
 * @param {{choose: (game: number) => void, keyOf: (state: RoomState) => string,
 *   fetchGames: (state: RoomState) => Promise<SeriesGame[]>}} options
 *   `keyOf` changes with the games to show, and is "" without a series
 */
export function createSeriesRow({ choose, keyOf, fetchGames }) {
  const score = h("p", { class: "series-score" });
  const list = h("ol", { class: "series-games" });
  const element = h("section", { class: "series-row", hidden: true, "aria-label": t("series.title") }, score, list);
  let key = "";
  /** @type {readonly SeriesGame[]} */
  let games = [];

  /** @param {RoomState} state */
  async function load(state) {
    const wanted = key;
    const sheet = loadStyleSheet("share.css");
    const fetched = await fetchGames(state).catch(() => []);
    await sheet;
    if (wanted !== key) return;
    games = fetched;
    const { a, b } = scoreOf(games);
    setText(score, `${a} : ${b}`);
    list.replaceChildren(...games.map((game, index) => createItem(game, index)));
    show(element, games.length > 1);
    mark(state);
  }

  /** @param {SeriesGame} game @param {number} index */
  function createItem(game, index) {
    const { record } = game;
    const caption = captionOf(game);
    const result = winnerOf(game) ? t("outcome.win", { name: caption, mark: "" }) : t("outcome.draw");
    const variant = knownVariant(record.variant);
    const picture = variant ? createPicture(variant) : null;
    if (variant) picture?.draw(lastPosition(record, variant));
    const open = () => choose(record.number ?? index);
    const item = h(
      "button",
      { type: "button", "aria-label": t("series.game", { n: index + 1, result }), on: { click: open } },
      ...(picture ? [picture.element] : []),
      h("span", { "aria-hidden": "true", text: caption }),
    );
    return h("li", {}, item);
  }

  /** Mark the game on the board. @param {RoomState} state */
  function mark(state) {
    for (const [index, { record }] of games.entries()) {
      const isShown = (record.number ?? index) === shownGame(state);
      setAttr(list.children[index]?.firstElementChild ?? list, "aria-current", isShown ? "true" : null);
    }
  }

  return {
    element,
    /** @param {RoomState} state */
    draw(state) {
      const wanted = keyOf(state);
      if (wanted !== key) {
        key = wanted;
        games = [];
        show(element, Boolean(key));
        if (key) void load(state);
      }
      mark(state);
    },
  };
}
