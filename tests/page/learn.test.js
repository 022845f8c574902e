import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import { sentenceText } from "../../client_web/js/board/cell_text.js";
import { stepSentence, valueText } from "../../client_web/js/learn/sentences.js";
import { imagesOf, marksAfter } from "../../client_web/js/learn/small_board.js";
import { nodeForKey, OPEN_BOUNDS, stateAfter, stepsOf, treeOf } from "../../client_web/js/learn/tree.js";
import { learnUrl } from "../../client_web/js/net/urls.js";
import { addTexts } from "../../client_web/js/texts/i18n.js";

await addTexts("learn");
const COUNTS = { minimax: 1, alpha_beta: 1, positions: 1 };
const wins = (mark) => ({ winner: mark, reason: "line", cells: ["a1", "b1", "c1"] });
const FULL = { winner: null, reason: "full_board", cells: [] };
/** A move as the server answers it. */
const child = (cell, score, window, more = {}) => ({
  cell,
  score,
  nodes: COUNTS,
  alpha: window?.[0] ?? null,
  beta: window?.[1] ?? null,
  pruned: !window,
  returned: window ? score : null,
  outcome: null,
  children: [],
  ...more,
});

/** X to move: b1 draws. After a3 and b3, O wins at once, so alpha-beta cuts the other answer. */
const ANSWER = {
  turn: "X",
  outcome: null,
  score: 0,
  nodes: { minimax: 8, alpha_beta: 6, positions: 8 },
  children: [
    child("b1", 0, [-99, 99], { children: [child("a3", 0, [-99, 99], { outcome: FULL })] }),
    child("a3", -8, [0, 99], {
      children: [child("b1", -8, [0, 99], { outcome: wins("O") }), child("b3", 0, null, { outcome: FULL })],
    }),
    child("b3", -8, [0, 99], {
      children: [child("b1", -8, [0, 99], { outcome: wins("O") }), child("a3", 7, null, { outcome: FULL })],
    }),
  ],
};
const MOVES = ["c3", "c2", "b2", "c1", "a2", "a1"];
const tree = treeOf(ANSWER, MOVES);
const score = (value) => value;
const at = (n, cuts, shown = score) => {
  const steps = stepsOf(tree, cuts);
  return { steps, states: stateAfter(tree, steps.slice(0, n), { cuts, shown }) };
};

test("a tree has every board once, each over its ends", () => {
  assert.equal(tree.nodes.length, 9);
  assert.deepEqual([tree.columns, tree.levels], [5, 3]);
  const last = tree.nodes.at(-1);
  assert.deepEqual(last?.moves, [...MOVES, "b3", "a3"]);
  assert.equal(last?.turn, null);
  assert.deepEqual(
    tree.nodes[0]?.children.map((index) => tree.nodes[index]?.column),
    [0, 1.5, 3.5],
  );
});

test("minimax hands every value up, and ends with the best", () => {
  const { steps, states } = at(Number.POSITIVE_INFINITY, false);
  assert.equal(steps.length, tree.nodes.length - 1);
  assert.ok(steps.every(({ kind }) => kind === "return"));
  assert.deepEqual([states[0]?.value, tree.nodes[states[0]?.best ?? -1]?.moves.at(-1)], [0, "b1"]);
  assert.ok(states.every(({ isEntered, isCut }) => isEntered && !isCut));
});

test("wins count +1 while only the winner matters", () => {
  const { states } = at(Number.POSITIVE_INFINITY, false, Math.sign);
  assert.deepEqual(
    states.map(({ value }) => value),
    [0, 0, 0, -1, -1, 0, -1, -1, 1],
  );
});

test("alpha-beta enters with its window, and cuts what it never enters", () => {
  const { steps, states } = at(Number.POSITIVE_INFINITY, true);
  assert.deepEqual(
    steps.map(({ kind, node }) => `${kind} ${node}`),
    [
      "enter 1",
      "return 2",
      "return 1",
      "enter 3",
      "return 4",
      "cut 3",
      "return 3",
      "enter 6",
      "return 7",
      "cut 6",
      "return 6",
    ],
  );
  assert.deepEqual(
    states.map(({ isCut }) => isCut),
    [false, false, false, false, false, true, false, false, true],
  );
  assert.deepEqual(states[3]?.bounds, [0, -8]);
  assert.deepEqual(at(4, true).states[3]?.bounds, [0, 99]);
  assert.deepEqual(at(0, true).states[0]?.bounds, OPEN_BOUNDS);
});

test("each step has its sentence", () => {
  const { steps } = at(0, true);
  const sentences = steps.map((step, index) => sentenceText(stepSentence(tree, at(index + 1, true).states, step)));
  assert.equal(sentences[0], "row 1, column 2: look below it. Nothing is known yet.");
  assert.equal(sentences[1], "row 3, column 1 fills the board, a draw: 0. O chooses the lowest: 0 so far.");
  assert.equal(sentences[3], "row 3, column 1: look below it. X already has 0 elsewhere.");
  assert.equal(sentences[4], "row 1, column 2 gives O a line: −8. O chooses the lowest: −8 so far.");
  assert.equal(sentences[5], "Cut! O can get −8 here, and X already has 0 elsewhere. So X will not come here.");
  assert.equal(valueText(7), "+7");
});

test("arrow keys lead up, down and along a level", () => {
  assert.equal(nodeForKey(tree, 0, "ArrowDown"), 1);
  assert.equal(nodeForKey(tree, 1, "ArrowRight"), 3);
  assert.equal(nodeForKey(tree, 6, "ArrowRight"), 6);
  assert.equal(nodeForKey(tree, 3, "ArrowLeft"), 1);
  assert.equal(nodeForKey(tree, 4, "ArrowUp"), 3);
  assert.equal(nodeForKey(tree, 0, "ArrowUp"), 0);
  assert.equal(nodeForKey(tree, 4, "Home"), 0);
  assert.equal(nodeForKey(tree, 0, "End"), 8);
  assert.equal(nodeForKey(tree, 0, "x"), null);
});

test("a board has as many images as its symmetry leaves", () => {
  assert.equal(imagesOf(["a1", "b2", "c2"]).length, 8);
  assert.equal(imagesOf(["b2"]).length, 1);
  assert.equal(imagesOf(["a1"]).length, 4);
  assert.deepEqual(marksAfter(["a1", "b2"]), { a1: "X", b2: "O" });
});

test("the link of a chapter holds its position", () => {
  assert.ok(learnUrl().endsWith("learn"));
  assert.ok(learnUrl("alpha-beta", ["a1", "b2"]).endsWith("learn#alpha-beta=a1,b2"));
});
