import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { FakeSocket, newestSocket as socket } from "./support/fake_socket.js";

const { createClock } = await import("../../client_web/js/net/clock.js");
const { backoffMs, connect } = await import("../../client_web/js/net/connection.js");

let statuses = [];
let messages = [];
let connection;
/** How far the device's clock was set forward, in ms. */
let deviceAhead;
/** How long the device's other clock stood still, while the device slept, in ms. */
let stillFor;

beforeEach(() => {
  connection?.close();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  mock.method(Math, "random", () => 0);
  [deviceAhead, stillFor] = [0, 0];
  const date = Date.now;
  mock.method(performance, "now", () => date() - stillFor);
  mock.method(Date, "now", () => date() + deviceAhead);
  navigator.onLine = true;
  [statuses, messages] = [[], []];
  connection = connect({
    hello: () => ({ room: "r", token: "secret" }),
    onMessage: (message) => messages.push(message),
    onStatus: ({ state }) => statuses.push(state),
    url: "ws://games.example.org/ws",
    clock: createClock(),
  });
});

test("the hello is the first message, and holds the protocol", () => {
  socket().welcome();
  assert.equal(socket().url, "ws://games.example.org/ws");
  assert.deepEqual(socket().sent, [{ type: "hello", protocol: 1, room: "r", token: "secret" }]);
  assert.deepEqual(statuses, ["open"]);
});

test("a dead line is reported within 8 s of a command", () => {
  socket().welcome();
  mock.timers.tick(9_000); // the silence timer has not run out yet
  socket().receive({ type: "crowd" });
  connection.send({ type: "move", cell: "b2" });
  mock.timers.tick(3_999);
  assert.equal(socket().sentOf("ping").length, 0);
  mock.timers.tick(1);
  assert.equal(socket().sentOf("ping").length, 1);
  assert.deepEqual(statuses, ["open"]);
  mock.timers.tick(3_999);
  assert.deepEqual(statuses, ["open", "reconnecting"]);
});

test("silence of 10 s asks for a pong", () => {
  socket().welcome();
  mock.timers.tick(9_999);
  assert.equal(socket().sentOf("ping").length, 0);
  mock.timers.tick(1);
  assert.equal(socket().sentOf("ping").length, 1);
  mock.timers.tick(4_000);
  assert.deepEqual(statuses, ["open", "reconnecting"]);
});

test("a pong keeps the connection, however long the answer takes", () => {
  socket().welcome();
  connection.send({ type: "move", cell: "b2" });
  for (let count = 0; count < 10; count += 1) {
    mock.timers.tick(4_000);
    for (const { id } of socket().sentOf("ping")) socket().receive({ type: "pong", id, now_ms: Date.now() });
  }
  assert.deepEqual(statuses, ["open"]);
  assert.equal(socket().sentOf("move").length, 1);
});

test("an answered command asks for no pong", async () => {
  socket().welcome();
  const answer = connection.send({ type: "move", cell: "b2" });
  socket().receive({ type: "ok", id: socket().sentOf("move")[0].id, version: 7 });
  mock.timers.tick(9_000);
  assert.equal(socket().sentOf("ping").length, 0);
  assert.deepEqual(await answer, { ok: true, version: 7 });
});

test("a later ping does not put off the end of a dead line", () => {
  socket().welcome();
  mock.timers.tick(7_000);
  connection.send({ type: "chat", text: "a" });
  mock.timers.tick(3_000); // the silence asks, one second before the command would
  mock.timers.tick(3_500);
  assert.equal(socket().sentOf("ping").length, 1);
  assert.deepEqual(statuses, ["open", "reconnecting"]);
});

test("a command without an answer is sent again under its id", async () => {
  socket().welcome();
  const answer = connection.send({ type: "move", cell: "b2" });
  const first = socket();
  const { id } = first.sentOf("move")[0];
  first.onclose({ code: 1006 });
  mock.timers.tick(100);
  assert.notEqual(socket(), first);
  socket().welcome();
  assert.deepEqual(socket().sentOf("move"), [{ type: "move", cell: "b2", id }]);
  socket().receive({ type: "ok", id, version: 8 });
  assert.deepEqual(await answer, { ok: true, version: 8 });
});

test("the server's time goes on when the device's clock is set", () => {
  deviceAhead = 24 * 3_600_000;
  socket().welcome(5_000);
  assert.equal(connection.now(), 5_000);
  mock.timers.tick(500);
  deviceAhead = -3_600_000;
  assert.equal(connection.now(), 5_500);
});

test("a device that has slept asks for the server's time within a second", () => {
  socket().welcome(5_000);
  mock.timers.tick(1_000);
  assert.equal(socket().sentOf("ping").length, 0);
  [deviceAhead, stillFor] = [0, 60_000];
  mock.timers.tick(1_000);
  const [{ id }] = socket().sentOf("ping");
  socket().receive({ type: "pong", id, now_ms: 67_000 });
  assert.equal(connection.now(), 67_000);
});

test("a command without a connection waits, and is sent once", () => {
  socket().welcome();
  socket().onclose({ code: 1006 });
  connection.send({ type: "move", cell: "b2" });
  mock.timers.tick(100);
  socket().welcome();
  mock.timers.tick(3_000);
  assert.equal(socket().sentOf("move").length, 1);
});

test("an offline browser is distinguished from a lost server", () => {
  socket().welcome();
  navigator.onLine = false;
  window.dispatchEvent(new Event("offline"));
  assert.equal(socket().sentOf("ping").length, 1);
  mock.timers.tick(3_000);
  assert.deepEqual(statuses, ["open", "offline"]);
});

test("a code that stays true ends the connection, and answers what waits", async () => {
  socket().welcome();
  const answer = connection.send({ type: "move", cell: "b2" });
  const count = FakeSocket.all.length;
  socket().onclose({ code: 4410 });
  mock.timers.tick(60_000);
  assert.equal(FakeSocket.all.length, count);
  assert.deepEqual(statuses, ["open", "ended"]);
  assert.deepEqual(await answer, { ok: false, code: "closed", message: "" });
});

test("what the store could not take is sent again after the server's time", () => {
  socket().welcome();
  connection.send({ type: "move", cell: "b2" });
  const { id } = socket().sentOf("move")[0];
  socket().receive({ type: "rejected", id, code: "unavailable", message: "Try again.", retry_ms: 1_000 });
  mock.timers.tick(1_000);
  assert.deepEqual(
    socket()
      .sentOf("move")
      .map((move) => move.id),
    [id, id],
  );
});

test("a command that brings an id keeps it", () => {
  socket().welcome();
  connection.send({ type: "move", cell: "b2", id: "of before the reload" });
  connection.send({ type: "move", cell: "b2" });
  const [first, second] = socket().sentOf("move");
  assert.equal(first.id, "of before the reload");
  assert.notEqual(second.id, first.id);
});

test("the longest wait doubles with each try, up to 15 s", () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 50].map((attempt) => backoffMs(attempt, 0, 1));
  assert.deepEqual(longest, [900, 1700, 3300, 6500, 12900, 15100, 15100, 15100]);
});

test("a wait is a random part of the longest, and never nothing", () => {
  assert.equal(backoffMs(3, 0, 0), 100);
  assert.equal(backoffMs(3, 0, 0.5), 1700);
});

test("a client that sent too many messages waits at least 5 s", () => {
  assert.equal(backoffMs(1, 4429, 0), 5000);
  assert.equal(backoffMs(1, 4429, 1), 5800);
});
