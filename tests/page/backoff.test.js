import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs } from "../../client_web/js/backoff.js";

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
