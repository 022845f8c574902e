import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import { parseSeries, scoreOf, seriesText, sidesOf } from "../../client_web/js/room/series.js";

const record = (variant, cells, winner, reason = "line") => ({
  variant,
  moves: cells.map((cell) => ({ cell })),
  outcome: { winner, reason, cells: [] },
});
const GAMES = [
  { x: "a", record: record("classic", ["b2", "a1", "c1", "a2", "a3"], "X") },
  { x: "b", record: record("ultimate", ["b2.3", "a1.9"], "O", "resignation") },
  { x: "b", record: record("gomoku", ["h10", "a1"], null, "agreement") },
];
const TEXT = "series&classic.a=b2a1c1a2a3&ultimate.b=b2.3a1.9~resignation.O&gomoku.b=h10a1~agreement";

test("a link holds the games of a series, and an end that does not follow from their moves", () => {
  assert.equal(seriesText(GAMES), TEXT);
  const games = parseSeries(encodeURIComponent(TEXT));
  assert.deepEqual(
    games.map(({ variant, moves, x, over }) => [variant, moves.join(), x, over]),
    [
      ["classic", "b2,a1,c1,a2,a3", "a", null],
      ["ultimate", "b2.3,a1.9", "b", { reason: "resignation", winner: "O" }],
      ["gomoku", "h10,a1", "b", { reason: "agreement", winner: null }],
    ],
  );
});

test("the score counts players, who change marks", () => {
  assert.deepEqual(scoreOf(GAMES), { a: 2, b: 0 });
  assert.deepEqual(sidesOf(GAMES), { X: "b", O: "a" });
});

test("a link that holds no series is none", () => {
  for (const text of ["", "series", "classic=b2,a1", "series&classic.c=b2", "series&classic.a=zz", "series&%"])
    assert.equal(parseSeries(text), null, text);
});
