import assert from "node:assert/strict";
import { test } from "node:test";

import { trialOf } from "../../client_web/js/room/analysis.js";
import { createRoomState, hasPeople, shownGame, update } from "../../client_web/js/room/state.js";

const NEW = createRoomState({ id: "r", passAndPlay: false, invite: null, muted: ["p_muted"] });
const game = (number, moves, outcome = null) => ({ number, moves, marks: {}, turn: "X", legal: [], outcome });
const room = (version, number = 1, moves = [], can = []) => ({
  type: "room",
  version,
  event: null,
  you: { mark: "X", owner: true, can },
  room: { phase: "playing", seats: { X: null, O: null }, game: game(number, moves), variant: "classic" },
});
const line = (n, player = "p_1") => ({ n, at_ms: 0, from: { player, name: "A", mark: null }, text: "hello", ply: 0 });

test("a message gives a new state and leaves the old one", () => {
  const state = update(NEW, room(3));
  assert.equal(NEW.view, null);
  assert.equal(state.version, 3);
  assert.equal(update(state, { type: "something new" }), state);
});

test("a game that a friend's arrival begins waits for a tap", () => {
  const waiting = { ...room(1), room: { ...room(1).room, game: null } };
  const knocks = (invite) => update(update({ ...NEW, invite }, waiting), room(2)).knocks;
  assert.deepEqual([knocks("secret"), knocks(null)], [true, false]);
  const state = update(update({ ...NEW, invite: "secret" }, waiting), room(2));
  assert.equal(update(update(state, { type: "begin" }), room(3)).knocks, false);
});

test("an older view changes nothing, and the same message twice neither", () => {
  const state = update(NEW, room(3, 1, ["b2"]));
  assert.deepEqual(update(state, room(2)).view?.game?.moves, ["b2"]);
  assert.deepEqual(update(state, room(3, 1, ["b2"])), state);
});

test("a new connection starts from nothing", () => {
  const state = update(update(NEW, room(9, 1, ["b2"])), { type: "welcome", reactions: [] });
  assert.equal(update(state, room(4)).version, 4);
});

test("a move waits until its ply is made, its game is over or it is rejected", () => {
  const move = { cell: "b2", ply: 0, game: 1 };
  const state = update(update(NEW, room(1)), { type: "move", move });
  assert.equal(update(state, room(2)).move, move);
  assert.equal(update(state, room(2, 1, ["b2"])).move, null);
  assert.equal(update(state, room(2, 2)).move, null);
  assert.equal(update(state, { type: "answer", move, answer: { ok: false, code: "stale", message: "" } }).move, null);
  assert.equal(update(state, { type: "answer", move, answer: { ok: true, version: 2 } }).move, move);
});

test("a step back stays where it is while moves arrive", () => {
  let state = update(update(NEW, room(1, 1, ["a1", "b2"])), { type: "step", ply: 1 });
  state = update(state, room(2, 1, ["a1", "b2", "c3"]));
  assert.equal(state.step, 1);
  assert.equal(state.seenPly, 2);
  assert.equal(update(state, { type: "step", ply: 3 }).step, null);
  assert.equal(update(state, room(3, 2)).step, null);
});

test("a review of an earlier game waits for its record", () => {
  const record = { number: 1, moves: [], outcome: null };
  let state = update(update(NEW, room(1, 3, ["a1"])), { type: "review", game: 1 });
  assert.equal(shownGame(state), 1);
  assert.equal(update(state, { type: "record", record: { ...record, number: 2 } }).record, null);
  state = update(update(state, { type: "record", record }), { type: "step", ply: 4 });
  assert.deepEqual([state.record, state.step], [record, 4]);
  assert.equal(update(state, { type: "analysis", game: 2, positions: [] }).analysis, null);
  state = update(state, { type: "review", game: 3 });
  assert.deepEqual([state.reviewed, state.record, state.step], [3, null, null]);
});

test("a game without a room is a review too", () => {
  const record = { number: 0, moves: [{ cell: "b2", mark: "X" }], outcome: null };
  const legal = { ply: 1, cells: ["a1"] };
  let state = update(update(NEW, { type: "review", game: 0 }), { type: "record", record });
  state = update(update(state, { type: "step", ply: 1 }), { type: "legal", game: 0, legal });
  assert.deepEqual([state.record, state.step, state.legal], [record, 1, legal]);
  assert.equal(trialOf(state)?.mark, "O");
  assert.equal(update(state, { type: "analysis", game: 0, positions: null }).analysisFailed, true);
});

