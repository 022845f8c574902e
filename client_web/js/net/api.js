import { rejectionText, t, translated } from "../texts/i18n.js";
import { serverClock } from "./clock.js";
import { HttpError, requestJson } from "./http.js";
import { apiUrl, setPublicUrl } from "./urls.js";

/** The page's own server: its HTTP API with messages in the visitor's language, and its variants and features. */

/** @import { Features, GameRecord, Variant } from "./messages.js" */

/** @typedef {{token?: string|null, body?: unknown}} Options */

/**
 * Send a request. Return the JSON of the response, or its text if it is not JSON. Throw an HttpError.
 * @param {string} method
 * @param {string} path below /api/
 * @param {Options} [options]
 */
export const request = (method, path, options) => requestAt(method, apiUrl(path), options);

/**
 * Do the same at any URL of the server.
 * @param {string} method
 * @param {string} url
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export async function requestAt(method, url, options) {
  try {
    const answer = await requestJson(method, url, { ...options, onDate: serverClock.estimate });
    if (answer?.now_ms) serverClock.sync(answer.now_ms);
    return answer;
  } catch (error) {
    if (error instanceof HttpError) error.message = error.status === 0 ? t("error.unreachable") : rejectionText(error);
    throw error;
  }
}

/** Ask for the record of moves, with the legal ones after them. @param {string} variant @param {readonly string[]} moves @returns {Promise<GameRecord>} */
export const requestRecord = (variant, moves) =>
  request("GET", `record?${new URLSearchParams({ variant, moves: moves.join(",") })}`);

/** @type {{variants: Variant[], features: Features}|undefined} */
let content;

/** Return what the HTML holds for the page, with names and rules in the page's language. */
function pageContent() {
  if (content) return content;
  const { variants, features } = JSON.parse(document.getElementById("page-data")?.textContent ?? "{}");
  if (features.public_url) setPublicUrl(features.public_url);
  content = { variants: variants.map(inLanguage), features };
  return content;
}

/** @param {Variant} variant @returns {Variant} */
const inLanguage = (variant) => ({
  ...variant,
  name: translated("variant." + variant.key, variant.name),
  rules: translated("rules." + variant.key, variant.rules),
});

export const allVariants = () => pageContent().variants;
/** Return the variant of a key, or undefined. @param {string|undefined} key */
export const knownVariant = (key) => allVariants().find((variant) => variant.key === key);
export const features = () => pageContent().features;
