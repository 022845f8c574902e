import { plural, t, textLocale } from "./i18n.js";

/** Durations in words and figures. Moments are formatted in `moments.js`: all that the page shows of time is in these two. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** @param {number} n */
const twoDigits = (n) => String(n).padStart(2, "0");

/** Return a duration in its largest unit: 90000 gives "1.5 min". @param {number} ms */
export function duration(ms) {
  const rounded = (/** @type {number} */ n) => Math.round(n * 10) / 10;
  if (ms < MINUTE_MS) return t("time.s", { n: rounded(ms / SECOND_MS) });
  if (ms < HOUR_MS) return t("time.min", { n: rounded(ms / MINUTE_MS) });
  if (ms < DAY_MS) return t("time.h", { n: rounded(ms / HOUR_MS) });
  return t("time.d", { n: rounded(ms / DAY_MS) });
}

/** Return a duration in whole units: 150000 gives "2 min". @param {number} ms */
export function age(ms) {
  const unitMs = [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS].findLast((unit) => ms >= unit) ?? SECOND_MS;
  return duration(Math.max(0, Math.floor(ms / unitMs) * unitMs));
}

/** Return the time left on a clock: "1:05", and "4.2" in the last ten seconds. @param {number} ms */
export function countdown(ms) {
  const left = Math.max(0, ms);
  const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  if (left < 10_000) return (Math.floor(left / 100) / 10).toLocaleString(textLocale(), tenths);
  const seconds = Math.floor(left / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}` : `${minutes}:${twoDigits(seconds % 60)}`;
}

/**
 * Return the time left in words: "3 days left". Days are rounded, so that a new clock shows its whole time; the shorter
 * units are rounded down.
 * @param {number} ms
 */
export function timeLeftText(ms) {
  if (ms >= 2 * DAY_MS) return plural("left.days", Math.round(ms / DAY_MS));
  if (ms >= HOUR_MS) return plural("left.hours", Math.floor(ms / HOUR_MS));
  return ms >= MINUTE_MS ? plural("left.minutes", Math.floor(ms / MINUTE_MS)) : t("left.soon");
}

/** Return a waiting time in whole seconds, rounded up: "0:23". @param {number} ms */
export function waitingTime(ms) {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`;
}

/** Return the time that a clock gives at first, for a move or for the game, in ms. @param {import("../net/messages.js").ClockSetting} clock */
export function wholeTime(clock) {
  if (clock.mode === "move") return clock.move_ms;
  return clock.mode === "days" ? clock.days * DAY_MS : clock.initial_ms;
}

/** @param {import("../net/messages.js").ClockSetting|null} clock */
export function clockText(clock) {
  if (!clock) return t("clock.none");
  if (clock.mode === "fischer")
    return t("clock.fischer", { time: duration(clock.initial_ms), bonus: clock.increment_ms / SECOND_MS });
  const time = clock.mode === "days" ? plural("days", clock.days) : duration(wholeTime(clock));
  return t("clock.move", { time });
}
