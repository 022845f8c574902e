import { knownMoves, reviewSentence, valuesOf } from "../board/mistakes.js";
import { createRibbon } from "../board/moves.js";
import { button, h, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { learnUrl } from "../net/urls.js";
import { can, hasStandIn, MARKS, winsOf } from "../net/view.js";
import { plural, t } from "../texts/i18n.js";
import { isOver, variantOf } from "./state.js";
import { headline, outcomeReason } from "./text.js";

/** The end of a game where the eye is: who won and how, the wins so far, one sentence of the review, and where to go on. */

/** @import { OpenState, Part, RoomContext } from "./state.js" */

/** From this ply on at most four cells of 3x3 are free, below which the page about minimax draws the whole tree. */
const WHOLE_TREE_FROM = 5;

/** @param {RoomContext} context @returns {Part} */
export function createOutcomeCard({ dispatch, share }) {
  /** @type {number|null} */
  let game = null;
  const review = () => dispatch({ type: "review", game });
  const change = () => dispatch({ type: "sheet", sheet: "change" });
  const title = h("h2", { class: "outcome" });
  const reason = h("p", { class: "outcome-reason" });
  const reviewText = h("p", { class: "review-sentence" });
  const ribbon = createRibbon();
  // The button of the review does the same for keys and screen readers.
  const ribbonHolder = h("div", { class: "card-ribbon", "aria-hidden": "true", on: { click: review } }, ribbon.element);
  const shareButton = button(t("share.game"), share, "quiet-text");
  const changeButton = button(t("change.title"), change, "quiet-text");
  const howLink = pageLink(learnUrl(), { class: "button quiet-text", text: t("learn.how") });
  const element = h(
    "section",
    { class: "outcome-card", hidden: true, "aria-label": t("outcome.card") },
    title,
    reason,
    reviewText,
    ribbonHolder,
    h("div", { class: "buttons" }, shareButton, changeButton, howLink),
  );
  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { view, you, passAndPlay } = state;
      const outcome = view.game?.outcome;
      game = view.game?.number ?? null;
      show(element, isOver(state) && state.reviewed === null && view.phase !== "closed");
      if (!outcome || element.hidden) return;
      const variant = variantOf(state);
      setText(title, headline(view, you, passAndPlay));
      setAttr(title, "data-winner", outcome.winner);
      const countText =
        you.mark || passAndPlay
          ? t("outcome.wins", { x: winsOf(view, "X"), o: winsOf(view, "O") }).replaceAll(" ", "\u00a0")
          : "";
      setText(
        reason,
        [outcomeReason(outcome, variant), countText, view.draws ? plural("draws", view.draws) : ""]
          .filter(Boolean)
          .join(" · "),
      );
      const moves = view.game?.moves ?? [];
      const { analysis } = state;
      const sentence = reviewSentence(analysis, moves, outcome);
      const isPending = analysis === null && !state.analysisFailed;
      setText(reviewText, outcome.reason === "aborted" || isPending ? "" : t(sentence.key, sentence.values));
      ribbon.draw(analysis, moves, outcome, Number(sentence.values["ply"] ?? 0));
      setAttr(
        ribbonHolder,
        "data-proved",
        analysis && valuesOf(analysis, null).some((value) => value !== null) ? "" : null,
      );
      // What 3x3 is worth can be looked at move by move: whole below four free cells, else one level at a time.
      const engine = MARKS.find((mark) => view.seats[mark]?.kind === "engine");
      show(
        howLink,
        Boolean(engine) && !hasStandIn(view, you) && view.game?.variant === "classic" && outcome.winner !== you.mark,
      );
      const position = engine ? knownMoves(analysis, moves, outcome, engine) : [];
      setAttr(howLink, "href", learnUrl(position.length >= WHOLE_TREE_FROM ? "minimax" : "free", position));
      show(shareButton, outcome.reason !== "aborted");
      show(changeButton, can(you, "set") && you.mark !== null);
    },
  };
}
