import { createPicture } from "../board/picture.js";
import { drawChildren, h, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { knownVariant } from "../net/api.js";
import { roomUrl } from "../net/urls.js";
import { MARKS } from "../net/view.js";

/** The boards of matches that are on: small pictures with the names of both entrants. A tap watches the room. */

/** @import { Board, Variant } from "../net/messages.js" */
/** @import { OpenTournament } from "./state.js" */

/** @param {Board} first @param {Variant} variant @param {boolean} isLink */
function createBoard({ room }, variant, isLink) {
  const picture = createPicture(variant);
  const names = { X: h("b", { class: "name-x" }), O: h("b", { class: "name-o" }) };
  const content = [picture.element, h("span", { class: "board-names", translate: "no" }, names.X, names.O)];
  return {
    element: h("li", {}, isLink ? pageLink(roomUrl(room), {}, ...content) : h("div", {}, ...content)),
    /** @param {Board} board */
    draw(board) {
      const { last, turn, outcome, entrants } = board;
      picture.draw({ ...board, variant, moves: last ? [last] : [] });
      for (const mark of MARKS) {
        setText(names[mark], entrants[mark].name);
        setAttr(names[mark], "data-turn", turn === mark ? "" : null);
        setAttr(names[mark], "data-won", outcome?.winner === mark ? "" : null);
      }
    },
  };
}

/** @param {boolean} [isWall] where the boards are pictures only */
export function createBoards(isWall = false) {
  const element = h("ul", { class: "tournament-boards" });
  return {
    element,
    /** An entrant stays on this page, where the next match opens. @param {OpenTournament} state */
    draw({ message: { tournament, you }, boards }) {
      const variant = knownVariant(tournament.variant);
      show(element, boards.length > 0);
      if (!variant) return;
      const create = (/** @type {Board} */ board) => createBoard(board, variant, !isWall && you.entrant === null);
      drawChildren(element, boards, ({ match }) => `${match}`, create);
    },
  };
}
