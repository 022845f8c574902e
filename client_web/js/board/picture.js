import { setAttr, svg } from "../browser/dom.js";
import { wantsNoMotion } from "../browser/preferences.js";
import { createGround, createRackFront, createSmallBoards } from "./ground.js";
import { createHighlights } from "./highlights.js";
import { boxOf, centreOf, coordinatesOf, layoutOf, smallBoardOf } from "./layout.js";
import { createMark } from "./marks.js";
import { createPointer } from "./pointer.js";

/**
 * The picture of a board: one SVG that is a function of the position. It serves the live board, which adds its
 * cells, the pictures of the games, the review and a picture to share. Drawing the same position twice changes nothing.
 */

/** @import { Game, Mark } from "../net/messages.js" */
/** @import { Shape } from "./layout.js" */

/**
 * @typedef {{variant: Shape, marks: Record<string, Mark>, moves?: readonly string[], legal?: readonly string[],
 *   turn?: Mark|null, outcome?: {winner: Mark|null, cells: readonly string[]}|null, fading?: string|null,
 *   boards?: readonly (Mark|"draw"|null)[]|null, forced?: number|null, mark?: Mark|null, pending?: string|null,
 *   queued?: boolean, rings?: readonly string[], pulses?: boolean, lifted?: string|null, still?: boolean, slanted?: boolean, layerNames?: readonly string[]}}
 *   Position
 *   Most of it is a GAME of the protocol. `mark` is the mark that a click would add, or null. `pending` is the cell of
 *   a move that the server has not answered; `queued` means that it was not sent yet. `rings` are cells to ring; `pulses` lets the rings pulse.
 *   `lifted` is a cell whose mark is hollow and breathes.
 *   `still` draws without motion.
 */

const FORMS = /** @type {const} */ ({
  lines: "strokes",
  layers: "strokes",
  nested: "strokes",
  rack: "disc",
  crossings: "stone",
});
/** More rings than this are small, because they would cover the position. */
const MAX_RINGS = 6;
/** With more changes than this at once, such as another game, nothing moves. */
const MAX_CHANGES = 3;

/** @param {Position} position */
const newestOf = ({ pending, moves }) => pending ?? moves?.at(-1) ?? null;

/** Return the mark that leaves after the one that leaves next. @param {Position} position */
function agingOf({ variant, fading, moves = [] }) {
  const kept = variant.marks_kept;
  return fading && kept !== null ? (moves.at(1 - 2 * kept) ?? null) : null;
}

