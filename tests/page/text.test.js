import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import { headline } from "../../client_web/js/room/text.js";

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
