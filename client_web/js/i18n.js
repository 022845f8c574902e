import { EN } from "./en.js";

/** The page's texts, and numbers and times in words. */

/** @typedef {keyof typeof EN} Key */

/** Return the text of a key with its `{placeholders}` filled in. @param {Key} key @param {Record<string, string|number>} [values] */
export const t = (key, values = {}) => EN[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/** @param {string} key @returns {key is Key} */
const isKey = (key) => key in EN;

/**
 * Return the text of a name that came from the server. Return a name without a text with spaces for its underscores.
 * @param {string} prefix @param {string} name @param {Record<string, string|number>} [values]
 */
export function textOfName(prefix, name, values) {
  const key = prefix + name;
  return isKey(key) ? t(key, values) : name.replaceAll("_", " ");
}

/** Return a number with its noun. @param {"spectators"|"draws"|"messages"} noun @param {number} n */
export const plural = (noun, n) => t(n === 1 ? `${noun}.one` : `${noun}.many`, { n });

/** Return a duration in its largest unit: 90000 gives "1.5 min". @param {number} ms */
export function duration(ms) {
  const rounded = (/** @type {number} */ n) => Math.round(n * 10) / 10;
  if (ms < 60_000) return t("time.s", { n: rounded(ms / 1000) });
  if (ms < 3_600_000) return t("time.min", { n: rounded(ms / 60_000) });
  if (ms < 86_400_000) return t("time.h", { n: rounded(ms / 3_600_000) });
  return t("time.d", { n: rounded(ms / 86_400_000) });
}

/** Return the time left on a clock: "1:05", and "4.2" in the last ten seconds. @param {number} ms */
export function countdown(ms) {
  const left = Math.max(0, ms);
  if (left < 10_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  const twoDigits = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}` : `${minutes}:${twoDigits(seconds % 60)}`;
}

/** Return a waiting time in whole seconds, rounded up: "0:23". @param {number} ms */
export function waitingTime(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param {import("./messages.js").ClockSetting|null} clock */
export function clockText(clock) {
  if (!clock) return t("clock.none");
  if (clock.mode === "move") return t("clock.move", { time: duration(clock.move_ms) });
  return t("clock.fischer", { time: duration(clock.initial_ms), bonus: clock.increment_ms / 1000 });
}
