import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import { plyText } from "../../client_web/js/review/review.js";

const game = { moves: ["b2", "a1"], outcome: null, analysis: null, analysisFailed: false, step: null };
const outcome = { winner: "X", reason: "resignation", cells: [] };

test("a game that is on has no values to wait for", () => {
  assert.equal(plyText(game, 2), "2. O a1");
  assert.equal(plyText({ ...game, outcome }, 2), "2. O a1 · looking at the moves…");
  assert.equal(plyText({ ...game, outcome, analysisFailed: true }, 2), "2. O a1");
});
