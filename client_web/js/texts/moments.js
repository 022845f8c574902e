import { textLocale } from "./i18n.js";

/** Moments in words and figures. No first page shows any. */

/** Return the time of day of a moment, by the browser's clock of 12 or 24 hours. @param {number} ms since 1970 */
export const timeOfDay = (ms) => {
  const { hourCycle } = new Intl.DateTimeFormat([], { hour: "numeric" }).resolvedOptions();
  return new Date(ms).toLocaleTimeString(textLocale(), { hour: "2-digit", minute: "2-digit", hourCycle });
};

/** Return a day in words: "28 Nov". @param {number} ms since 1970 @param {Intl.DateTimeFormatOptions} [shape] */
export const dayText = (ms, shape = { day: "numeric", month: "short" }) =>
  new Date(ms).toLocaleDateString(textLocale(), { ...shape, numberingSystem: "latn" });
