import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/texts.js";

import { sentenceText } from "../../client_web/js/board/cell_text.js";
import { endOf, headline } from "../../client_web/js/room/text.js";

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
    ["Otto wins", "Ben wins", "Draw"],
  );
  const engines = { X: SEATS.X, O: { kind: "engine", level: "expert" } };
  const outcome = { winner: "O", reason: "line", cells: [] };
  const view = { seats: engines, game: { moves: [], outcome } };
  assert.equal(headline({ view, you: { mark: null }, analysis: null }), "O wins");
});

test("a player reads the end as their own", () => {
  assert.deepEqual(
    ["O", "X", null].map((winner) => title(winner, "O")),
    ["You win", "Beaten", "Even"],
  );
});

test("a draw that the board does not show begins with its reason", () => {
  const said = (reason, winner = null) =>
    endOf({
      variants: [],
      view: { seats: SEATS, game: { moves: [], outcome: { winner, reason, cells: [] } } },
      you: { mark: null },
      analysis: [{ turn: "X", verdict: { value: "draw" }, best: [] }],
    })
      .map(({ text }) => text)
      .join(" ");
  const perfect = "A perfect game: nobody made a mistake.";
  assert.equal(said("repetition"), `The same position occurred three times. ${perfect}`);
  assert.equal(said("abandoned"), "A player did not come back. On the board it was level.");
  assert.equal(said("abandoned", "X"), "Ben did not come back. On the board it was level.");
  assert.equal(said("full_board"), perfect);
  assert.equal(said("agreement"), "Both agreed on a draw.");
});

/** Return what is said about a game of vanishing that b1 begins and X wins. */
const endSentencesOf = (view, value = "loss") => {
  const outcome = { winner: "X", reason: "line", cells: [] };
  const game = { moves: ["b1", "a1", "b2", "a2", "b3"], outcome };
  const verdicts = ["win", value, null, null, null, null];
  const analysis = verdicts.map((known, ply) => ({
    turn: ply === 5 ? null : "XO"[ply % 2],
    best: [],
    verdict: known && { value: known, plies: null },
  }));
  const ended = { seats: SEATS, game, series: null, score: [], ...view };
  return endOf({ variants: [], view: ended, you: { mark: null }, analysis }).map(({ text }) => sentenceText(text));
};

test("with the swap rule the end says what the first move was worth, where that is proved", () => {
  const gift = "With the swap rule, row 1, column 2 was a gift: the side that takes it wins.";
  assert.equal(endSentencesOf({ swap: true })[0], gift);
  assert.match(endSentencesOf({ swap: true }, "win")[0], /column 2 was a mistake/);
  assert.match(endSentencesOf({ swap: true }, "draw")[0], /column 2 was a fair start/);
  assert.doesNotMatch(endSentencesOf({ swap: true }, "unknown").join(), /swap rule/);
  assert.doesNotMatch(endSentencesOf({ swap: false }).join(), /swap rule/);
});

test("a series that no side could win by its number says why it ends", () => {
  const series = { first_to: 2, games: 6, winner: null, over: true };
  const even = "A series to 2 ends after 6 games.";
  assert.equal(endSentencesOf({ series })[0], even);
  const score = [{ player: "p_ben", wins: 2 }];
  const seats = { ...SEATS, O: { kind: "human", player: "p_ben", name: "Ben" } };
  assert.doesNotMatch(endSentencesOf({ series: { ...series, winner: "p_ben" }, seats, score }).join(), /ends after/);
  const view = {
    seats: SEATS,
    series,
    game: { moves: [], outcome: { winner: null, reason: "full_board", cells: [] } },
  };
  assert.equal(headline({ view, you: { mark: null }, passAndPlay: false, analysis: null }), "The series is even");
});
