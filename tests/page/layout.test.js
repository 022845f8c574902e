import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cellForKey,
  centreOf,
  layoutOf,
  linesOfBoards,
  smallBoardOf,
  straightLines,
  styleOf,
} from "../../client_web/js/board/layout.js";
import { coordinatesOf } from "../../client_web/js/board/layout.js";

/** @typedef {import("../../client_web/js/board/layout.js").Coordinates} Coordinates */

const plain = { gravity: false, misere: false, marks_kept: null, nested: false };
const classic = { ...plain, shape: [3, 3], line: 3 };
const qubic = { ...plain, shape: [4, 4, 4], line: 4 };
const ultimate = { ...plain, shape: [9, 9], line: 3, nested: true };

/** @param {Coordinates[][]} lines */
const names = (lines) => lines.map((line) => line.map(({ cell }) => cell).join(" "));

test("the data of a variant decides how it is drawn", () => {
  assert.equal(styleOf(classic), "lines");
  assert.equal(styleOf(qubic), "layers");
  assert.equal(styleOf(ultimate), "nested");
  assert.equal(styleOf({ ...plain, shape: [7, 6], line: 4, gravity: true }), "rack");
  assert.equal(styleOf({ ...plain, shape: [15, 15], line: 5 }), "crossings");
  assert.equal(styleOf({ ...plain, shape: [9, 9], line: 5 }), "lines");
});

test("every cell lies inside the picture, flat and slanted", () => {
  for (const layout of [layoutOf(classic), layoutOf(qubic), layoutOf(qubic, true), layoutOf(ultimate)]) {
    for (let layer = 0; layer < layout.layers; layer++) {
      for (const [column, row] of [
        [0, 0],
        [layout.columns - 1, layout.rows - 1],
      ]) {
        const { x, y } = centreOf(layout, { cell: "", column: column ?? 0, row: row ?? 0, layer });
        assert.ok(x > 0 && x < layout.width, `${x} of ${layout.width}`);
        assert.ok(y > 0 && y < layout.height, `${y} of ${layout.height}`);
      }
    }
  }
});

test("completed lines are distinguished at the newest mark", () => {
  assert.deepEqual(names(straightLines(["a1", "b1", "c1", "a2", "a3"], "a1")), ["a1 b1 c1", "a1 a2 a3"]);
  assert.deepEqual(names(straightLines(["c1", "a3", "b2"], "b2")), ["c1 b2 a3"]);
  assert.deepEqual(names(straightLines(["a1.1", "b2.2", "c3.3", "d4.4"], "c3.3")), ["a1.1 b2.2 c3.3 d4.4"]);
  assert.deepEqual(straightLines([], null), []);
});

test("lines of small boards come from the cells of their small lines", () => {
  const layout = layoutOf(ultimate);
  const cells = ["a1", "b1", "c1", "e5", "d4", "f6", "g9", "h9", "i9"];
  assert.deepEqual(names(linesOfBoards(layout, cells, "i9")), ["a1 b2 c3"]);
  assert.equal(smallBoardOf(layout, coordinatesOf("i4") ?? { column: 0, row: 0 }), 5);
});

test("each key moves the focus within the board", () => {
  const flat = [
    ["ArrowRight", "c2"],
    ["ArrowLeft", "a2"],
    ["ArrowUp", "b1"],
    ["ArrowDown", "b3"],
    ["Home", "a2"],
    ["End", "c2"],
    ["PageUp", "b1"],
    ["PageDown", "b3"],
    ["x", null],
  ];
  const from = (cell) => /** @type {Coordinates} */ (coordinatesOf(cell));
  for (const [key, cell] of flat) assert.equal(cellForKey(key, from("b2"), classic.shape, false), cell, key);
  assert.equal(cellForKey("Home", from("b2"), classic.shape, true), "a1");
  assert.equal(cellForKey("End", from("b2"), classic.shape, true), "c3");
  assert.equal(cellForKey("ArrowLeft", from("a1"), classic.shape, false), "a1");
  assert.equal(cellForKey("PageDown", from("b2.1"), qubic.shape, false), "b2.2");
  assert.equal(cellForKey("PageUp", from("b2.1"), qubic.shape, false), "b2.1");
});
