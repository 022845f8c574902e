import assert from "node:assert/strict";
import { test } from "node:test";
import { oneAtATime } from "../../client_web/js/browser/dom.js";

test("the second half of a double click comes after a quick answer, and runs nothing", async () => {
  let runs = 0;
  const press = oneAtATime(async () => {
    runs += 1;
  });
  const answered = () => new Promise(setImmediate);
  press({ detail: 1 });
  press({ detail: 1 }); // under way
  await answered();
  press({ detail: 2 });
  assert.equal(runs, 1);
  press({ detail: 1 });
  await answered();
  press({ detail: 0 }); // a key
  assert.equal(runs, 3);
});

test("what is done at once runs each time", () => {
  let runs = 0;
  const press = oneAtATime(() => {
    runs += 1;
  });
  press({ detail: 1 });
  press({ detail: 2 });
  assert.equal(runs, 2);
});
