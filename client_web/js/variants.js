import { call } from "./api.js";
import { clockText, t } from "./i18n.js";
import * as paths from "./paths.js";
import { levelName } from "./view.js";

/** What the server offers to play, fetched once, and the choices that follow from it. */

/** @typedef {import("./wire.js").Variant} Variant */
/** @typedef {import("./wire.js").ClockSetting} ClockSetting */
/** @typedef {import("./wire.js").Features} Features */

/** @type {Promise<Variant[]>|null} */
let loading = null;
/** @type {Features} */
let offered = { lobby: true, free_names: true, public_url: null };

/** What else the server offers, known once the variants are. */
export const features = () => offered;

/** @returns {Promise<Variant[]>} */
export function variants() {
  loading ??= call("GET", "variants").then((answer) => {
    offered = { ...offered, ...answer.features };
    if (offered.public_url) paths.linksBeginWith(offered.public_url);
    return answer.variants;
  }).catch((fault) => {
    loading = null;
    throw fault;
  });
  return loading;
}

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

/** The value of a choice is the setting itself as JSON. @param {ClockSetting|null} [extra] one that a room has already */
export function clockChoices(extra = null) {
  const all = CLOCKS.map((clock) => ({ value: JSON.stringify(clock), text: clockText(clock) }));
  const value = JSON.stringify(extra);
  if (!all.some((one) => one.value === value)) all.push({ value, text: clockText(extra) });
  return all;
}

/** @param {Variant|undefined|null} variant */
export const levelChoices = (variant) => (variant?.levels ?? []).map((value) => ({ value, text: levelName(value) }));

/** @param {Variant|undefined|null} variant the level that a newcomer should meet first */
export const usualLevel = (variant) => (variant?.levels.includes("casual") ? "casual" : variant?.levels[0] ?? "");

/**
 * The level to choose after a change of the game: the same, or the top of the one for the top of the other.
 * @param {string|undefined} level @param {Variant|undefined} before @param {Variant|undefined} after
 */
export function levelAfter(level, before, after) {
  if (level && after?.levels.includes(level)) return level;
  return (level && level === before?.levels.at(-1) && after?.levels.at(-1)) || usualLevel(after);
}

export const markChoices = () => [
  { value: "random", text: t("start.mark.random") },
  { value: "X", text: t("start.mark.X") },
  { value: "O", text: t("start.mark.O") },
];
