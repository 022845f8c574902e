import assert from "node:assert/strict";
import { test } from "node:test";

import { isOpen, isSolved, NO_PUZZLE, update } from "../../client_web/js/puzzle/state.js";

const puzzle = { id: "p1", turn: "X" };
const right = (reply, done = false) => ({ right: true, done, reply });
const play = (state, cell, judgement) =>
  update(update(state, { type: "try", cell }), { type: "judged", cell, judgement });

test("a line goes on after a right move and its reply, and ends solved", () => {
  let state = play(update(NO_PUZZLE, { type: "begin", puzzle }), "b2", right("a1"));
  assert.deepEqual([state.tried, state.pending, isOpen(state)], [["b2", "a1"], null, true]);
  state = play(state, "c1", right(null, true));
  assert.deepEqual([state.tried, isOpen(state), isSolved(state)], [["b2", "a1", "c1"], false, true]);
});

test("a wrong move leads back to where the solver was right", () => {
  const reached = right("a1");
  const state = play(play(update(NO_PUZZLE, { type: "begin", puzzle }), "b2", reached), "c3", { right: false });
  assert.deepEqual([state.tried, state.cell, isOpen(state)], [["b2", "a1"], "c3", false]);
  assert.equal(update(state, { type: "again" }).judgement, reached);
});

test("a try that reaches no server changes nothing", () => {
  const begun = update(NO_PUZZLE, { type: "begin", puzzle });
  assert.deepEqual(play(begun, "b2", null), begun);
});
