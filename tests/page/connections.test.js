import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeSocket } from "./support/fake_socket.js";

const { connectPassAndPlay } = await import("../../client_web/js/room/pass_and_play.js");

/** @param {number} version @param {"X"|"O"} mark */
const roomMessage = (version, mark) => ({
  type: "room",
  version,
  event: { type: "settings" },
  you: { mark, owner: mark === "X", can: ["chat", `only:${mark}`] },
  room: { phase: "playing", seats: { X: { player: "p_1" }, O: { player: "p_2" } }, game: { turn: "X", moves: [] } },
});

test("the newest view has the commands of both players, and an older one counts after a welcome", () => {
  const versions = [];
  let shown = null;
  const connection = connectPassAndPlay({
    id: "r",
    tokens: { tokens: ["one", "two"], invite: "i", at: 0 },
    onMessage(message) {
      versions.push(message.version ?? message.type);
      if (message.type === "room") shown = message;
    },
    onStatus() {},
  });
  const [first, second] = FakeSocket.all.slice(-2);
  first.welcome();
  second.welcome();
  first.receive(roomMessage(9, "X"));
  second.receive(roomMessage(9, "O"));
  assert.deepEqual(versions, ["welcome", "welcome", 9, 9]);
  assert.deepEqual(shown.you.can, ["only:X", "only:O"]);
  for (const [socket, mark] of [
    [first, "X"],
    [second, "O"],
  ]) {
    socket.receive({ type: "welcome", now_ms: 0 });
    socket.receive(roomMessage(7, mark));
  }
  assert.equal(versions.at(-1), 7);
  assert.deepEqual(shown.you.can, ["only:X", "only:O"]);
  connection.close();
});
