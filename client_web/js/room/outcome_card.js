import { knownMoves, valuesOf } from "../board/mistakes.js";
import { createLegend, createRibbon } from "../board/moves.js";
import { button, h, pageLink, setAttr, setParts, setText, show } from "../browser/dom.js";
import { learnUrl } from "../net/urls.js";
import { can, hasStandIn, MARKS } from "../net/view.js";
import { plural, t } from "../texts/i18n.js";
import { isOver } from "./state.js";
import { endOf, endParts, headline } from "./text.js";

/** The end of a game where the eye is: what it is to you, what decided it, the ribbon, and where to go on. */

/** @import { OpenState, Part, RoomContext } from "./state.js" */

/** From this ply on at most four cells of 3x3 are free, below which the page about minimax draws the whole tree. */
const WHOLE_TREE_FROM = 5;

/** @param {RoomContext} context @returns {Part} */
export function createOutcomeCard({ dispatch, share }) {
  /** @type {number|null} */
  let game = null;
  const title = h("h2", { class: "outcome" });
  const draws = h("span", { class: "draws" });
  const sentence = h("p", { class: "review-sentence" });
  const ribbon = createRibbon();
  // The button of the review does the same for keys and screen readers.
  const ribbonHolder = h(
    "div",
    { class: "card-ribbon", "aria-hidden": "true", on: { click: openReview } },
    ribbon.element,
    createLegend(),
  );
  const shareButton = button(t("share.game"), share, "quiet-text");
  const changeButton = button(t("change.title"), () => dispatch({ type: "sheet", sheet: "change" }), "quiet-text");
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

  return {
    element,
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
      setParts(sentence, isPending ? [] : endParts(outcome, sentences));
      ribbon.draw(analysis, moves, outcome, Number(sentences.at(-1)?.values["ply"] ?? 0));
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
          outcome.winner !== you.mark,
      );
      const position = engine ? knownMoves(analysis, moves, outcome, engine) : [];
      setAttr(howLink, "href", learnUrl(position.length >= WHOLE_TREE_FROM ? "minimax" : "free", position));
      show(shareButton, outcome.reason !== "aborted");
      show(changeButton, can(you, "set") && you.mark !== null);
    },
  };
}
