import { createPicture } from "../board/picture.js";
import { drawChildren, h, setAttr, setText } from "../browser/dom.js";
import { roomUrl } from "../net/urls.js";

/** The boards of matches that are on: small pictures with the names of both entrants. A tap watches the room. */

/** @import { Board, Variant } from "../net/messages.js" */

/** @param {Variant} variant @param {{links?: boolean}} [options] without links the boards are pictures only */
export function createBoards(variant, { links = true } = {}) {
  const element = h("ul", { class: "tournament-boards" });

  /** @param {Board} first */
  function createBoard(first) {
    const picture = createPicture(variant);
    const names = { X: h("b", { class: "name-x" }), O: h("b", { class: "name-o" }) };
    const content = [picture.element, h("span", { class: "board-names", translate: "no" }, names.X, names.O)];
    const node = h(
      "li",
      {},
      links ? h("a", { href: roomUrl(first.room), "data-page-link": "" }, ...content) : h("div", {}, ...content),
    );
    /** @param {Board} board */
    function draw(board) {
      const { marks, last, turn, outcome, boards = null, forced = null, fading = null } = board;
      picture.draw({ variant, marks, moves: last ? [last] : [], turn, outcome, boards, forced, fading });
      for (const mark of /** @type {const} */ (["X", "O"])) {
        setText(names[mark], board.entrants[mark].name);
        setAttr(names[mark], "data-turn", turn === mark ? "" : null);
        setAttr(names[mark], "data-won", outcome?.winner === mark ? "" : null);
      }
    }
    return { element: node, draw };
  }

  return {
    element,
    /** @param {readonly Board[]} boards */
    draw(boards) {
      drawChildren(element, boards, (board) => `${board.match}`, createBoard);
    },
  };
}
