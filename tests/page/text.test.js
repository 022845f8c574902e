import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import { endParts, headline } from "../../client_web/js/room/text.js";

const SEATS = { X: { kind: "engine", level: "casual" }, O: { kind: "human", name: "Ben" } };

/** Return the first line about a game that ended, to who has this mark. */
const title = (winner, mark = null) =>
  headline({
    view: { seats: SEATS, game: { moves: [], outcome: { winner, reason: "line", cells: [] } } },
    you: { mark },
    passAndPlay: false,
    analysis: null,
  });

test("a spectator reads who won, without the mark", () => {
  assert.deepEqual(
    ["X", "O", null].map((winner) => title(winner)),
    ["Engine (casual) wins", "Ben wins", "Draw"],
  );
});

test("a player reads the end as their own", () => {
  assert.deepEqual(
    ["O", "X", null].map((winner) => title(winner, "O")),
    ["You win", "Beaten", "Even"],
  );
});

test("a draw that the board does not show begins with its reason", () => {
  const level = [{ key: "end.level", values: {} }];
  const said = (reason, winner = null) => endParts({ winner, reason, cells: [] }, level).join("");
  assert.equal(said("repetition"), "The same position occurred three times. On the board it was level.");
  assert.equal(said("abandoned"), "A player did not come back. On the board it was level.");
  for (const [reason, winner] of [["abandoned", "X"], ["full_board"], ["agreement"]])
    assert.equal(said(reason, winner), "On the board it was level.");
});
