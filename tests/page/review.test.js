import assert from "node:assert/strict";
import { test } from "node:test";
import { addTexts } from "../../client_web/js/texts/i18n.js";
import "./support/texts.js";

import { plyText } from "../../client_web/js/review/review.js";

await addTexts("server");
const game = { moves: ["b2", "a1"], outcome: null, analysis: null, analysisFailed: false, step: null };
const outcome = { winner: "X", reason: "resignation", cells: [] };

test("a game that is on has no values to wait for", () => {
  assert.equal(plyText(game, 2), "2. O a1");
  assert.equal(plyText({ ...game, outcome }, 2), "2. O a1\u00a0·\u00a0looking at the moves…");
  assert.equal(plyText({ ...game, outcome, analysisFailed: true }, 2), "2. O a1");
});

test("the review leaves the move that held to a player who searches for it", () => {
  const position = (ply, turn, value, best = []) => ({
    ply,
    turn,
    best,
    complete: true,
    verdict: turn ? { value, plies: null, proof: "exact" } : null,
  });
  const analysis = [
    position(0, "X", "draw"),
    position(1, "O", "draw", ["b2"]),
    position(2, "X", "win"),
    position(3, null, ""),
  ];
  const lost = { ...game, moves: ["a1", "b1", "a2"], outcome, analysis };
  const trying = { ...lost, retry: "open" };
  assert.equal(plyText(trying, 1), "1. X a1\u00a0·\u00a0O to move: only one move held. Find it on the board.");
  assert.equal(plyText(trying, 2), "2. O b1\u00a0·\u00a0X wins");
  for (const retry of [null, "found"])
    assert.equal(plyText({ ...lost, retry }, 2), "2. O b1\u00a0·\u00a0X wins\u00a0·\u00a0better: b2");
});
