import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import { sentenceText } from "../../client_web/js/board/cell_text.js";
import {
  avoidableOf,
  endSentences,
  heldAt,
  knownMoves,
  mistakesOf,
  valuesOf,
  wasClose,
} from "../../client_web/js/board/mistakes.js";
import { t } from "../../client_web/js/texts/i18n.js";

const at = (ply, turn, value, best = [], plies = null) => ({
  ply,
  turn,
  best,
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
    { ply: 4, cell: "a2", mark: "O", before: "draw", after: "X", held: ["a3"] },
  ]);
});

const nameOf = (mark) => ({ X: "Ann", O: "Ben" })[mark];
const DRAW = { winner: null, reason: "full_board", cells: [] };

/** Return what is said in words. */
const said = (positions, moves, outcome, you = null, variant = FLAT) =>
  endSentences(positions, moves, outcome, { you, nameOf, variant })
    .map(({ key, values }) => sentenceText(t(key, values)))
    .join(" ");
const FLAT = { misere: false, gravity: false, nested: false };

test("the sentence is said to the person, and points at the move that left a line open", () => {
  assert.equal(said(LOST, MOVES, X_WINS, "O"), "With row 2, column 1, you left a line open.");
  assert.equal(said(LOST, MOVES, X_WINS, "X"), "With row 2, column 1, Ben left a line open.");
  assert.equal(said(LOST, MOVES, X_WINS), "With row 2, column 1, Ben left a line open.");
  assert.equal(endSentences(LOST, MOVES, X_WINS, { you: "O", nameOf, variant: FLAT })[0].values.ply, 4);
});

test("an early error is not told where a later move could still have saved the game", () => {
  const early = [
    at(0, "X", "draw"),
    at(1, "O", "draw"),
    at(2, "X", "win"),
    at(3, "O", "loss", [], 6),
    ...LOST.slice(4),
  ];
  assert.equal(avoidableOf(early, MOVES, X_WINS)?.ply, 4);
  assert.equal(avoidableOf([...early.slice(0, 3), at(3, "O", "unknown"), ...LOST.slice(4)], MOVES, X_WINS)?.ply, 4);
  assert.equal(avoidableOf(null, MOVES, X_WINS), null);
  assert.equal(avoidableOf(LOST, MOVES, { ...X_WINS, reason: "resignation" }), null);
});

test("a loser who could have won at once missed a win", () => {
  const positions = [
    at(0, "X", "draw"),
    at(1, "O", "loss"),
    at(2, "X", "win", ["c1"]),
    at(3, "O", "win", [], 1),
    at(4, null),
  ];
  const lost = { winner: "O", reason: "line", cells: [] };
  assert.equal(said(positions, ["b2", "a2", "b1", "c1"], lost, "X"), "With row 1, column 2, you missed a win.");
});

test("in misère the loser's own line ended the game, with another move at hand or without one", () => {
  const positions = [at(0, "X", "draw"), at(1, "O", "draw"), at(2, "X", "loss", [], 3), at(3, "O", "win", [], 2)];
  const last = (plies) => [...positions, at(4, "X", "loss", [], plies), at(5, null)];
  const lost = { winner: "O", reason: "line", cells: [] };
  const misere = { ...FLAT, misere: true };
  const moves = ["a1", "b2", "a2", "c3", "a3"];
  assert.equal(
    said(last(3), moves, lost, "X", misere),
    "With row 3, column 1, you closed a line. You had another move.",
  );
  assert.equal(said(last(1), moves, lost, "X", misere), "");
});

test("two threats at once are shown by the move that made them, but to the loser who could have avoided them", () => {
  const moves = ["a1", "b2", "c3", "a3", "c1", "c2", "b1"];
  const fork = (before) => [
    at(0, "X", "draw"),
    at(1, "O", "draw"),
    at(2, "X", "draw"),
    at(3, "O", before, [], before === "loss" ? 4 : null),
    at(4, "X", "win", [], 3),
    at(5, "O", "loss", [], 2),
    at(6, "X", "win", [], 1),
    at(7, null),
  ];
  const two = "Two threats at once: row 1, column 3.";
  assert.equal(said(fork("draw"), moves, X_WINS, "X"), two);
  assert.equal(said(fork("draw"), moves, X_WINS), two);
  assert.equal(said(fork("draw"), moves, X_WINS, "O"), "After your row 3, column 1, every move lost.");
  assert.equal(said(fork("loss"), moves, X_WINS, "O"), two);
  const rack = { ...FLAT, gravity: true };
  assert.equal(said(fork("draw"), moves, X_WINS, "X", rack), "After row 3, column 1 by Ben, every move lost.");
  assert.equal(said(fork("loss"), moves, X_WINS, "X", rack), "");
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
  assert.equal(said(positions, moves, DRAW, "X"), "With row 2, column 1, you missed a win.");
  assert.equal(said(positions, moves, DRAW, "O"), "With row 2, column 1, Ann missed a win.");
  const even = [at(0, "X", "draw"), at(1, "O", "draw"), at(2, null)];
  assert.equal(said(even, ["b2", "a1"], DRAW, "O"), "A perfect game: nobody made a mistake.");
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
  assert.equal(
    said(before, moves, over("agreement"), "X"),
    "You agreed on a draw, although one of you could have won.",
  );
  assert.equal(said(before.slice(0, 4), moves.slice(0, 3), over("agreement")), "Both agreed on a draw.");
  assert.equal(said(null, moves, over("timeout", "X"), "O"), "Time ran out.");
  assert.equal(said(null, moves, over("aborted"), "O"), "");
});

test("of a game nothing is said that is not proved", () => {
  const partly = [at(0, "X", "unknown"), at(1, "O", "loss"), at(2, "X", "win"), at(3, null)];
  assert.equal(said(partly, ["b2", "a1", "c1"], X_WINS, "X"), "");
  const never = [at(0, "X", "unknown"), at(1, "O", "unknown"), at(2, "X", "unknown"), at(3, null)];
  assert.equal(said(never, ["b2", "a1", "c1"], X_WINS), "");
  assert.equal(said(never, ["b2", "a1", "c1"], DRAW), "");
  assert.equal(said(null, ["b2"], X_WINS), "");
});

test("in a lost position no move holds", () => {
  assert.deepEqual(heldAt([at(0, "X", "loss", ["a1", "b1"])], 0), []);
  assert.deepEqual(heldAt(LOST, 3), ["a3"]);
  assert.deepEqual(heldAt(null, 3), []);
});

test("the engine knew the outcome after the other player's mistake, or late in the game", () => {
  assert.deepEqual(knownMoves(LOST, MOVES, X_WINS, "X"), MOVES.slice(0, 4));
  assert.deepEqual(knownMoves(null, MOVES, X_WINS, "X"), MOVES.slice(0, 4));
  const draw = { winner: null, reason: "full_board", cells: [] };
  const full = ["a1", "b2", "c3", "b1", "b3", "a3", "c1", "c2", "a2"];
  assert.deepEqual(knownMoves(null, full, draw, "O"), full.slice(0, 5));
  assert.deepEqual(knownMoves(null, full, draw, "X"), full.slice(0, 6));
});
