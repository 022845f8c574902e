import assert from "node:assert/strict";
import { test } from "node:test";

import { gameText, parseGame } from "../../client_web/js/links.js";

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
