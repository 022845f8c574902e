import { cellMark } from "../board/cell_text.js";
import { button, h, setText } from "../browser/dom.js";
import { t } from "../texts/i18n.js";
import { createMoveList } from "./move_list.js";
import { askMinimax } from "./questions.js";
import { stepSentence, valueText } from "./sentences.js";
import { createStage } from "./stage.js";
import { stateAfter, stepsOf, treeOf } from "./tree.js";
import { createTreePicture } from "./tree_picture.js";

/** A chapter about the tree below a position: whole where few cells are free, else one level at a time. */

/** @import { MinimaxAnswer, Variant } from "../net/messages.js" */
/** @import { Bounds, Step, Tree } from "./tree.js" */

/** The most free cells below which the server sends a whole tree. */
const WHOLE_TREE = 4;
const CELLS = 9;

/**
 * @typedef {{key: import("../texts/i18n.js").Key, moves: string}} Beginning  a position to begin with, and its button's text
 */
/** @typedef {{element: HTMLElement, open: (moves: string[]|null) => void, dispose: () => void}} Chapter */

/**
 * @param {{variant: Variant, beginnings: readonly Beginning[], cuts?: boolean, signs?: boolean, free?: boolean,
 *   onMove: (moves: string[]) => void}} options
 *   `cuts` shows alpha-beta, `signs` shows +1 for any win of X, `free` shows what every move costs. Alpha and beta are shown
 *   once the reader asks for them
 * @returns {Chapter}
 */
