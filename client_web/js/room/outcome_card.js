import { setSentences } from "../board/chip.js";
import { knownMoves, valuesOf } from "../board/mistakes.js";
import { createLegend, createRibbon } from "../board/ribbon.js";
import { button, h, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { learnUrl } from "../net/urls.js";
import { can, hasStandIn, MARKS } from "../net/view.js";
import { plural, t } from "../texts/i18n.js";
import { isOver, variantOf } from "./state.js";
import { endOf, headline } from "./text.js";

/** The end of a game where the eye is: what it is to you, what decided it, the ribbon, and where to go on. */

/** @import { OpenState, RoomContext } from "./state.js" */

/** From this ply on at most four cells of 3x3 are free, below which the page about minimax draws the whole tree. */
const WHOLE_TREE_FROM = 5;
/** The plies of a game from which on the ribbon says more than the sentence, and the games that explain it. */
const RIBBON_FROM = 10;
const EXPLAINED_GAMES = 3;
const GLIMPSE_MS = 2000;

/** @param {RoomContext} context */
export function createOutcomeCard({ dispatch, share }) {
  /** @type {number|null} */
  let game = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  const title = h("h2", { class: "outcome" });
  const draws = h("span", { class: "draws" });
  const sentence = h("p", { class: "review-sentence" });
  const ribbon = createRibbon();
  const legend = createLegend();
  // The button of the review does the same for keys and screen readers.
  const ribbonHolder = h(
    "div",
    { class: "card-ribbon", "aria-hidden": "true", on: { click: openReview } },
    ribbon.element,
    legend,
  );
  const shareButton = button(t("share.game"), share, "quiet-text");
  const changeButton = button(t("sheet.change"), () => dispatch({ type: "sheet", sheet: "change" }), "quiet-text");
  const howLink = pageLink(learnUrl(), { class: "button quiet-text", text: t("learn.how") });
  const element = h(
    "section",
    { class: "outcome-card", hidden: true, "aria-label": t("outcome.card") },
    h("div", { class: "outcome-line" }, title, draws),
    sentence,
    ribbonHolder,
    h("div", { class: "buttons" }, shareButton, changeButton, howLink),
  );

  /** Open the review at the move that was touched. @param {MouseEvent} event */
  function openReview({ clientX }) {
    dispatch({ type: "review", game });
    const ply = ribbon.plyAt(clientX);
    if (ply !== null) dispatch({ type: "step", ply });
  }

  /** Show for a moment the move that a sentence is about. @param {number} ply */
  function point(ply) {
    clearTimeout(timer);
    dispatch({ type: "glimpse", ply });
    timer = setTimeout(() => dispatch({ type: "glimpse", ply: null }), GLIMPSE_MS);
  }

  return {
    element,
    dispose: () => clearTimeout(timer),
    /** @param {OpenState} state */
    draw(state) {
      const { view, you, analysis } = state;
      const outcome = view.game?.outcome;
      game = view.game?.number ?? null;
      show(element, isOver(state) && state.reviewed === null && view.phase !== "closed");
      if (!outcome || element.hidden) return;
      setText(title, headline(state));
      title.style.setProperty("--letters", String(title.textContent?.length));
      setAttr(title, "data-winner", outcome.winner);
      setText(draws, view.draws ? plural("draws", view.draws) : "");
      const moves = view.game?.moves ?? [];
      const sentences = endOf(state);
      const isPending = analysis === null && !state.analysisFailed;
      setSentences(sentence, isPending ? [] : sentences, variantOf(state), point);
      show(ribbonHolder, moves.length >= RIBBON_FROM && !variantOf(state)?.nested); // of ultimate nothing is proved
      show(legend, (game ?? 0) <= EXPLAINED_GAMES);
      ribbon.draw(analysis, moves, outcome, sentences.at(-1)?.ply ?? 0);
      setAttr(
        ribbonHolder,
        "data-proved",
        analysis && valuesOf(analysis, null).some((value) => value !== null) ? "" : null,
      );
      // What 3x3 is worth can be looked at move by move: whole below four free cells, else one level at a time.
      const engine = MARKS.find((mark) => view.seats[mark]?.kind === "engine");
      show(
        howLink,
        Boolean(engine) &&
          !hasStandIn(view, you) &&
          view.game?.variant === "classic" &&
          moves.length > 1 &&
          outcome.winner === engine,
      );
      const position = engine ? knownMoves(analysis, moves, outcome, engine) : [];
      setAttr(howLink, "href", learnUrl(position.length >= WHOLE_TREE_FROM ? "minimax" : "free", position));
      show(shareButton, outcome.reason !== "aborted");
      show(changeButton, can(you, "set") && you.mark !== null);
    },
  };
}
