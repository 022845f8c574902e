import { cellMark, cellText } from "../board/cell_text.js";
import { h, svg } from "../browser/dom.js";
import { list, t } from "../texts/i18n.js";
import { askMinimax } from "./questions.js";
import { imagesOf, SIZE, smallBoard } from "./small_board.js";
import { createStage } from "./stage.js";

/** The chapter about memory: one board by two orders of moves, and its mirror images. */

/** @import { Variant } from "../net/messages.js" */

const FIRST_ORDER = ["a1", "b2", "c2"];
/** So many moves can be made in another order: no game is over after them. */
const MOVES = 3;
const ORDER_GAP = 26;
const LEFT = 8;
const ORDER_TOP = 26;
const WIDTH = LEFT * 2 + (MOVES + 1) * SIZE + MOVES * ORDER_GAP + 90;
const HEIGHT = ORDER_TOP * 2 + SIZE * 2 + 34 + 150;

/** @param {{variant: Variant, onMove: (moves: string[]) => void}} options @returns {import("./tree_chapter.js").Chapter} */
export function createMemoryChapter({ variant, onMove }) {
  /** @type {string[]} */ let moves = [];
  const stage = createStage({
    onGo: open,
    onRestart: () => void open([]),
    onStep: drawStep,
  });
  const picture = svg("svg", {
    class: "orders",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "list",
    "aria-label": t("learn.orders"),
  });
  stage.picture.append(h("div", { class: "tree-frame" }, picture));
  const element = h("div", { class: "chapter-stage" }, stage.element);

  /** Return the reader's first moves, or others while there are too few. */
  const firstOrder = () => (moves.length >= MOVES ? moves.slice(0, MOVES) : FIRST_ORDER);

  /** @param {string[]} newMoves */
  async function open(newMoves) {
    moves = newMoves;
    const answer = await stage.ask(newMoves, askMinimax);
    if (!answer) return;
    const { nodes } = answer;
    stage.drawAnswer(variant, answer);
    stage.allowBack(moves.length > 0, moves.length > 0);
    stage.count(t("learn.orders.nodes", { n: nodes.minimax, different: nodes.positions }));
    stage.begin(MOVES + 3);
    onMove(moves);
  }

  /** @param {readonly string[]} board @param {number} x @param {number} y @param {string} label @param {string} [name] */
  function boardAt(board, x, y, label, name = "") {
    const node = svg("g", { class: `order-board ${name}`, role: "listitem", "aria-label": label }, smallBoard(board));
    node.style.transform = `translate(${x}px, ${y}px)`;
    return node;
  }

  /** @param {number} n @param {boolean} isNew */
  function drawStep(n, isNew) {
    const first = firstOrder();
    const second = [...first].reverse();
    const shown = Math.min(n, MOVES);
    const right = LEFT + (MOVES + 1) * (SIZE + ORDER_GAP) + 20;
    /** @type {SVGElement[]} */ const nodes = [];
    for (const [index, order] of [first, second].entries()) {
      const y = ORDER_TOP + index * (SIZE + 34);
      for (let ply = 0; ply <= shown; ply++) {
        const isMerged = n > MOVES && ply === MOVES;
        const x = isMerged ? right : LEFT + ply * (SIZE + ORDER_GAP);
        const label = t("learn.orders.board", { n: index + 1, moves: list(order.slice(0, ply).map(cellText)) });
        if (!isMerged || index === 0)
          nodes.push(
            boardAt(
              order.slice(0, ply),
              x,
              isMerged ? ORDER_TOP + (SIZE + 34) / 2 : y,
              label,
              isNew && ply === n ? "coming" : "",
            ),
          );
      }
      if (n > MOVES) {
        const from = LEFT + MOVES * SIZE + (MOVES - 1) * ORDER_GAP + 4;
        nodes.push(
          svg("path", {
            class: "edge",
            "data-state": "best",
            "aria-hidden": "true",
            d: `M${from} ${y + SIZE / 2}C${from + 40} ${y + SIZE / 2} ${right - 50} ${ORDER_TOP + (SIZE + 34) / 2 + SIZE / 2} ${right - 6} ${ORDER_TOP + (SIZE + 34) / 2 + SIZE / 2}`,
          }),
        );
      }
    }
    if (n > MOVES + 1) nodes.push(...imageNodes(n, isNew));
    picture.replaceChildren(...nodes);
    stage.say(sentenceAt(n));
  }

  /** @param {number} n @param {boolean} isNew */
  function imageNodes(n, isNew) {
    const images = imagesOf(firstOrder());
    const isFolded = n === MOVES + 3;
    return images.map((image, index) => {
      const [column, row] = [index % 4, Math.floor(index / 4)];
      const x = isFolded ? LEFT : LEFT + column * (SIZE + ORDER_GAP);
      const y = ORDER_TOP * 2 + SIZE * 2 + 40 + (isFolded ? 0 : row * (SIZE + 14));
      const node = boardAt(image, x, y, t("learn.orders.image", { n: index + 1 }), isNew ? "coming" : "");
      if (isFolded && isNew) {
        node.style.setProperty("--from-x", `${column * (SIZE + ORDER_GAP)}px`);
        node.style.setProperty("--from-y", `${row * (SIZE + 14)}px`);
        node.setAttribute("class", "order-board folding");
      }
      return node;
    });
  }

  /** @param {number} n */
  function sentenceAt(n) {
    const first = firstOrder();
    if (n === 0) return t("learn.orders.begin");
    if (n <= MOVES)
      return t("learn.orders.step", { cell: cellMark(first[n - 1] ?? ""), other: cellMark(first[MOVES - n] ?? "") });
    if (n === MOVES + 1) return t("learn.orders.same");
    const count = imagesOf(first).length;
    return t(n === MOVES + 2 ? "learn.orders.images" : "learn.orders.folded", { n: count });
  }

  return {
    element,
    open: (given) => void open(given ?? FIRST_ORDER),
    dispose: stage.dispose,
  };
}
