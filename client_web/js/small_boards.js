import { innerLines } from "./board_ground.js";
import { BOARD_GAP, CELL, offsetOf, pointOf, smallBoardOf } from "./board_layout.js";
import { setAttr, svg } from "./dom.js";
import { coordinatesOf } from "./geometry.js";
import { createMark } from "./marks.js";

/** The small boards of one large: which may be played in, which are decided, and the large marks of their owners. */

/** @typedef {import("./messages.js").Mark} Mark */
/** @typedef {import("./board_layout.js").Layout} Layout */
/** @typedef {import("./board_picture.js").Position} Position */

const LARGE_MARK_MARGIN = 24;

/** @param {Layout} layout */
export function createSmallBoards(layout) {
  const along = layout.columns / layout.small;
  const grounds = Array.from({ length: along * along }, (_, index) =>
    createSmallBoard(layout, index % along, Math.floor(index / along)),
  );
  const marks = svg("g", { class: "large" });
  /** @type {Map<number, {owner: Mark, node: Element}>} by the number of the small board */
  const largeMarks = new Map();
  let drawnKey = "";

  /** @param {readonly string[]} cells */
  const boardsOf = (cells) =>
    new Set(cells.map((cell) => smallBoardOf(layout, coordinatesOf(cell) ?? { column: 0, row: 0 })));

  /** @param {readonly (Mark|"draw"|null)[]} boards @param {ReadonlySet<number>} inLine @param {boolean} isFirst */
  function drawLargeMarks(boards, inLine, isFirst) {
    grounds.forEach((_, index) => {
      const owner = boards[index];
      const drawn = largeMarks.get(index);
      if (drawn && drawn.owner !== owner) {
        drawn.node.remove();
        largeMarks.delete(index);
      }
      if ((owner === "X" || owner === "O") && !largeMarks.has(index)) {
        const corner = (/** @type {number} */ board) => offsetOf(layout, board * layout.small) + LARGE_MARK_MARGIN;
        const { x, y } = pointOf(layout, 0, corner(index % along), corner(Math.floor(index / along)));
        const scale = (layout.small * CELL - 2 * LARGE_MARK_MARGIN) / CELL;
        const node = createMark(owner, "strokes", `translate(${x} ${y}) scale(${scale})`);
        if (!isFirst) node.classList.add("entering");
        largeMarks.set(index, { owner, node });
        marks.append(node);
      }
      largeMarks.get(index)?.node.classList.toggle("in-line", inLine.has(index));
    });
  }

  return {
    /** What lies under the marks of the cells. */
    grounds,
    /** The large marks, over them. */
    marks,
    /** @param {Position} position @param {boolean} isFirst whether nothing was drawn before, so that nothing moves */
    draw({ boards, forced = null, legal = [], turn, outcome }, isFirst) {
      const playable = boardsOf(legal);
      const key = JSON.stringify([boards, forced, [...playable], turn, outcome?.cells]);
      if (key === drawnKey) return;
      drawnKey = key;
      grounds.forEach((node, index) => {
        const owner = boards?.[index] ?? null;
        const isPlayable = !outcome && (playable.size ? playable.has(index) : forced === index);
        const names = [
          "small-board",
          ...(owner ? ["decided", owner.toLowerCase()] : []),
          ...(isPlayable ? ["playable"] : []),
        ];
        setAttr(node, "class", names.join(" "));
        setAttr(node, "data-turn", isPlayable && turn ? turn : null);
      });
      drawLargeMarks(boards ?? [], boardsOf(outcome?.cells ?? []), isFirst);
    },
  };
}

/**
 * Create one small board of many: its ground, its lines, a hatch that shows once it is drawn, and the frame inside its edge.
 * @param {Layout} layout @param {number} column among the boards @param {number} row
 */
function createSmallBoard(layout, column, row) {
  const { small, origins } = layout;
  const { x = 0, y = 0 } = origins[0] ?? {};
  const size = small * CELL + 2 * 8;
  const group = svg("g", {
    class: "small-board",
    transform: `translate(${x + offsetOf(layout, column * small) - 8} ${y + offsetOf(layout, row * small) - 8})`,
  });
  let hatch = "";
  for (let i = BOARD_GAP; i < 2 * size; i += BOARD_GAP) {
    const [from, to] = [Math.max(8, i - size + 8), Math.min(size - 8, i - 8)];
    if (to > from) hatch += `M${from} ${i - from}L${to} ${i - to}`;
  }
  group.append(
    svg("rect", { class: "small-ground", width: size, height: size, rx: 22 }),
    svg("path", { class: "grid-line", d: innerLines(small, small, 10), transform: "translate(8 8)" }),
    svg("path", { class: "hatch", d: hatch }),
    svg("rect", { class: "frame", x: 5, y: 5, width: size - 10, height: size - 10, rx: 18 }),
  );
  return group;
}
