import assert from "node:assert/strict";
import { test } from "node:test";

import { replayAt } from "../../client_web/js/replay.js";

const move = (cell, mark, removed = null, decided = null) => ({ cell, mark, by: null, at_ms: null, removed, decided });

test("a ply shows its marks, and the outcome only at the end", () => {
  const outcome = { winner: "X", reason: "line", cells: ["a1", "a2", "a3"] };
  const record = {
    variant: "classic",
    number: 1,
    players: null,
    moves: [move("a1", "X"), move("b1", "O"), move("a2", "X")],
    outcome,
  };
  assert.deepEqual(replayAt(record, 0), { marks: {}, boards: null, moves: [], fading: null, outcome: null });
  assert.deepEqual(replayAt(record, 2).marks, { a1: "X", b1: "O" });
  assert.equal(replayAt(record, 2).outcome, null);
  assert.equal(replayAt(record, 3).outcome, outcome);
});

test("a move takes away the mark that leaves, which is fading before", () => {
  const record = {
    variant: "vanishing",
    number: 1,
    players: null,
    moves: [move("a1", "X"), move("b1", "O"), move("c3", "X", "a1")],
    outcome: null,
  };
  assert.equal(replayAt(record, 2).fading, "a1");
  assert.deepEqual(replayAt(record, 3).marks, { b1: "O", c3: "X" });
});

test("decided boards stay decided", () => {
  const record = {
    variant: "ultimate",
    number: 1,
    players: null,
    moves: [move("a1", "X", null, { board: 0, by: "X" }), move("d1", "O", null, { board: 1, by: "draw" })],
    outcome: null,
  };
  assert.deepEqual(replayAt(record, 2).boards?.slice(0, 3), ["X", "draw", null]);
});
