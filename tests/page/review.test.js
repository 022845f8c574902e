import assert from "node:assert/strict";
import { test } from "node:test";
import { addTexts } from "../../client_web/js/texts/i18n.js";
import "./support/texts.js";

import { sentenceText } from "../../client_web/js/board/cell_text.js";
import { plyText as markedText } from "../../client_web/js/review/review.js";

await addTexts("server");
const plyText = (game, ply) => sentenceText(markedText(game, ply));
const game = { moves: ["b2", "a1"], outcome: null, analysis: null, analysisFailed: false, step: null };
const outcome = { winner: "X", reason: "resignation", cells: [] };

test("a game that is on has no values to wait for", () => {
  assert.equal(plyText(game, 2), "2. O row 1, column 1");
  assert.equal(plyText({ ...game, outcome }, 2), "2. O row 1, column 1\u00a0·\u00a0looking at the moves…");
  assert.equal(plyText({ ...game, outcome, analysisFailed: true }, 2), "2. O row 1, column 1");
});

test("the review says the value of a move, and what was better", () => {
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
  assert.equal(plyText(lost, 1), "1. X row 1, column 1\u00a0·\u00a0a draw");
  assert.equal(plyText(lost, 2), "2. O row 1, column 2\u00a0·\u00a0X wins\u00a0·\u00a0better: row 2, column 2");
});
