import { browserStorage } from "./storage.js";

/**
 * The languages of the page, and which of them this browser wants. Each has a catalogue of texts named for its key:
 * `de.js`.
 */

/**
 * @typedef {{key: string, name: string, direction: "ltr"|"rtl", locale: string}} Language
 *   `locale` is what Intl formats with
 */

const KEY = "noughts.language";

/** @type {Language} */
export const ENGLISH = { key: "en", name: "English", direction: "ltr", locale: "en" };

/** @type {readonly Language[]} */
export const LANGUAGES = [
  ENGLISH,
  { key: "de", name: "Deutsch", direction: "ltr", locale: "de" },
  { key: "es", name: "Español", direction: "ltr", locale: "es" },
  // Cells have Latin digits (b2), so all numbers have them.
  { key: "ar", name: "العربية", direction: "rtl", locale: "ar-u-nu-latn" },
];

/** Return whether a tag such as "pt-BR" is another one or a kind of it. @param {string} tag @param {string} other */
const startsWith = (tag, other) => (tag + "-").toLowerCase().startsWith(other.toLowerCase() + "-");

/**
 * Return the first language that a list of tags such as "de-AT" asks for: the most exact one, else one of the same language.
 * Return English if there is none. The server's `page_texts.py` does the same.
 * @param {readonly string[]} tags @param {readonly Language[]} [languages]
 */
export function languageFor(tags, languages = LANGUAGES) {
  for (const tag of tags) {
    const language =
      languages.filter(({ key }) => startsWith(tag, key)).sort((a, b) => b.key.length - a.key.length)[0] ??
      languages.find(({ key }) => startsWith(key, tag.split("-")[0] ?? ""));
    if (language) return language;
  }
  return ENGLISH;
}

/** Return the key of the language that was chosen in the menu, or "" for the browser's. */
export const chosenLanguage = () => LANGUAGES.find(({ key }) => key === browserStorage.get(KEY))?.key ?? "";

/** Keep a choice. It applies when the page is loaded again. @param {string} key "" stands for the browser's language */
export const chooseLanguage = (key) => browserStorage.set(KEY, key || null);

/** Return the language to show the page in. */
export const wantedLanguage = () => languageFor([chosenLanguage(), ...navigator.languages]);
