import assert from "node:assert/strict";
import { test } from "node:test";

import { isOpen, isSolved, isWrong, NO_PUZZLE, shownPosition, update } from "../../client_web/js/puzzle/state.js";

const puzzle = { id: "p1", turn: "X" };
const right = (reply, done = false) => ({ right: true, done, reply, position: { after: reply } });
const play = (state, cell, judgement) =>
  update(update(state, { type: "try", cell }), { type: "judged", cell, judgement });

test("a line goes on after a right move and its reply, and ends solved", () => {
  let state = play(update(NO_PUZZLE, { type: "begin", puzzle }), "b2", right("a1"));
  assert.deepEqual([state.tried, state.pending, isOpen(state)], [["b2", "a1"], null, true]);
  state = play(state, "c1", right(null, true));
  assert.deepEqual([state.tried, isOpen(state), isSolved(state)], [["b2", "a1", "c1"], false, true]);
});

test("a wrong move is on the board until it is lifted, and then the solver goes on from the last right one", () => {
  const reached = right("a1");
  const wrong = { right: false, done: false, position: { after: "b3" } };
  let state = play(play(update(NO_PUZZLE, { type: "begin", puzzle }), "b2", reached), "c3", wrong);
  assert.deepEqual([state.tried, isWrong(state), isOpen(state)], [["b2", "a1"], true, false]);
  assert.equal(shownPosition(state), wrong.position);
  state = update(state, { type: "lift", judgement: wrong });
  assert.deepEqual([isOpen(state), shownPosition(state)], [true, reached.position]);
  state = play(state, "a3", { ...wrong });
  assert.deepEqual(update(state, { type: "lift", judgement: wrong }), state); // of the move before
  assert.deepEqual(state.tries, [true, false, false]);
});

test("a try that reaches no server changes nothing", () => {
  const begun = update(NO_PUZZLE, { type: "begin", puzzle });
  assert.deepEqual(play(begun, "b2", null), begun);
});
