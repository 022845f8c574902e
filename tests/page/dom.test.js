import assert from "node:assert/strict";
import { test } from "node:test";
import { oneAtATime } from "../../client_web/js/browser/dom.js";

test("a press does nothing while the press before it is under way", async () => {
  let runs = 0;
  const press = oneAtATime(async () => {
    runs += 1;
  });
  press();
  press();
  await new Promise(setImmediate);
  press();
  assert.equal(runs, 2);
});

test("what is done at once runs each time", () => {
  let runs = 0;
  const press = oneAtATime(() => {
    runs += 1;
  });
  press();
  press();
  assert.equal(runs, 2);
});