/** @param {Shape} variant @param {{slanted?: boolean, layerNames?: readonly string[]}} [options] */
export function createPicture(variant, { slanted = false, layerNames = ["1", "2", "3", "4"] } = {}) {
  const layout = layoutOf(variant, slanted);
  const form = FORMS[layout.style];
  const isNested = layout.style === "nested";
  const isRack = layout.style === "rack";
  const group = (/** @type {string} */ name) => svg("g", { class: name });
  const patches = group("patches");
  const under = group("under");
  const falling = group("falling");
  const marksGroup = group("marks");
  const over = group("over");
  const pointer = createPointer(layout, form);
  const smallBoards = isNested ? createSmallBoards(layout) : null;
  const rings = group("rings");
  const drawing = svg(
    "g",
    { "aria-hidden": "true" },
    createGround(layout, layerNames),
    ...(smallBoards?.grounds ?? []),
    patches,
    ...(isNested ? [] : [under]),
    falling,
    ...(isRack ? [createRackFront(layout), over] : []),
    marksGroup,
    ...(smallBoards ? [under, smallBoards.marks] : []),
    ...(isRack ? [] : [over]),
    pointer.element,
    rings,
  );
  const viewBox = `-4 -4 ${layout.width + 8} ${layout.height + 8}`;
  const element = svg(
    "svg",
    { class: "board-picture", "data-style": layout.style, viewBox, "aria-hidden": "true" },
    drawing,
  );
  /** @type {Map<string, {mark: Mark, node: Element}>} */
  const drawnMarks = new Map();
  /** The content of each group that is replaced only when it changes, because its animations would start again. @type {Map<Element, string>} */
  const shownIn = new Map();
  let isFirst = true;

  /** Return whether a group shows something else, and keep what it shows from now on. @param {Element} node @param {string} content */
  function isNew(node, content) {
    if ((shownIn.get(node) ?? "") === content) return false;
    shownIn.set(node, content);
    return true;
  }

  /** @param {string} cell @returns {string|null} the transform of the cell's box of 100 */
  function transformOf(cell) {
    const coordinates = coordinatesOf(cell);
    return coordinates && boxOf(layout, coordinates);
  }

  /** @param {Position} position @param {boolean} isMoving */
  function drawMarks(position, isMoving) {
    const { marks, pending, mark: nextMark, turn, fading = null, lifted = null, queued = false } = position;
    const wanted = new Map(Object.entries(marks));
    const pendingMark = nextMark ?? turn;
    if (pending && pendingMark) wanted.set(pending, pendingMark);
    const added = [...wanted].filter(([cell, mark]) => drawnMarks.get(cell)?.mark !== mark);
    const removed = [...drawnMarks].filter(([cell, { mark }]) => wanted.get(cell) !== mark);
    const animates = isMoving && added.length + removed.length <= MAX_CHANGES;
    for (const [cell, { node }] of removed) {
      drawnMarks.delete(cell);
      if (animates) leave(node);
      else node.remove();
    }
    for (const [cell, mark] of added) addMark(cell, mark, animates);
    const line = [...(position.outcome?.cells ?? [])];
    const aging = agingOf(position);
    const isDecided = (/** @type {string} */ cell) =>
      Boolean(position.boards?.[smallBoardOf(layout, coordinatesOf(cell) ?? { column: 0, row: 0 })]);
    for (const [cell, { node }] of drawnMarks) {
      node.classList.toggle("hollow", cell === fading || cell === lifted || (queued && cell === pending));
      node.classList.toggle("lifted", cell === lifted);
      node.classList.toggle("aging", cell === aging);
      node.classList.toggle("in-line", line.includes(cell));
      /** @type {SVGElement} */ (node).style.setProperty("--nth", String(line.indexOf(cell)));
      if (isNested) node.classList.toggle("in-decided", isDecided(cell));
    }
    element.classList.toggle("has-line", line.length > 0 && !position.variant.misere);
  }

  /** @param {string} cell @param {Mark} mark @param {boolean} animates */
  function addMark(cell, mark, animates) {
    const transform = transformOf(cell);
    if (!transform) return;
    const node = createMark(mark, form, transform, layout.matrix);
    setAttr(node, "data-of", cell);
    drawnMarks.set(cell, { mark, node });
    if (animates) node.classList.add("entering");
    if (animates && isRack) {
      const body = /** @type {SVGElement} */ (node.firstElementChild);
      body.style.setProperty("--rows", String((coordinatesOf(cell)?.row ?? 0) + 1));
      falling.append(node);
      body.addEventListener(
        "animationend",
        () => {
          if (node.isConnected) marksGroup.append(node); // over the rack and the highlighter
          node.classList.remove("entering");
        },
        { once: true },
      );
    } else marksGroup.append(node);
  }

  /** Run the strokes of a mark backwards, then remove it. @param {Element} node */
  function leave(node) {
    node.classList.remove("entering");
    node.classList.add("leaving");
    node.addEventListener("animationend", () => node.remove());
  }

  /** @param {Position} position */
  function drawNewest(position) {
    const cell = position.outcome?.cells.length ? null : newestOf(position);
    const mark = cell && drawnMarks.get(cell)?.mark;
    const transform = cell && transformOf(cell);
    if (!isNew(patches, cell && mark ? cell + mark : "")) return;
    const shape =
      form === "strokes"
        ? svg("rect", { x: 7, y: 7, width: 86, height: 86, rx: 15 })
        : form === "disc"
          ? svg("circle", { cx: 50, cy: 50, r: 47 })
          : svg("circle", { cx: 50, cy: 50, r: 13 });
    const nodes =
      transform && mark ? [svg("g", { class: `patch ${mark.toLowerCase()} ${form}`, transform }, shape)] : [];
    if (form === "strokes") patches.replaceChildren(...nodes);
    else {
      for (const old of over.querySelectorAll(".patch")) old.remove();
      over.append(...nodes);
    }
  }

  /** @param {Position} position */
  function drawLine({ outcome, variant: { misere }, moves, marks }) {
    const cells = outcome?.cells ?? [];
    const last = moves?.at(-1) ?? cells[0] ?? null;
    const completedBy = (last && marks[last]) || outcome?.winner || "X";
    if (!isNew(under, cells.length ? cells.join() + last : "")) return;
    const highlights = cells.length
      ? createHighlights(layout, cells, last, completedBy.toLowerCase(), misere)
      : { under: [], over: [] };
    under.replaceChildren(...highlights.under);
    over.replaceChildren(...highlights.over);
  }

  /** @param {Position} position */
  function drawRings({ rings: cells = [], pulses = false }) {
    setAttr(rings, "data-pulses", pulses ? "" : null);
    if (!isNew(rings, cells.join())) return;
    setAttr(rings, "data-many", cells.length > MAX_RINGS ? "" : null);
    rings.replaceChildren(
      ...cells.map((cell) =>
        svg("g", { transform: transformOf(cell) ?? "" }, svg("circle", { cx: 50, cy: 50, r: 37 })),
      ),
    );
  }

  /** Draw something for a moment over the board. @param {Element} node */
  function showOnce(node) {
    drawing.append(node);
    node.addEventListener("animationend", ({ target }) => target === node && node.remove());
  }

  return {
    element,
    layout,
    /**
     * Show once how a game ended: strokes that fly out of the end of a won line, or for a draw, "=" over the board.
     * A solved puzzle need not end the game: then the strokes fly out of its newest mark.
     * @param {"won"|"lost"|"draw"|"seen"|"solved"} ending
     */
    async celebrate(ending) {
      if (wantsNoMotion()) return;
      const { createBurst, createEquals } = await import("../board/celebration.js");
      if (ending === "draw") showOnce(createEquals(layout));
      const marks = [...drawnMarks];
      const end = marks.findLast(([, { node }]) => node.matches(".in-line"));
      const [cell, newest] = end ?? ((ending === "solved" && marks.at(-1)) || []);
      const last = (ending === "won" || ending === "solved") && coordinatesOf(cell ?? "");
      // In misère the winner's mark is not that of the line.
      const isX = (newest?.mark === "X") !== (end !== undefined && variant.misere);
      if (last) showOnce(createBurst(isX ? "X" : "O", centreOf(layout, last), layout));
    },
    /** Show what the pointer, the finger or the focus is about. */
    point: pointer.point,
    /** @param {Position} position */
    draw(position) {
      drawMarks(position, !isFirst && !position.still);
      drawLine(position);
      drawNewest(position);
      smallBoards?.draw(position, isFirst);
      drawRings(position);
      isFirst = false;
    },
  };
}

/** Return what a game of the protocol shows. @param {Shape} variant @param {Game|null} game @returns {Position} */
export const positionOf = (variant, game) => ({ marks: {}, ...game, variant });
