import { button, h, setAttr, svg } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { askMinimax } from "./questions.js";
import { valueText } from "./sentences.js";
import { SIZE, smallBoard } from "./small_board.js";
import { createStage } from "./stage.js";

/** The chapter about values: the reader gives six boards +1, 0 or -1. */

/** @import { MinimaxAnswer, Variant } from "../net/messages.js" */

/** Three ends of games, and three boards on which the game goes on. */
const BOARDS = [
  "c2,b2,c1,a1,a2,c3",
  "a2,a1,b2,b3,c2",
  "b1,c2,b2,a3,c1,a1,a2,b3,c3",
  "b3,a2,a3,b1,c2,c3,a1,b2",
  "a3,b2,a2,b3,c2,c1,c3",
  "b3,b1,b2,a1,c1,a2,c2,c3",
].map((moves) => moves.split(","));
const VALUES = [1, 0, -1];
const SORT_GAP = 10;
const SORT_TOP = 34;
/** So many boards show the end of a game. */
const ENDS = 3;

/** @param {{variant: Variant, onMove: (moves: string[]) => void}} options @returns {import("./tree_chapter.js").Chapter} */
export function createValuesChapter({ variant, onMove }) {
  let shown = 0;
  let moves = BOARDS[0] ?? [];
  /** The values that the first boards have. @type {number[]} */
  let sorted = [];
  /** @type {MinimaxAnswer|null} */ let answer = null;
  const stage = createStage({
    onGo: open,
    onRestart: () => begin(),
    onStep: (steps, isNew) => void showValue(steps, isNew),
    shown: 1,
  });
  const choices = h(
    "div",
    { class: "learn-choices", role: "group", "aria-label": t("learn.values.question") },
    ...VALUES.map((value) =>
      button(
        `${valueText(value)} ${t(/** @type {"learn.values.0"} */ (`learn.values.${value}`))}`,
        () => choose(value),
        "learn-choice",
      ),
    ),
  );
  const boards = BOARDS.map((board, index) =>
    svg("g", { class: "sorted", role: "listitem", "data-board": index }, smallBoard(board)),
  );
  const width = 3 * (2 * SIZE + 2 * SORT_GAP);
  const height = SORT_TOP + SIZE + 40 + SIZE;
  const picture = svg(
    "svg",
    { class: "sorting", viewBox: `0 0 ${width} ${height}`, role: "list", "aria-label": t("learn.values.boards") },
    ...VALUES.map((value, column) =>
      svg("text", {
        class: "sorting-value",
        "aria-hidden": "true",
        x: (column + 0.5) * (width / 3),
        y: 22,
        text: valueText(value),
      }),
    ),
    ...boards,
  );
  stage.picture.append(h("div", { class: "tree-frame" }, picture));
  const element = h("div", { class: "chapter-stage" }, choices, stage.element);

  const begin = () => stage.begin(BOARDS.length);

  /** Put a position on the board. @param {string[]} newMoves */
  async function open(newMoves) {
    moves = newMoves;
    const newAnswer = await stage.ask(newMoves, askMinimax);
    if (!newAnswer) return;
    answer = newAnswer;
    drawBoard();
    onMove(moves);
  }

  function drawBoard() {
    if (!answer) return;
    stage.drawAnswer(variant, answer);
    stage.allowBack(moves.length > (BOARDS[shown] ?? moves).length, sorted.length > 0);
    for (const choice of choices.querySelectorAll("button")) choice.disabled = sorted.length === BOARDS.length;
    drawSorted();
  }

  function drawSorted() {
    const heights = new Map();
    for (const [index, node] of boards.entries()) {
      const value = sorted[index];
      const column = VALUES.indexOf(value ?? 1);
      const depth = heights.get(column) ?? 0;
      if (value !== undefined) heights.set(column, depth + 1);
      const third = width / 3;
      const x =
        value === undefined
          ? (index + 0.5) * (width / 6) - SIZE / 2
          : (column + 0.5) * third - SIZE - SORT_GAP / 2 + depth * (SIZE + SORT_GAP);
      const y = value === undefined ? height - SIZE - 4 : SORT_TOP;
      /** @type {SVGElement} */ (node).style.transform = `translate(${x}px, ${y}px)`;
      setAttr(node, "data-current", index === shown ? "" : null);
      const text = value === undefined ? t("learn.values.open") : t("learn.node.value", { value: valueText(value) });
      setAttr(node, "aria-label", `${t("learn.values.n", { n: index + 1 })}: ${text}`);
    }
  }

  /** Say whether the reader's value is right, and go on to the next board if it is. @param {number} value */
  async function choose(value) {
    stage.pause();
    const board = BOARDS[shown];
    if (!board) return;
    const answered = await askMinimax(board);
    const right = Math.sign(answered.score);
    if (board !== BOARDS[shown]) return;
    const text = valueText(value);
    if (right === value) keep(value, t("learn.values.yes", { value: text }));
    else stage.say(t(shown < ENDS ? "learn.values.no.over" : "learn.values.no", { value: text }));
  }

  /** Keep the value of the board, and go on to the next one. @param {number} value @param {string} text */
  function keep(value, text) {
    sorted = [...sorted, value];
    shown = sorted.length;
    stage.jump(shown);
    const next = BOARDS[shown];
    if (next) void open(next);
    else drawBoard();
    stage.say(next ? text : t("learn.values.end"));
  }

  /** Begin again, or give the next board its value. @param {number} _ @param {boolean} isNew */
  async function showValue(_, isNew) {
    if (!isNew) {
      sorted = [];
      shown = 0;
      void open(BOARDS[0] ?? []);
      stage.say(t("learn.values.begin"));
      return;
    }
    const board = BOARDS[shown];
    if (!board) return;
    const answered = await askMinimax(board);
    const { outcome } = answered;
    const right = Math.sign(answered.score);
    if (board !== BOARDS[shown]) return;
    const value = valueText(right);
    const key = outcome?.winner ? "learn.values.line" : outcome ? "learn.values.full" : "learn.values.leads";
    keep(right, t(key, { mark: outcome?.winner ?? "", value }));
  }

  return {
    element,
    open: begin,
    dispose: stage.dispose,
  };
}
