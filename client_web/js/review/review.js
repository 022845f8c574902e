import { cellMark, sentenceText } from "../board/cell_text.js";
import { setSentences } from "../board/chip.js";
import { mistakenPlies, mistakesOf, valuesOf } from "../board/mistakes.js";
import { createMoveList } from "../board/moves.js";
import { createLegend, createRibbon } from "../board/ribbon.js";
import { h, setAttr, stepButton } from "../browser/dom.js";
import { knownVariant } from "../net/api.js";
import { fetchSeries } from "../room/series.js";
import { list, t } from "../texts/i18n.js";
import { createSeriesRow } from "./series_row.js";

/** The review of a game that is over: slider, ribbon and list of moves. Arrow keys, Home and End step through it. */

/** @import { Dispatch, OpenState, RoomState } from "../room/state.js" */
/** @import { SeriesGame } from "../room/series.js" */
/** @import { Outcome, Position } from "../net/messages.js" */

/**
 * @typedef {{moves: readonly string[], outcome: Outcome|null, analysis: readonly Position[]|null,
 *   analysisFailed: boolean}} ReviewedGame
 */
/** @typedef {ReturnType<typeof createReview>} Review */

/**
 * Return the sentence about a ply: the move, its value, and the moves that would have kept the value.
 * @param {ReviewedGame} game
 * @param {number} ply
 */
export function plyText({ moves, outcome, analysis, analysisFailed }, ply) {
  const cell = moves[ply - 1];
  const move = cell ? t("review.move", { n: ply, cell: cellMark(cell), mark: ply % 2 ? "X" : "O" }) : t("review.start");
  if (!analysis) return analysisFailed || !outcome ? move : `${move}\u00a0·\u00a0${t("review.loading")}`;
  const value = valuesOf(analysis, outcome)[ply] ?? null;
  const plies = analysis[ply]?.verdict?.plies ?? null;
  const mistake = mistakesOf(analysis, moves, outcome).find((entry) => entry.ply === ply);
  const parts = [move];
  if (!(ply === moves.length && outcome)) {
    parts.push(
      value === null
        ? t("review.unknown")
        : value === "draw"
          ? t("review.draw")
          : plies === null
            ? t("review.win", { mark: value })
            : t("review.win.in", { mark: value, plies }),
    );
  }
  if (mistake?.held.length && mistake.held.length <= 4)
    parts.push(t("review.held", { cells: list(mistake.held.map(cellMark)) }));
  return parts.join("\u00a0·\u00a0");
}

/** The finished games of a room. */
const GAMES_OF_ROOM = {
  keyOf: (/** @type {RoomState} */ { view }) =>
    view?.game && view.game.number > 1 ? `${view.id} ${view.game.number}` : "",
  fetchGames: (/** @type {RoomState} */ { view }) => fetchSeries(/** @type {OpenState["view"]} */ (view)),
};

/**
 * @param {{dispatch: Dispatch,
 *   series?: {keyOf: (state: RoomState) => string, fetchGames: (state: RoomState) => Promise<SeriesGame[]>}}} options
 */
export function createReview({ dispatch, series = GAMES_OF_ROOM }) {
  let ply = 0;
  let last = 0;
  const ribbon = createRibbon();
  const row = createSeriesRow({ ...series, choose: (game) => dispatch({ type: "review", game }) });
  const text = h("p", { class: "ply-text", "aria-live": "polite" });
  const slider = h("input", {
    type: "range",
    min: 0,
    step: 1,
    class: "ply-slider",
    "aria-label": t("review.slider"),
    on: { input: () => step(Number(slider.value)) },
  });
  const hint = h("p", { class: "secondary", text: t("branch.hint") });
  const list = createMoveList({ step: (target) => step(target) });
  const buttons = h(
    "div",
    { class: "review-buttons" },
    stepButton(t("review.first"), "M6 5v14M19 5l-9 7 9 7", () => step(0)),
    stepButton(t("review.previous"), "M16 5l-9 7 9 7", () => step(ply - 1)),
    stepButton(t("review.next"), "M8 5l9 7-9 7", () => step(ply + 1)),
    stepButton(t("review.last"), "M18 5v14M5 5l9 7-9 7", () => step(last)),
    hint,
  );
  const element = h(
    "section",
    { class: "review", "aria-label": t("review.title") },
    row.element,
    text,
    h("div", { class: "ribbon-holder" }, ribbon.element, slider),
    createLegend(),
    buttons,
    list.element,
  );

  /** @param {number} target */
  const step = (target) => dispatch({ type: "step", ply: Math.min(Math.max(target, 0), last) });

  return {
    element,
    focus: () => slider.focus(),
    /** @param {import("../room/state.js").RoomState} state */
    draw(state) {
      const { record, analysis, analysisFailed, step: shown } = state;
      row.draw(state);
      const moves = record?.moves.map(({ cell }) => cell) ?? [];
      const outcome = record?.outcome ?? null;
      last = moves.length;
      ply = shown ?? last;
      hint.classList.toggle("void", state.legal?.cells.length === 0);
      setAttr(slider, "max", String(last));
      if (slider.value !== String(ply)) slider.value = String(ply);
      const sentence = plyText({ moves, outcome, analysis, analysisFailed }, ply);
      const variant = knownVariant(record?.variant) ?? null;
      setSentences(text, [{ text: sentence }], variant);
      setAttr(slider, "aria-valuetext", sentenceText(sentence));
      ribbon.draw(analysis, moves, outcome, ply);
      if (variant) list.draw(variant, moves, ply, mistakenPlies(analysis, moves, outcome));
    },
  };
}
