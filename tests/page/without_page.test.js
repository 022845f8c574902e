import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../client_web/js/net/connection.js";

test("the client connects where there is neither a window nor a document", () => {
  assert.equal(typeof window, "undefined");
  assert.equal(typeof document, "undefined");
  let opened = 0;
  globalThis.WebSocket = class extends EventTarget {
    constructor() {
      super();
      opened += 1;
    }
    close() {}
  };
  const connection = connect({
    url: "ws://127.0.0.1:1/ws",
    hello: () => ({ type: "hello", protocol: 1, room: "r" }),
    onMessage() {},
    onStatus() {},
  });
  assert.equal(opened, 1);
  connection.close();
});
