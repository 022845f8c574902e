import assert from "node:assert/strict";
import { test } from "node:test";
import { normalized } from "../../client_web/js/texts/normalized.js";

test("the decimal digits of every script are digits", () => {
  for (let code = 0x80; code < 0x20000; code += 1) {
    const digit = String.fromCodePoint(code);
    if (/\p{Nd}/u.test(digit)) assert.match(normalized(`1${digit}`), /^1[0-9]$/, code.toString(16));
  }
  for (const zero of ["٠", "۰", "०", "০", "๐", "０", "𝟘"])
    for (let value = 0; value < 10; value += 1)
      assert.equal(normalized(String.fromCodePoint((zero.codePointAt(0) ?? 0) + value)), String(value));
});

test("what a chat adds to a code is left out", () => {
  for (const text of [
    "396 153",
    "PIN: 396153",
    "pin 396-153",
    "\u200e396\u00a0153\u200f",
    "３９６–１５３\n",
    "PIN：396\u202f153",
  ])
    assert.equal(normalized(text), "396153");
  for (const text of ["ｂ２", "b٢", "\u200eb2", "b 2", "b-2"]) assert.equal(normalized(text), "b2");
  assert.equal(normalized("ｃ３ｘ−ｙ"), "c3xy");
});
