import assert from "node:assert/strict";
import { test } from "node:test";

import {
  boardsWanted,
  createTournamentState,
  isBoardShown,
  isWaiting,
  matchesWanted,
  rowsOf,
  rowsWanted,
  update,
  waysToJoin,
} from "../../client_web/js/tournament/state.js";

const YOU = { entrant: null, host: false, match: null, row: null, can: [] };
const message = (you = {}, tournament = {}) => ({
  type: "message",
  message: {
    tournament: { state: "running", mode: "arena", bell_ms: 10_000, names_free: null, bots: "no", ...tournament },
    you: { ...YOU, ...you },
  },
});
const NEW = createTournamentState("");
const PLAYING = { entrant: 1, match: { n: 3 } };

test("the reader's board is shown until the reader looks at the standings, and again with the next match", () => {
  let state = update(update(NEW, message(PLAYING)), { type: "match", isOpen: true, isBetweenGames: false });
  assert.ok(isBoardShown(state));
  state = update(state, { type: "away", isAway: true });
  assert.ok(!isBoardShown(state));
  assert.ok(!isBoardShown(update(state, message(PLAYING))));
  assert.ok(isBoardShown(update(state, message({ entrant: 1, match: { n: 4 } }))));
  assert.equal(update(state, { type: "match", isOpen: false, isBetweenGames: false }).isAway, false);
});

test("boards of others are shown beside the standings only", () => {
  assert.equal(boardsWanted(NEW), 0);
  assert.equal(boardsWanted(update(NEW, message())), 6);
  assert.equal(boardsWanted(update(NEW, message({ entrant: 1 }))), 2);
  assert.equal(boardsWanted(update(NEW, message({}, { state: "open" }))), 0);
  const open = update(update(NEW, message(PLAYING)), { type: "match", isOpen: true, isBetweenGames: false });
  assert.equal(boardsWanted(open), 0);
});

test("the form is for those who know the PIN, or for a host who wants to play too", () => {
  const stranger = update(NEW, message());
  assert.equal(waysToJoin(stranger).mayEnter, false);
  assert.equal(waysToJoin({ ...stranger, pin: "123456" }).mayEnter, true);
  assert.equal(waysToJoin({ ...stranger, pin: "123456", nowMs: 10_000 }).mayEnter, false);
  const host = update(NEW, message({ host: true }));
  assert.equal(waysToJoin(host).mayPlayToo, true);
  assert.deepEqual(
    ["mayEnter", "mayPlayToo"].map((way) => waysToJoin(update(host, { type: "play_too" }))[way]),
    [true, false],
  );
  assert.equal(waysToJoin(update(NEW, message({ entrant: 1, row: { state: "removed" } }))).mayReturn, true);
});

test("the screen stays on while an entrant waits for the next game, and not during one", () => {
  const entrant = update(NEW, message({ entrant: 1, can: ["leave", "pause"] }));
  const during = (isOpen, isBetweenGames) => isWaiting(update(entrant, { type: "match", isOpen, isBetweenGames }));
  assert.deepEqual([isWaiting(entrant), during(true, false), during(true, true)], [true, false, true]);
  assert.equal(isWaiting(update(NEW, message({ entrant: 1, can: ["leave", "resume"] }))), false);
  assert.equal(isWaiting(update(NEW, message({ entrant: 1, can: ["leave", "pause"] }, { state: "open" }))), false);
});

test("a page reads the rows and matches that its message has no room for, and a wall those that it shows", () => {
  const open = (you, tournament, more = {}) =>
    update(NEW, {
      type: "message",
      message: { ...message(you, { entrants: 60, ...tournament }).message, top: [], ...more },
    });
  const wanted = (state, isWall = false) => [rowsWanted(state, isWall), matchesWanted(state, isWall)];
  const arena = open({}, {});
  assert.deepEqual(wanted(arena), [0, 0]);
  assert.deepEqual(wanted(update(arena, { type: "all_rows" })), [512, 0]);
  const list = update(arena, { type: "list", isOpen: true });
  assert.deepEqual(wanted(list), [0, 100]);
  assert.deepEqual(wanted(update(list, { type: "more_matches" })), [0, 200]);
  assert.deepEqual(wanted(open({ entrant: 1 }, { state: "over" })), [0, 2_000]);
  assert.deepEqual(wanted(open({}, { mode: "round_robin" })), [40, Infinity]);
  assert.deepEqual(wanted(open({}, { mode: "knockout" })), [0, Infinity]);
  assert.deepEqual(wanted(open({}, { mode: "knockout" }), true), [0, Infinity]);
  assert.deepEqual(wanted(open({}, { mode: "round_robin" }), true), [0, 0]);
  assert.deepEqual(wanted(open({}, { state: "open" }), true), [100, 0]);
  const rows = { top: [{ entrant: 1 }], around: [{ entrant: 1 }, { entrant: 7 }] };
  const read = update(open({}, {}, rows), { type: "rows", rows: [1, 2, 3].map((entrant) => ({ entrant })) });
  assert.deepEqual(rowsOf(read), [{ entrant: 1 }, { entrant: 7 }]);
  assert.deepEqual(rowsOf(read, true), [{ entrant: 1 }, { entrant: 2 }, { entrant: 3 }]);
});

test("the matches are listed at the end for those who were not in it", () => {
  const over = (you) =>
    update(update(NEW, message(you, { mode: "knockout" })), message(you, { mode: "knockout", state: "over" }));
  assert.deepEqual([over({}).isListOpen, over({ entrant: 1 }).isListOpen], [true, false]);
  const closed = update(over({}), { type: "list", isOpen: false });
  assert.equal(update(closed, message({}, { mode: "knockout", state: "over" })).isListOpen, false);
});