test("after a loss the board goes back to the move that need not have lost, until another ply is chosen", () => {
  const over = { winner: "X", reason: "line", cells: ["a1", "b1", "c1"] };
  const cells = ["a1", "a2", "b1", "b2", "c1"];
  const moves = cells.map((cell, ply) => ({ cell, mark: "XO"[ply % 2] }));
  const verdicts = ["draw", "draw", "draw", "draw", "win"].map((value) => ({
    value,
    plies: value === "win" ? 1 : null,
  }));
  const positions = [...verdicts, null].map((verdict, ply) => ({ turn: verdict && "XO"[ply % 2], verdict, best: [] }));
  const ended = { ...room(2), room: { ...room(2).room, game: game(1, cells, over) } };
  let state = update(update(update(NEW, room(1)), { type: "rewind" }), ended);
  assert.equal(state.rewinds, false); // the game was on
  state = update(update(state, { type: "rewind" }), { type: "record", record: { number: 1, moves, outcome: over } });
  assert.equal(trialOf(state), null);
  state = update(state, { type: "analysis", game: 1, positions });
  assert.deepEqual(trialOf(state), { ply: 3, mark: "O", held: [], isMistake: true, lifted: "b2" });
  assert.equal(trialOf(update(state, { type: "step", ply: 2 })), null);
  assert.equal(trialOf(update(state, room(3, 2))), null);
});

test("chat lines count as new only out of sight and after the first message", () => {
  let state = update(NEW, { type: "chat", lines: [line(1), line(2)] });
  assert.equal(state.newLines, 0);
  state = update(state, { type: "chat", lines: [line(2), line(3), line(4, "p_muted")] });
  assert.equal(state.newLines, 1);
  assert.deepEqual(
    state.lines.map(({ n }) => n),
    [1, 2, 3, 4],
  );
  const open = update(state, { type: "sheet", sheet: "chat" });
  assert.equal(open.newLines, 0);
  assert.equal(update(open, { type: "chat", lines: [line(5)] }).newLines, 0);
});

test("new chat lines are seen once the chat is in sight, and none while the page is hidden", () => {
  const sight = (layout, isHidden = false) => ({ type: "sight", layout, isHidden });
  const history = update(NEW, { type: "chat", lines: [] });
  const narrow = update(update(history, sight("column")), { type: "chat", lines: [line(1)] });
  assert.equal(narrow.newLines, 1);
  const wide = update(narrow, sight("wide"));
  assert.equal(wide.newLines, 0);
  const hidden = update(update(wide, sight("wide", true)), { type: "chat", lines: [line(2)] });
  assert.equal(hidden.newLines, 1);
  assert.equal(update(hidden, sight("wide")).newLines, 0);
  assert.equal(update(hidden, { type: "sheet", sheet: "rules" }).newLines, 1);
});

test("your own line is never new, nor is a player's that you saw in its bubble", () => {
  const me = update(update(NEW, { type: "welcome", player: { id: "p_me", name: "Me" } }), { type: "chat", lines: [] });
  const ofPlayer = { ...line(2), from: { player: "p_1", name: "A", mark: "O" } };
  const seen = update(me, { type: "chat", lines: [line(1, "p_me"), ofPlayer] });
  assert.equal(seen.newLines, 0);
  const hidden = update(me, { type: "sight", layout: "narrow", isHidden: true });
  assert.equal(update(hidden, { type: "chat", lines: [line(1, "p_me"), ofPlayer] }).newLines, 1);
});

test("an empty history makes the first line a new one", () => {
  const state = update(NEW, { type: "chat", lines: [] });
  assert.equal(update(state, { type: "chat", lines: [line(1)] }).newLines, 1);
});

test("a room without people has no chat", () => {
  const state = update(NEW, room(1));
  assert.equal(hasPeople(state), false);
  assert.equal(hasPeople(update(state, { type: "crowd", at_ms: 0, seats: {}, spectators: 1, names: [] })), true);
});

test("the sheet with the invite link closes once the friend has sat down", () => {
  const invite = (version, seats) => {
    const message = room(version);
    return { ...message, you: { ...message.you, invite: "secret" }, room: { ...message.room, seats } };
  };
  const friend = { kind: "human", player: "p_1", name: "A" };
  const open = update(update(NEW, invite(1, { X: friend, O: null })), { type: "sheet", sheet: "invite" });
  assert.equal(update(open, invite(2, { X: friend, O: null })).sheet, "invite");
  const full = invite(2, { X: friend, O: friend });
  assert.equal(update(open, full).sheet, null);
  assert.equal(update(update(open, { type: "sheet", sheet: "more" }), full).sheet, "more");
});

test("a game that begins closes the sheet that would cover it, but not the chat", () => {
  const between = update(NEW, { ...room(1), room: { ...room(1).room, game: null } });
  const sheetAfter = (sheet) => update(update(between, { type: "sheet", sheet }), room(2)).sheet;
  assert.equal(sheetAfter("settings"), null);
  assert.equal(sheetAfter("change"), null);
  assert.equal(sheetAfter("chat"), "chat");
});

test("wins one after the other are counted until a game is not won", () => {
  const over = (version, number, winner) => {
    const message = room(version, number, ["a1"]);
    return { ...message, room: { ...message.room, game: game(number, ["a1"], { winner }) } };
  };
  let state = NEW;
  for (const number of [1, 2, 3])
    state = update(update(state, room(2 * number, number)), over(2 * number + 1, number, "X"));
  assert.equal(state.winsRun, 3);
  assert.equal(update(state, over(8, 3, "X")).winsRun, 3); // the same end again
  assert.equal(update(update(state, room(9, 4)), over(10, 4, null)).winsRun, 0);
});
