import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import {
  heldAt,
  knownMoves,
  mistakesOf,
  retryOf,
  reviewSentence,
  valuesOf,
} from "../../client_web/js/board/mistakes.js";

const at = (ply, turn, value, best = [], plies = null, complete = true) => ({
  ply,
  turn,
  best,
  complete,
  verdict: turn ? { value, plies, proof: value === "unknown" ? "none" : "exact" } : null,
});
const MOVES = ["b2", "a1", "c1", "a2", "a3"];
/** b2,a1,c1,a2,a3: O's a2 loses a drawn game, in which only a3 held. */
const LOST = [
  at(0, "X", "draw", ["a1", "b2"]),
  at(1, "O", "draw", ["a1", "c1"]),
  at(2, "X", "draw", ["c1"]),
  at(3, "O", "draw", ["a3"]),
  at(4, "X", "win", ["a3"], 1),
  at(5, null),
];
const X_WINS = { winner: "X", reason: "line", cells: ["a3", "b2", "c1"] };

test("values are winners, and the last one is the outcome", () => {
  assert.deepEqual(valuesOf(LOST, X_WINS), ["draw", "draw", "draw", "draw", "X", "X"]);
});

test("a move that changes the value is a mistake of its player", () => {
  assert.deepEqual(mistakesOf(LOST, MOVES, X_WINS), [
    { ply: 4, cell: "a2", mark: "O", before: "draw", after: "X", held: ["a3"], complete: true },
  ]);
});

test("the sentence names the move that lost, and the only one that held", () => {
  assert.deepEqual(reviewSentence(LOST, MOVES, X_WINS), {
    key: "review.lost.draw.only",
    values: { cell: "a2", ply: 4, held: "a3" },
  });
});

test("a move is not called the only one that held while others may hold too", () => {
  const positions = LOST.map((position) => ({ ...position, complete: false }));
  assert.deepEqual(reviewSentence(positions, MOVES, X_WINS), {
    key: "review.lost.draw.held",
    values: { cell: "a2", ply: 4, held: "a3" },
  });
});

test("a draw names a missed win", () => {
  const positions = [
    at(0, "X", "draw"),
    at(1, "O", "loss"),
    at(2, "X", "win", ["c3"]),
    at(3, "O", "draw"),
    at(4, null),
  ];
  const draw = { winner: null, reason: "full_board", cells: [] };
  assert.deepEqual(reviewSentence(positions, ["a1", "b1", "a2", "c2"], draw), {
    key: "review.missed",
    values: { cell: "a2", ply: 3 },
  });
});

test("a game without mistakes says so", () => {
  const positions = [at(0, "X", "draw"), at(1, "O", "draw"), at(2, null)];
  assert.equal(
    reviewSentence(positions, ["b2", "a1"], { winner: null, reason: "full_board", cells: [] }).key,
    "review.none",
  );
});

test("an unknown value gives no sentence about a move", () => {
  const positions = [at(0, "X", "unknown"), at(1, "O", "draw"), at(2, "X", "unknown"), at(3, null)];
  assert.equal(reviewSentence(positions, ["b2", "a1", "c1"], X_WINS).key, "review.unproved");
  assert.equal(reviewSentence(null, ["b2"], X_WINS).key, "review.unproved");
});

test("in a lost position no move holds", () => {
  assert.deepEqual(heldAt([at(0, "X", "loss", ["a1", "b1"])], 0), []);
  assert.deepEqual(heldAt(LOST, 3), ["a3"]);
  assert.deepEqual(heldAt(null, 3), []);
});

test("the move that lost can be tried again where exactly one move is proved to have held", () => {
  assert.deepEqual([retryOf(LOST, MOVES, X_WINS)?.ply, retryOf(LOST, MOVES, X_WINS)?.held], [4, ["a3"]]);
  const incomplete = LOST.map((position) => ({ ...position, complete: false }));
  assert.equal(retryOf(incomplete, MOVES, X_WINS), null);
  const several = LOST.map((position) => ({ ...position, best: [...position.best, "c3"] }));
  assert.equal(retryOf(several, MOVES, X_WINS), null);
  assert.equal(retryOf(null, MOVES, X_WINS), null);
  assert.equal(retryOf(LOST, MOVES, { winner: null, reason: "agreement", cells: [] }), null);
});

test("the engine knew the outcome after the other player's mistake, or late in the game", () => {
  assert.deepEqual(knownMoves(LOST, MOVES, X_WINS, "X"), MOVES.slice(0, 4));
  assert.deepEqual(knownMoves(null, MOVES, X_WINS, "X"), MOVES.slice(0, 4));
  const draw = { winner: null, reason: "full_board", cells: [] };
  const full = ["a1", "b2", "c3", "b1", "b3", "a3", "c1", "c2", "a2"];
  assert.deepEqual(knownMoves(null, full, draw, "O"), full.slice(0, 5));
  assert.deepEqual(knownMoves(null, full, draw, "X"), full.slice(0, 6));
});
