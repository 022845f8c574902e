import { clockText, t } from "./i18n.js";
import { levelName } from "./room_text.js";

/** The options of the select elements: clocks, levels and marks. */

/** @typedef {import("./messages.js").Variant} Variant */
/** @typedef {import("./messages.js").ClockSetting} ClockSetting */

/** @type {readonly (ClockSetting|null)[]} */
const CLOCKS = [
  null,
  { mode: "move", move_ms: 10_000 },
  { mode: "move", move_ms: 30_000 },
  { mode: "move", move_ms: 60_000 },
  { mode: "move", move_ms: 86_400_000 },
  { mode: "fischer", initial_ms: 60_000, increment_ms: 1_000 },
  { mode: "fischer", initial_ms: 180_000, increment_ms: 2_000 },
  { mode: "fischer", initial_ms: 300_000, increment_ms: 3_000 },
  { mode: "fischer", initial_ms: 600_000, increment_ms: 5_000 },
];

/**
 * Return an option for each clock setting. Its value is the setting as JSON.
 * @param {ClockSetting|null} [roomSetting] is added unless it is one of them
 */
export function clockOptions(roomSetting = null) {
  const options = CLOCKS.map((setting) => ({ value: JSON.stringify(setting), text: clockText(setting) }));
  const value = JSON.stringify(roomSetting);
  if (!options.some((option) => option.value === value)) options.push({ value, text: clockText(roomSetting) });
  return options;
}

/** @param {Variant|undefined|null} variant */
export const levelOptions = (variant) => (variant?.levels ?? []).map((value) => ({ value, text: levelName(value) }));

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

export const markOptions = () => [
  { value: "random", text: t("start.mark.random") },
  { value: "X", text: t("start.mark.X") },
  { value: "O", text: t("start.mark.O") },
];
