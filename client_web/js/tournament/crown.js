import { markPicture } from "../board/marks.js";
import { h, linkInput, pageLink, show, svg } from "../browser/dom.js";
import { joinPath, tournamentLink } from "../net/urls.js";
import { createPageNote } from "../room/view.js";
import { createShareButtons } from "../room/invitations.js";
import { t } from "../texts/i18n.js";
import { winnersOf } from "./text.js";

/** The end of a tournament for its winner: a crown, and marks that fall over the screen once. And the page of one that is gone. */

/** @import { OpenTournament } from "./state.js" */

const CONFETTI = 40;
const CROWN = "M12 84 4 26l26 22L50 12l20 36 26-22-8 58z";

/** Create marks that fall over the screen once. */
function createConfetti() {
  const marks = Array.from({ length: CONFETTI }, (_, n) => {
    const node = markPicture();
    node.style.setProperty("--left", `${(n * 61) % 100}%`);
    node.style.setProperty("--delay", `${(n * 37) % 30}00ms`);
    node.style.setProperty("--turn", `${((n * 97) % 5) - 2}turn`);
    return node;
  });
  return h("div", { class: "confetti", "aria-hidden": "true" }, ...marks);
}

/** Return the crown, and the marks that fall around it. */
export const createCrown = () => [
  createConfetti(),
  svg("svg", { class: "wall-crown", viewBox: "0 0 100 100", "aria-hidden": "true" }, svg("path", { d: CROWN })),
];

/** Create the winner's own moment on the page of a tournament. @param {string} id */
export function createOwnCrown(id) {
  const element = h("div", { class: "own-crown", hidden: true });
  return {
    element,
    /** @param {OpenTournament} state */
    draw({ message: { tournament, top, you } }) {
      const isWinner =
        tournament.state === "over" &&
        winnersOf(top).some(({ entrant }) => entrant === you.entrant && entrant !== null);
      show(element, isWinner);
      if (!isWinner || element.childElementCount) return;
      const output = linkInput(t("share.link"));
      show(output, false);
      const content = () => ({ text: `${tournament.name}: ${t("tournament.won.you")}`, url: tournamentLink(id) });
      element.append(...createCrown(), ...createShareButtons(content, output, t("share.copy")), output);
    },
  };
}

/** Create the page of a tournament that does not exist. */
export const createMissingNote = () =>
  createPageNote(
    t("tournament.unknown"),
    t("tournament.unknown.why"),
    pageLink(joinPath(), { class: "button primary", text: t("tournament.join.title") }),
  );
