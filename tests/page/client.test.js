import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { newestSocket } from "./support/fake_socket.js";

const { HttpError, signIn } = await import("../../client_web/js/client.js");

const SERVER = "https://games.example.org/club";
let requests = [];
let answer = { status: 200, body: {} };

beforeEach(() => {
  requests = [];
  globalThis.fetch = async (url, options) => {
    requests.push({ url, ...options });
    return new Response(JSON.stringify(answer.body), {
      status: answer.status,
      headers: { "Content-Type": "application/json" },
    });
  };
  answer = { status: 201, body: { player: { id: "p_1", name: "Ann" }, token: "secret" } };
});

test("a new guest has a name, and a token for later", async () => {
  const guest = await signIn({ name: "Ann", server: SERVER });
  assert.equal(guest.token, "secret");
  assert.equal(guest.player.name, "Ann");
  assert.equal(requests[0].url, `${SERVER}/api/players`);
  assert.equal(requests[0].body, '{"name":"Ann"}');
});

test("a known guest is asked for with the token in a header", async () => {
  answer = { status: 200, body: { player: { id: "p_1", name: "Ann" } } };
  const guest = await signIn({ token: "secret", server: `${SERVER}/` });
  assert.equal(guest.token, "secret");
  assert.equal(requests[0].url, `${SERVER}/api/players/me`);
  assert.equal(requests[0].headers.Authorization, "Bearer secret");
});

test("a rejection has the server's status, code and message", async () => {
  answer = { status: 401, body: { error: { code: "unauthorized", message: "The token is unknown." } } };
  await assert.rejects(signIn({ token: "x", server: SERVER }), (error) => {
    assert.ok(error instanceof HttpError);
    assert.deepEqual([error.status, error.code, error.message], [401, "unauthorized", "The token is unknown."]);
    return true;
  });
});

test("a server that cannot be reached has the status 0", async () => {
  globalThis.fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  await assert.rejects(signIn({ server: SERVER }), { status: 0, code: "unreachable" });
});

/** @param {number} version @param {string[]} moves */
const roomMessage = (version, moves) => ({
  type: "room",
  version,
  event: null,
  you: { mark: "X", owner: true, can: ["move"] },
  room: { id: "r", game: { number: 3, moves } },
});

test("a room hands out newer views, and the first one of a new connection", async () => {
  const guest = await signIn({ name: "Ann", server: SERVER });
  const views = [];
  const room = guest.enterRoom("r", { onRoom: (view) => views.push(view.game.moves.length) });
  const socket = newestSocket();
  assert.equal(socket.url, "wss://games.example.org/club/ws");
  socket.welcome();
  socket.receive(roomMessage(5, ["a1"]));
  socket.receive(roomMessage(6, ["a1", "b2"]));
  socket.receive(roomMessage(6, ["a1", "b2"]));
  socket.receive(roomMessage(5, ["a1"]));
  assert.deepEqual(views, [1, 2, 2]); // a player may have another name since
  socket.receive({ type: "welcome", now_ms: 0 }); // as after a failover that lost a version
  socket.receive(roomMessage(5, ["a1"]));
  assert.deepEqual(views, [1, 2, 2, 1]);
  void room.move("c3");
  const { id, ...move } = socket.sentOf("move")[0];
  assert.ok(id);
  assert.deepEqual(move, { type: "move", cell: "c3", ply: 1, game: 3 });
  room.close();
});

test("a move before the first view is refused in words", async () => {
  const guest = await signIn({ name: "Ann", server: SERVER });
  const room = guest.enterRoom("r", {});
  assert.deepEqual(await room.move("b2"), { ok: false, code: "not_playing", message: "There is no game yet." });
  room.close();
});
