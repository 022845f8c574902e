import { button, h, setAttr, setText, show } from "./dom.js";
import { plural, t } from "./i18n.js";
import { truthOf, valuesOf } from "./mistakes.js";
import { createRibbon } from "./ribbon.js";
import { headline, outcomeReason } from "./room_text.js";
import { isOver, variantOf } from "./room_state.js";
import { can, winsOf } from "./view.js";

/** The end of a game where the eye is: who won and how, the wins so far, one sentence of truth, and where to go on. */

/** @typedef {import("./room_state.js").OpenState} OpenState */

/** @param {{share: () => void, change: () => void, review: () => void}} options */
export function createOutcomeCard({ share, change, review }) {
  const title = h("h2", { class: "outcome" });
  const reason = h("p", { class: "outcome-reason" });
  const truth = h("p", { class: "truth" });
  const ribbon = createRibbon();
  // The button of the review does the same for keys and screen readers.
  const ribbonHolder = h("div", { class: "card-ribbon", "aria-hidden": "true", on: { click: review } }, ribbon.element);
  const shareButton = button(t("share.game"), share, "quiet-text");
  const changeButton = button(t("change.title"), change, "quiet-text");
  const element = h(
    "section",
    { class: "outcome-card", hidden: true, "aria-label": t("outcome.card") },
    title,
    reason,
    truth,
    ribbonHolder,
    h("div", { class: "buttons" }, shareButton, changeButton),
  );
  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { view, you, passAndPlay } = state;
      const outcome = view.game?.outcome;
      show(element, isOver(state));
      if (!outcome) return;
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
      const sentence = truthOf(analysis, moves, outcome);
      const isPending = analysis === null && !state.analysisFailed;
      setText(truth, outcome.reason === "aborted" || isPending ? "" : t(sentence.key, sentence.values));
      ribbon.draw(analysis, moves, outcome, Number(sentence.values["ply"] ?? 0));
      setAttr(
        ribbonHolder,
        "data-proved",
        analysis && valuesOf(analysis, null).some((value) => value !== null) ? "" : null,
      );
      show(shareButton, outcome.reason !== "aborted");
      show(changeButton, can(you, "set") && you.mark !== null);
    },
  };
}
