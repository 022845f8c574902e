import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import {
  endSentences,
  heldAt,
  knownMoves,
  mistakesOf,
  retryOf,
  valuesOf,
  wasClose,
} from "../../client_web/js/board/mistakes.js";
import { t } from "../../client_web/js/texts/i18n.js";

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

const nameOf = (mark) => ({ X: "Ann", O: "Ben" })[mark];
const DRAW = { winner: null, reason: "full_board", cells: [] };

/** Return what is said in words. */
const said = (positions, moves, outcome, you = null) =>
  endSentences(positions, moves, outcome, { you, nameOf })
    .map(({ key, values }) => t(key, values))
    .join(" ");

test("the sentence is said to the person: your move, or the name of the other", () => {
  assert.equal(said(LOST, MOVES, X_WINS, "O"), "Your a2 on move 4 let it slip: only a3 holds.");
  assert.equal(said(LOST, MOVES, X_WINS, "X"), "Ben slipped with a2: only a3 holds.");
  assert.equal(said(LOST, MOVES, X_WINS), "Ben slipped with a2: only a3 holds.");
});

test("a win that slips names the move that wins", () => {
  const positions = [at(0, "X", "draw"), at(1, "O", "loss"), at(2, "X", "win", ["c1"]), at(3, "O", "win"), at(4, null)];
  const moves = ["b2", "a2", "b1", "c1"];
  const lost = { winner: "O", reason: "line", cells: [] };
  assert.equal(said(positions, moves, lost, "X"), "Your b1 on move 3 let it slip: c1 wins.");
  assert.equal(said(positions, moves, lost, "O"), "Ann slipped with b1: c1 wins.");
});

test("a move is not called the only one that holds while others may hold too", () => {
  const positions = LOST.map((position) => ({ ...position, complete: false }));
  assert.equal(said(positions, MOVES, X_WINS, "O"), "Your a2 on move 4 let it slip. Better: a3.");
  const many = positions.map((position, ply) =>
    ply === 3 ? { ...position, best: ["a3", "b1", "b3", "c3"] } : position,
  );
  assert.equal(said(many, MOVES, X_WINS, "O"), "Your a2 on move 4 let it slip.");
});

test("a loss was close if its last error was one move ago", () => {
  assert.equal(wasClose(LOST, MOVES, X_WINS), true);
  assert.equal(
    wasClose([...LOST.slice(0, 5), at(5, "O", "loss"), at(6, "X", "win"), at(7, null)], [...MOVES, "b1", "c3"], X_WINS),
    false,
  );
  assert.equal(wasClose(null, MOVES, X_WINS), false);
  assert.equal(wasClose(LOST, MOVES, DRAW), false);
  assert.equal(wasClose(LOST, MOVES, { ...X_WINS, reason: "timeout" }), false);
});

test("a draw names a missed win, and else is a perfect game", () => {
  const positions = [
    at(0, "X", "draw"),
    at(1, "O", "loss"),
    at(2, "X", "win", ["c3"]),
    at(3, "O", "draw"),
    at(4, null),
  ];
  const moves = ["a1", "b1", "a2", "c2"];
  assert.equal(said(positions, moves, DRAW, "X"), "Your a2 on move 3 let a win slip.");
  assert.equal(said(positions, moves, DRAW, "O"), "Ann let a win slip with a2.");
  const even = [at(0, "X", "draw"), at(1, "O", "draw"), at(2, null)];
  assert.equal(said(even, ["b2", "a1"], DRAW, "O"), "A perfect game by both.");
});

test("an end that the board does not show says how, and who was winning", () => {
  const before = LOST.slice(0, 5);
  const moves = MOVES.slice(0, 4);
  const over = (reason, winner = null) => ({ reason, winner, cells: [] });
  assert.equal(said(before, moves, over("timeout", "X"), "O"), "Time ran out. On the board Ann was winning.");
  assert.equal(
    said(before.slice(0, 4), moves.slice(0, 3), over("timeout", "X"), "O"),
    "Time ran out. On the board it was level.",
  );
  assert.equal(said(before, moves, over("resignation", "O"), "X"), "You resigned. On the board you were winning.");
  assert.equal(
    said(before, moves, over("abandoned", "X"), "X"),
    "Ben did not come back. On the board you were winning.",
  );
  assert.equal(said(before, moves, over("agreement"), "X"), "You agreed on a draw in a won position.");
  assert.equal(said(before.slice(0, 4), moves.slice(0, 3), over("agreement")), "Both agreed on a draw.");
  assert.equal(said(null, moves, over("timeout", "X"), "O"), "Time ran out.");
  assert.equal(said(null, moves, over("aborted"), "O"), "");
});

test("a game that is proved in part is never called not proved", () => {
  const partly = [at(0, "X", "unknown"), at(1, "O", "loss"), at(2, "X", "win"), at(3, null)];
  assert.equal(said(partly, ["b2", "a1", "c1"], X_WINS, "X"), "From move 1 on, you were winning.");
  const early = [at(0, "X", "unknown"), at(1, "O", "draw"), at(2, "X", "unknown"), at(3, null)];
  assert.equal(said(early, ["b2", "a1", "c1"], X_WINS), "");
  const never = [at(0, "X", "unknown"), at(1, "O", "unknown"), at(2, null)];
  assert.equal(said(never, ["b2", "a1"], X_WINS), "Not proved for this game.");
  assert.equal(said(null, ["b2"], X_WINS), "Not proved for this game.");
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
