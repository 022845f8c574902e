import { browserStorage } from "../browser/storage.js";

/**
 * The page's texts in one language, and numbers in words. Each language has a catalogue of texts named for its
 * key: `de.json`. The server fills the gaps of a catalogue with English texts.
 */

/** @typedef {keyof typeof import("./en.json") | keyof typeof import("./learn/en.json") | keyof typeof import("./tournament/en.json") | keyof typeof import("./server/en.json") | keyof typeof import("./admin/en.json")} Key */
/** @typedef {{key: string, name: string}} Language */
/** @typedef {{code: string, message: string}} Rejected */
/**
 * The end of a key for each form of a plural that a catalogue may have.
 * @typedef {"spectators"|"draws"|"messages"|"step.new"|"days"|"left.days"|"left.hours"|"left.minutes"} Noun
 */

const LANGUAGE_KEY = "noughts.language";

/** @type {Language} */
export const ENGLISH = { key: "en", name: "English" };

/** @type {readonly Language[]} */
export const LANGUAGES = [
  ENGLISH,
  { key: "de", name: "Deutsch" },
  { key: "es", name: "Español" },
  { key: "ar", name: "العربية" },
];

/** @type {Readonly<Record<string, string>>} */
let texts = {};
let languageKey = ENGLISH.key;
/** The catalogues of folders that were asked for, by their paths. @type {Map<string, Promise<Record<string, string>>>} */
const later = new Map();
/** What Intl formats with. Arabic has Latin digits, because cells have them (b2). */
let locale = "en";
let direction = "ltr";
let plurals = new Intl.PluralRules(locale);
let numbers = new Intl.NumberFormat(locale);

/** Return a language by its key, or English. @param {string} wanted */
const languageOf = (wanted) => LANGUAGES.find(({ key }) => key === wanted) ?? ENGLISH;

/** Return the key of the language that was chosen in the menu, or "" for the browser's. */
export const chosenLanguage = () => LANGUAGES.find(({ key }) => key === browserStorage.get(LANGUAGE_KEY))?.key ?? "";

/** Keep a choice. It applies when the page is loaded again. @param {string} key "" stands for the browser's language */
export const chooseLanguage = (key) => browserStorage.set(LANGUAGE_KEY, key || null);

/** Return the language to show the page in: the chosen one, else that of the HTML, which the browser asked the server for. */
export const wantedLanguage = () => languageOf(chosenLanguage() || document.documentElement.lang);

/** Add the texts that only some pages need, or that no first page needs. @param {"admin"|"learn"|"server"|"tournament"} folder */
export async function addTexts(folder) {
  const path = `${folder}/${languageKey}`;
  const loading = later.get(path) ?? loadTexts(path);
  later.set(path, loading);
  loading.catch(() => later.delete(path)); // the next call tries again
  texts = { ...(await loading), ...texts };
}

/** Load a catalogue. @param {string} key @returns {Promise<Record<string, string>>} */
async function loadTexts(key) {
  const response = await fetch(new URL(`../texts/${key}.json`, import.meta.url));
  if (!response.ok) throw new Error(`There is no catalogue of texts for ${key}.`);
  return response.json();
}

/** Show all texts in a language from now on, or in English if its catalogue cannot be loaded. @param {Language} wanted */
export async function useLanguage(wanted) {
  languageKey = wanted.key;
  texts = await loadTexts(wanted.key).catch(() => {
    languageKey = ENGLISH.key;
    return loadTexts(ENGLISH.key);
  });
  locale = texts["language.locale"] ?? languageKey;
  direction = texts["language.direction"] ?? "ltr";
  plurals = new Intl.PluralRules(locale);
  numbers = new Intl.NumberFormat(locale);
}

/** Tell the browser the language and its direction, and show the texts. */
export function markDocument() {
  document.documentElement.lang = languageKey;
  document.documentElement.dir = direction;
  delete document.documentElement.dataset["untranslated"]; // first_paint.js set it
}

/** Return what Intl formats with. */
export const textLocale = () => locale;

/** Return the direction of the texts. @returns {"ltr"|"rtl"} */
export const textDirection = () => (direction === "rtl" ? "rtl" : "ltr");

/** Return a value as it stands in a sentence. @param {string|number} value */
function valueText(value) {
  if (typeof value === "number") return numbers.format(value);
  // From right to left, a name or a cell in Latin letters keeps its own direction: isolated by U+2068 and U+2069.
  return direction === "rtl" && value ? `\u2068${value}\u2069` : value;
}

/** @param {string} text @param {Record<string, string|number>} values */
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => valueText(values[name] ?? ""));

/** Return the text of a key with its `{placeholders}` filled in. @param {Key} key @param {Record<string, string|number>} [values] */
export const t = (key, values = {}) => fill(texts[key] ?? key, values);

/** Put the links at the foot of the page into its language. */
export function showFoot() {
  for (const link of document.querySelectorAll(".page-foot a"))
    link.textContent = t(/** @type {Key} */ (link.getAttribute("data-text")));
}

/** @param {string} key @returns {key is Key} */
const isKey = (key) => key in texts;

/**
 * Return the text of a name that came from the server. Return a name without a text with spaces for its underscores.
 * @param {string} prefix @param {string} name @param {Record<string, string|number>} [values]
 */
export function textOfName(prefix, name, values) {
  const key = prefix + name;
  return isKey(key) ? t(key, values) : name.replaceAll("_", " ");
}

/**
 * Return the server's words for something in the page's language, or as they are.
 * @param {string} key
 * @param {string} words
 */
export const translated = (key, words) => texts[key] ?? words;

/** The codes with many reasons. Only the server's sentence names the reason. */
const VAGUE_CODES = new Set(["bad_message", "forbidden"]);

/**
 * Return why the server rejected something, in the page's language: the translation of its sentence, else the text of
 * the code. That is followed by the sentence itself if it says more, such as a number.
 * @param {Rejected} rejected
 */
export function rejectionText({ code, message }) {
  const sentence = translatedSentence(message);
  const text = texts["rejection." + code];
  if (sentence || !text) return sentence ?? message.replace(LEADING_CELL, "This cell");
  return VAGUE_CODES.has(code) || /\d/.test(message) ? `${text} ${valueText(message)}` : text;
}

/** A value in a sentence of the server: a cell such as b2.3, or a number. */
const VALUE = /\b([a-o]\d+(?:\.\d)?)\b|\d+/;
const LEADING_CELL = /^[a-o]\d+(?:\.\d)?\b/; // at the start of a sentence in English

/**
 * Return the translation of a sentence of the server. In its key, `{cell}` or `{n}` replaces its value. It does not name the cell.
 * @param {string} message
 */
function translatedSentence(message) {
  const [value, cell] = VALUE.exec(message) ?? [];
  const pattern = value === undefined ? message : message.replace(value, cell ? "{cell}" : "{n}");
  const text = texts["server." + message] ?? texts["server." + pattern];
  return text && fill(text, { n: Number(value) });
}

/** Return a number with its noun. @param {Noun} noun @param {number} n */
export function plural(noun, n) {
  const form = texts[`${noun}.${plurals.select(n)}`];
  return form ? fill(form, { n }) : t(n === 1 ? `${noun}.one` : `${noun}.other`, { n });
}

/** Return several names as a list. @param {readonly string[]} names */
export const list = (names) => new Intl.ListFormat(locale, { type: "unit", style: "short" }).format(names);
