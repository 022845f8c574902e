import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/fake_socket.js";

const { createRoomState, isQueued, isStill, timeOf, update } = await import("../../client_web/js/room/state.js");

const roomMessage = {
  type: "room",
  version: 4,
  you: { mark: "X", can: ["move"] },
  room: { game: { number: 1, moves: [] } },
};
/** @param {string} state @param {number} at */
const connection = (state, at) => ({ type: "connection", status: { state, code: 0, blocked: false }, at_ms: at });
const start = createRoomState({ id: "r", passAndPlay: false, invite: null, muted: [] });
const apply = (...messages) => messages.reduce(update, start);

test("time stands still from the loss of the connection to the next view", () => {
  let state = apply(connection("open", 1_000), roomMessage);
  assert.equal(timeOf(state, 5_000), 5_000);
  state = update(state, connection("reconnecting", 6_000));
  state = update(state, connection("offline", 9_000));
  assert.ok(isStill(state));
  assert.equal(timeOf(state, 60_000), 6_000);
  state = update(state, connection("open", 70_000));
  assert.equal(timeOf(state, 70_000), 6_000);
  state = update(state, { ...roomMessage, version: 4 });
  assert.ok(!isStill(state));
  assert.equal(timeOf(state, 70_001), 70_001);
});

test("time runs while the first connection opens, but not while a proxy keeps it from opening", () => {
  assert.ok(!isStill(apply(connection("connecting", 1_000))));
  assert.ok(isStill(apply(connection("offline", 1_000))));
  const blocked = { type: "connection", status: { state: "connecting", code: 0, blocked: true }, at_ms: 1_000 };
  assert.ok(isStill(apply(blocked)));
});

test("a move without a connection is queued until the next view", () => {
  const move = { type: "move", move: { cell: "b2", ply: 0, game: 1 } };
  assert.ok(!isQueued(apply(connection("open", 0), roomMessage, move)));
  const state = apply(connection("open", 0), roomMessage, connection("reconnecting", 1), move);
  assert.ok(isQueued(state));
  assert.ok(!isQueued(update(update(state, connection("open", 2)), roomMessage)));
});

test("a new connection takes its first view, and forgets who was present", () => {
  const crowd = { type: "crowd", seats: { X: null, O: { present: false, away_ms: 9 } }, at_ms: 3 };
  const state = apply({ type: "welcome" }, { ...roomMessage, version: 9 }, crowd);
  assert.equal(update(state, roomMessage).version, 9);
  const next = update(state, { type: "welcome" });
  assert.equal(next.crowd, null);
  assert.equal(update(next, roomMessage).version, 4);
});
