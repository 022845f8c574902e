import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import {
  ENGLISH,
  LANGUAGES,
  addTexts,
  list,
  plural,
  rejectionText,
  t,
  textOfName,
  translated,
  useLanguage,
} from "../../client_web/js/texts/i18n.js";
import { age, clockText, countdown, duration } from "../../client_web/js/texts/times.js";
import "./support/texts.js";

/** @param {string} tag */
const use = async (tag) => {
  await useLanguage(LANGUAGES.find(({ key }) => key === tag) ?? ENGLISH);
  await addTexts("server");
};

afterEach(() => useLanguage(ENGLISH));

test("texts, numbers and plurals are of the language", async () => {
  assert.equal(t("end.missed", { cell: "b1", name: "Ben" }), "With b1, Ben missed a win.");
  assert.equal(plural("spectators", 1), "1 spectator");
  assert.equal(countdown(4_250), "4.2");
  assert.equal(age(150_000), "2 min");
  await use("de");
  assert.equal(t("turn.you"), "Du bist am Zug.");
  assert.equal(duration(90_000), "1,5 min");
  assert.equal(countdown(4_250), "4,2");
  assert.equal(countdown(65_000), "1:05");
  assert.equal(clockText({ mode: "move", move_ms: 30_000 }), "30 s pro Zug");
  await use("es");
  assert.equal(plural("draws", 1_000_000), "1.000.000 empates");
});

test("Arabic has six forms of a plural, and Latin digits", async () => {
  await use("ar");
  const forms = [0, 1, 2, 3, 11, 100].map((n) => plural("spectators", n).replace(/\d+/, "n"));
  assert.equal(new Set(forms).size, 6);
  assert.match(plural("spectators", 11), /^11 /);
});

test("names and cells keep their direction in Arabic", async () => {
  await use("ar");
  assert.ok(t("event.sat", { name: "Ann", mark: "X" }).includes("\u2068Ann\u2069"));
  assert.ok(!t("chat.ply", { ply: 4 }).includes("\u2068"));
  await use("de");
  assert.ok(!t("event.sat", { name: "Ann", mark: "X" }).includes("\u2068"));
});

test("the server's words are the fallback for its names and sentences", async () => {
  const rejected = { code: "not_your_turn", message: "It is your opponent's turn." };
  assert.equal(rejectionText(rejected), rejected.message);
  assert.equal(translated("variant.classic", "Tic-tac-toe"), "Tic-tac-toe");
  await use("de");
  assert.equal(rejectionText(rejected), "Du bist nicht am Zug.");
  assert.equal(rejectionText({ code: "brand_new", message: "Words." }), "Words.");
  assert.equal(translated("variant.four-in-a-row", "Four in a row"), "Vier gewinnt");
  assert.equal(translated("variant.tenth", "The tenth"), "The tenth");
  assert.equal(textOfName("level.", "very_strong"), "very strong");
});

test("a rejection keeps what the server's sentence says", async () => {
  const taken = { code: "seat_taken", message: "This seat is taken." };
  const named = { code: "bad_message", message: "A name has at most 24 characters." };
  const muted = { code: "forbidden", message: "You have muted 1500 players: mute all spectators instead." };
  assert.equal(rejectionText(named), named.message);
  await use("de");
  assert.equal(rejectionText(taken), "Hier spielt schon jemand.");
  assert.equal(rejectionText(named), "Ein Name hat höchstens 24 Zeichen.");
  assert.match(rejectionText(muted), /^Du hast schon 1\.500 Spieler/);
  assert.equal(rejectionText({ code: "illegal_move", message: "b2.3 is taken." }), "Das Feld ist besetzt.");
  // Without a translation, the code says what kind it is, and the sentence the rest.
  const late = { code: "rate_limited", message: "Wait 30 s." };
  assert.equal(rejectionText(late), "Das war zu viel in kurzer Zeit. Warte einen Moment. Wait 30 s.");
  assert.match(rejectionText({ code: "forbidden", message: "Not on Sundays." }), /^Das ist .* Not on Sundays\.$/);
  assert.doesNotMatch(rejectionText({ code: "stale", message: "The offer is no longer open." }), /offer/);
});

test("a language whose catalogue cannot be loaded is shown in English", async () => {
  await useLanguage({ key: "missing", name: "" });
  assert.equal(t("close"), "Close");
  assert.equal(list(["a1", "b2"]), "a1, b2");
});
