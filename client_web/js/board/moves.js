import { createChip } from "./chip.js";
import { button, drawChildren, h, setAttr } from "../browser/dom.js";
import { t } from "../texts/i18n.js";

/** The moves of a game as tiny boards. Each is a button that shows the board after it. */

/** @param {{step: (ply: number) => void}} options */
export function createMoveList({ step }) {
  const element = h("ol", { class: "move-list", "aria-label": t("review.moves") });
  let shown = -1;

  return {
    element,
    /**
     * @param {import("./layout.js").Shape} variant @param {readonly string[]} moves @param {number} ply of the board
     * @param {ReadonlySet<number>} mistakes the plies of moves that made the game worse for their player
     */
    draw(variant, moves, ply, mistakes) {
      drawChildren(
        element,
        moves.map((cell, index) => ({ cell, n: index + 1 })),
        ({ cell, n }) => `${n} ${cell} ${variant.shape}`,
        ({ cell, n }) => {
          const move = button("", () => step(n), "move");
          move.append(
            h("span", { class: "move-number", text: `${n} ` }),
            h("span", { class: "visually-hidden", text: `${n % 2 ? "X" : "O"} ` }),
            createChip(variant, cell),
          );
          setAttr(move, "data-mark", n % 2 ? "X" : "O");
          return h("li", {}, move);
        },
      );
      for (const [index, move] of element.querySelectorAll(".move").entries()) {
        const isMistake = mistakes.has(index + 1);
        setAttr(move, "aria-current", index + 1 === ply ? "step" : null);
        setAttr(move, "data-changed", isMistake ? "" : null);
        setAttr(move, "aria-description", isMistake ? t("review.mistake") : null);
      }
      if (ply === shown) return;
      shown = ply;
      follow();
    },
  };

  /** Keep the shown move in sight, without moving the page. */
  function follow() {
    const move = element.querySelector("[aria-current]");
    if (!(move instanceof HTMLElement)) return;
    element.scrollTop = move.offsetTop - element.offsetTop - (element.clientHeight - move.offsetHeight) / 2;
    element.scrollLeft = move.offsetLeft - element.offsetLeft - (element.clientWidth - move.offsetWidth) / 2;
  }
}
