import { plural, t, textOfName } from "./i18n.js";
import { clockText } from "./times.js";

/** Names of levels, seats and authors, and the options of select elements: clocks, levels and marks. */

/** @import { ClockSetting, Mark, Seat, SeatEngineCommand, Variant } from "../net/messages.js" */

/** @param {string} level */
export const levelName = (level) => textOfName("level.", level);

/** @param {Seat|null} seat */
export function seatName(seat) {
  if (!seat) return t("room.empty");
  return seat.kind === "engine" ? t("engine.name") : seat.name || t("guest.someone");
}

/** Return the engine's name with its level. @param {string} level */
export const engineName = (level) => `${t("engine.name")}\u00a0·\u00a0${levelName(level)}`;

/** Return the name of a seat's holder where no level stands beside it. @param {Seat|null} seat */
export const nameWithLevel = (seat) => (seat?.kind === "engine" ? engineName(seat.level) : seatName(seat));

/** @param {{name: string, mark: Mark|null}} author of a chat line */
export const authorName = ({ name, mark }) => (name || t("guest.someone")) + (mark ? ` (${mark})` : "");

/** @type {readonly (ClockSetting|null)[]} */
const CLOCKS = [
  null,
  { mode: "move", move_ms: 10_000 },
  { mode: "move", move_ms: 30_000 },
  { mode: "move", move_ms: 60_000 },
  { mode: "fischer", initial_ms: 60_000, increment_ms: 1_000 },
  { mode: "fischer", initial_ms: 180_000, increment_ms: 2_000 },
  { mode: "fischer", initial_ms: 300_000, increment_ms: 3_000 },
  { mode: "fischer", initial_ms: 600_000, increment_ms: 5_000 },
];

/** The paces of a game with a friend: days for each move, or no clock. @type {readonly (ClockSetting|null)[]} */
const PACES = [null, { mode: "days", days: 1 }, { mode: "days", days: 3 }, { mode: "days", days: 7 }];

/** Return an option for each pace of a game with a friend. Its value is the setting as JSON. */
export const paceOptions = () =>
  PACES.map((pace) => ({
    value: JSON.stringify(pace),
    text: pace?.mode === "days" ? plural("days", pace.days) : t("pace.none"),
  }));

/**
 * Return an option for each clock setting. Its value is the setting as JSON.
 * @param {ClockSetting|null} [roomSetting] is added unless it is one of them
 * @param {boolean} [withDays] offers days for a move, which only people need
 */
export function clockOptions(roomSetting = null, withDays = false) {
  const settings = withDays ? [...PACES, ...CLOCKS.slice(1)] : CLOCKS;
  const options = settings.map((setting) => ({ value: JSON.stringify(setting), text: clockText(setting) }));
  const value = JSON.stringify(roomSetting);
  if (!options.some((option) => option.value === value)) options.push({ value, text: clockText(roomSetting) });
  return options;
}

/** @param {Variant|undefined|null} variant */
export const levelOptions = (variant) => (variant?.levels ?? []).map((value) => ({ value, text: levelName(value) }));

/** Return the level that is selected. @param {HTMLSelectElement} select */
export const levelOf = ({ value }) => /** @type {SeatEngineCommand["level"]} */ (value);

/** Return the level that is selected at first. @param {Variant|undefined|null} variant */
export const defaultLevel = (variant) => (variant?.levels.includes("casual") ? "casual" : (variant?.levels[0] ?? ""));

/**
 * Return the level to select after a change of variant: the same level if the new variant has it. Else the highest level
 * stays the highest, and any other becomes the default.
 * @param {string|undefined} level @param {Variant|undefined} before @param {Variant|undefined} after
 */
export function levelAfterChange(level, before, after) {
  if (level && after?.levels.includes(level)) return level;
  return (level && level === before?.levels.at(-1) && after?.levels.at(-1)) || defaultLevel(after);
}

const SERIES = [null, 3, 5, 10];

/** Return an option for each length of a series. @param {number|null} [firstTo] is added unless it is one of them */
export function seriesOptions(firstTo = null) {
  const lengths = SERIES.includes(firstTo) ? SERIES : [...SERIES, firstTo];
  return lengths.map((n) => ({
    value: JSON.stringify(n),
    text: n === null ? t("series.none") : t("series.first_to", { n }),
  }));
}

/** Return whether X has the better of a game, so that a fair start is worth a choice. @param {string|undefined} variant */
export const isUneven = (variant) =>
  ["vanishing", "four-in-a-row", "qubic", "gomoku", "ultimate"].includes(variant ?? "");
