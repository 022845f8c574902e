import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const stored = new Map();
globalThis.window = Object.assign(new EventTarget(), {
  sessionStorage: {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  },
});
const { dropMove, fateOf, keepMove, loadMove } = await import("../../client_web/js/net/stored_rooms.js");

const MOVE = { cell: "b2", ply: 2, game: 1, id: "c-1" };
const TO_MOVE = { mark: "X", owner: false, can: ["move"] };

/** @param {string[]} moves */
const view = (moves, game = {}) => ({ game: { number: 1, moves, outcome: null, ...game } });

beforeEach(() => stored.clear());

test("a move is kept for its room until it is dropped", () => {
  keepMove("room", MOVE);
  assert.deepEqual([loadMove("room"), loadMove("other")], [MOVE, null]);
  dropMove("room", { ...MOVE, id: "c-0" }); // the answer to the move before
  assert.deepEqual(loadMove("room"), MOVE);
  dropMove("room", MOVE);
  assert.equal(loadMove("room"), null);
});

test("a kept move that cannot be read is none", () => {
  stored.set("noughts.move.room", "{");
  assert.equal(loadMove("room"), null);
});

test("a kept move is sent only in the position it was meant for", () => {
  assert.equal(fateOf(MOVE, view(["a1", "c3"]), TO_MOVE), "send");
  assert.equal(fateOf(MOVE, view(["a1", "c3"]), { ...TO_MOVE, can: [] }), "wait");
  assert.equal(fateOf(MOVE, view(["a1", "c3", "b2", "a2"]), TO_MOVE), "played");
  assert.equal(fateOf(MOVE, view(["a1", "c3", "a3"]), TO_MOVE), "late");
  assert.equal(fateOf(MOVE, view(["a1"]), TO_MOVE), "late"); // moves were taken back
  assert.equal(fateOf(MOVE, view(["a1", "c3"], { outcome: { winner: "O" } }), TO_MOVE), "late");
  assert.equal(fateOf(MOVE, view(["a1", "c3"], { number: 2 }), TO_MOVE), "late");
  assert.equal(fateOf(MOVE, { game: null }, TO_MOVE), "late");
});