export function createTreeChapter({ variant, beginnings, cuts = false, signs = false, free = false, onMove }) {
  const shown = signs ? Math.sign : (/** @type {number} */ value) => value;
  let start = movesOf(beginnings[0]);
  let moves = start;
  /** The bounds with which each position on the way down is entered, and the ply from which values count. */
  /** @type {Bounds[]} */ let way = [[-99, 99]];
  let from = start.length;
  /** @type {MinimaxAnswer|null} */ let answer = null;
  /** @type {Tree|null} */ let tree = null;
  /** @type {Step[]} */ let steps = [];
  let stepCount = 0; // of those on the picture
  const stage = createStage({
    onGo: goTo,
    onRestart: () => begin(free ? [] : start),
    onStep: drawStep,
  });
  const picture = createTreePicture({ onChoose: (chosen) => goTo(chosen) });
  const moveList = createMoveList({
    variant,
    cuts: cuts || free,
    values: free,
    onChoose: (cell) => goTo([...moves, cell]),
  });
  const choices = h(
    "div",
    { class: "learn-choices", role: "group", "aria-label": t("learn.positions") },
    ...(beginnings.length > 1
      ? beginnings.map((beginning) => button(t(beginning.key), () => begin(movesOf(beginning)), "learn-choice"))
      : []),
  );
  const legend = h("p", { class: "secondary" });
  const bounds = h("input", { type: "checkbox", on: { change: () => drawStep(stepCount, false) } });
  const boundsSwitch = h("label", { class: "switch" }, bounds, h("span", { text: t("learn.bounds") }));
  stage.picture.append(picture.element, moveList.element, legend, ...(cuts || free ? [boundsSwitch] : []));
  const element = h("div", { class: "chapter-stage" }, choices, stage.element);

  /** @param {Beginning|undefined} beginning */
  function movesOf(beginning) {
    return beginning?.moves ? beginning.moves.split(",") : [];
  }

  /** Begin at a position, from which values count. @param {string[]} newMoves */
  function begin(newMoves) {
    start = newMoves;
    from = newMoves.length;
    way = [[-99, 99]];
    moves = newMoves;
    void load();
  }

  /** Go to a position above or below. The bounds and the ply of the beginning go with it. @param {string[]} target */
  function goTo(target) {
    if (new Set(target).size < target.length) return; // a second press on a move that is made
    if (target.length < start.length) {
      begin(target);
      return;
    }
    while (moves.length > target.length) {
      moves = moves.slice(0, -1);
      way.pop();
    }
    for (const cell of target.slice(moves.length)) {
      const node = tree?.nodes.find((other) => other.moves.join() === [...moves, cell].join());
      way.push(node && node.alpha !== null && node.beta !== null ? [node.alpha, node.beta] : [-99, 99]);
      moves = [...moves, cell];
    }
    void load();
  }

  async function load() {
    stage.pause();
    const window = way.at(-1) ?? [-99, 99];
    const depth = CELLS - moves.length <= WHOLE_TREE && !free ? WHOLE_TREE : 1;
    const newAnswer = await stage.ask(moves, (asked) => askMinimax(asked, { depth, bounds: window, from }));
    if (!newAnswer) return;
    answer = newAnswer;
    tree = treeOf(newAnswer, moves, window);
    const hasPicture = depth > 1 || free;
    picture.element.hidden = !hasPicture;
    legend.hidden = boundsSwitch.hidden = !hasPicture;
    moveList.element.hidden = depth > 1 && !free;
    steps = hasPicture
      ? stepsOf(tree, cuts || free)
      : tree.nodes.slice(1).map(({ index }) => ({ kind: "return", node: index }));
    if (hasPicture) picture.show(tree);
    for (const [index, choice] of [...choices.children].entries())
      choice.setAttribute("aria-pressed", String(movesOf(beginnings[index]).join() === start.join()));
    stage.drawAnswer(variant, answer);
    stage.allowBack(moves.length > 0, free ? moves.length > 0 : moves.join() !== start.join());
    stage.begin(steps.length);
    onMove(moves);
  }

  /** @param {number} n @param {boolean} isNew */
  function drawStep(n, isNew) {
    if (!tree || !answer) return;
    stepCount = n;
    setText(legend, t(bounds.checked ? "learn.legend.bounds" : "learn.legend"));
    const states = stateAfter(tree, steps.slice(0, n), { cuts: cuts || free, shown });
    const step = steps[n - 1];
    picture.draw(states, {
      current: step?.node ?? null,
      climbs: isNew && step?.kind === "return",
      isDone: n > 0 && n === steps.length,
      hasBounds: bounds.checked,
    });
    moveList.draw(answer, picture.element.hidden ? n : steps.length, bounds.checked);
    stage.say(sentenceAt(n, states, step));
    const { minimax, alpha_beta, positions } = answer.nodes;
    stage.count(
      t(cuts || free ? "learn.nodes.both" : "learn.nodes", { n: minimax, cut: alpha_beta, different: positions }),
    );
  }

  /** @param {number} n @param {readonly import("./tree.js").NodeState[]} states @param {Step|undefined} step */
  function sentenceAt(n, states, step) {
    if (!tree || !answer) return "";
    const { outcome, turn, children } = answer;
    if (outcome) return t("learn.over", { value: valueText(shown(answer.score)) });
    if (picture.element.hidden) return countSentence(n, answer);
    if (!step) return turn ? t(`learn.begin.${turn}`) : "";
    if (n < steps.length) return stepSentence(tree, states, step);
    const best = states[0]?.best;
    const cell = (best && tree.nodes[best]?.moves.at(-1)) || (children[0]?.cell ?? "");
    return t(`learn.end.${turn ?? "X"}`, { cell: cellMark(cell), value: valueText(states[0]?.value ?? 0) });
  }

  /** Return the sentence about the moves that were counted. @param {number} n @param {MinimaxAnswer} answer */
  function countSentence(n, { children, nodes }) {
    const sum = (/** @type {"minimax"|"alpha_beta"} */ name) =>
      1 + children.slice(0, n).reduce((total, child) => total + child.nodes[name], 0);
    if (n === 0) return t("learn.count.begin");
    if (n < children.length)
      return t(cuts ? "learn.count.both" : "learn.count", {
        cell: cellMark(children[n - 1]?.cell ?? ""),
        n: sum("minimax"),
        cut: sum("alpha_beta"),
      });
    return t(cuts ? "learn.count.end.both" : "learn.count.end", { n: nodes.minimax, cut: nodes.alpha_beta });
  }

  return {
    element,
    open: (given) => begin(given ?? movesOf(beginnings[0])),
    dispose: stage.dispose,
  };
}
