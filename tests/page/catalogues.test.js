import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { LANGUAGES } from "../../client_web/js/texts/i18n.js";

const OF_SERVER = /^(variant|rules|rejection|server)\./;
const PLURAL = /\.(zero|one|two|few|many|other)$/;

/** @type {[import("../../client_web/js/texts/i18n.js").Language, Record<string, string>][]} */
const catalogues = [];
/** @param {string} key @returns {Promise<Record<string, string>>} */
const load = async (key) =>
  JSON.parse(await readFile(new URL(`../../client_web/js/texts/${key}.json`, import.meta.url), "utf8"));
/** All texts of a language: those of every page, of the chapters, and of the server's sentences. @param {string} key */
const loadAll = async (key) => ({
  ...(await load(key)),
  ...(await load(`learn/${key}`)),
  ...(await load(`admin/${key}`)),
  ...(await load(`server/${key}`)),
});
for (const language of LANGUAGES.slice(1)) catalogues.push([language, await loadAll(language.key)]);
const english = await loadAll("en");

/** @param {string} text */
const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

/** @param {Record<string, string>} texts @param {RegExp} pattern */
const keysOf = (texts, pattern) => Object.keys(texts).filter((key) => pattern.test(key));

test("every language has every text, and no other", () => {
  for (const [{ key: language }, texts] of catalogues) {
    const own = Object.keys(texts).filter((key) => !OF_SERVER.test(key) && !PLURAL.test(key));
    const wanted = Object.keys(english).filter((key) => !PLURAL.test(key));
    assert.deepEqual(own.sort(), wanted.sort(), language);
    assert.deepEqual(
      Object.entries(texts).filter(([, text]) => !text.trim()),
      [],
    );
  }
});

test("every language has the plural forms of its grammar", () => {
  const nouns = keysOf(english, /\.other$/).map((key) => key.replace(PLURAL, ""));
  assert.ok(nouns.length > 3);
  for (const [{ key: language }, texts] of catalogues) {
    // A form for a million and more, as in Spanish, falls back to the general one.
    const rules = new Intl.PluralRules(texts["language.locale"]);
    const forms = new Set([...Array(200).keys()].map((n) => rules.select(n)));
    for (const noun of nouns) {
      for (const form of forms) assert.ok(texts[`${noun}.${form}`], `${language}: ${noun}.${form}`);
    }
  }
});

test("a text has the placeholders of the English one", () => {
  for (const [{ key: language }, texts] of catalogues) {
    for (const [key, text] of Object.entries(texts)) {
      const source = english[key] ?? english[key.replace(PLURAL, ".other")];
      const isForOneNumber = /\.(zero|one|two)$/.test(key) && !placeholders(text).length;
      if (source && !isForOneNumber) assert.deepEqual(placeholders(text), placeholders(source), `${language}: ${key}`);
    }
  }
});

test("all languages translate the same words of the server", () => {
  const [first, ...others] = catalogues.map(([, texts]) => keysOf(texts, OF_SERVER).sort());
  assert.ok(first && first.length > 30);
  for (const keys of others) assert.deepEqual(keys, first);
});

test("a chapter has at most eighty words", async () => {
  for (const { key: language } of LANGUAGES)
    for (const [key, text] of Object.entries(await load(`learn/${language}`)))
      if (key.endsWith(".text")) assert.ok(text.split(/\s+/).length <= 80, `${language}: ${key}`);
});
