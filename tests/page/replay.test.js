import assert from "node:assert/strict";
import { test } from "node:test";

import { boardEmoji } from "../../client_web/js/board/emoji.js";
import { gameText, parseGame, replayAt } from "../../client_web/js/board/replay.js";

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

const MOVES = ["b2", "a1", "c1"];

test("a link names an end that does not follow from the moves", () => {
  assert.equal(gameText("classic", MOVES, { reason: "line", winner: "X" }), "classic=b2,a1,c1");
  assert.equal(
    gameText("classic", MOVES, { reason: "resignation", winner: "O" }),
    "classic=b2,a1,c1&over=resignation,O",
  );
  assert.equal(gameText("classic", MOVES, { reason: "agreement", winner: null }), "classic=b2,a1,c1&over=agreement");
});

test("a link is read as it was written", () => {
  for (const outcome of [null, { reason: "resignation", winner: "O" }, { reason: "agreement", winner: null }]) {
    assert.deepEqual(parseGame("#" + gameText("qubic", ["b2.3", "a1.1"], outcome)), {
      variant: "qubic",
      moves: ["b2.3", "a1.1"],
      over: outcome,
    });
  }
});

test("a link that is no game is rejected", () => {
  const texts = [
    "",
    "#",
    "#=b2",
    "#classic=<b>",
    "#classic=b2,&over=<b>,X",
    "#classic=b2&over=resignation,Z",
    "#%",
    "#" + "a".repeat(50) + "=b2",
    "#classic=" + "b2,".repeat(400),
  ];
  for (const text of texts) assert.equal(parseGame(text), null, text);
});

test("a board as a message has an emoji for each cell", () => {
  assert.equal(boardEmoji([3, 3], { b2: "X", a1: "O" }), "🟧⬜⬜\n⬜🟦⬜\n⬜⬜⬜");
  assert.equal(boardEmoji([2, 2, 2], { "a1.2": "X" }), "⬜⬜\n⬜⬜\n\n🟦⬜\n⬜⬜");
});
