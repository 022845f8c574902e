import { updateBy } from "../browser/update_by.js";
import { levelAfterChange } from "../texts/names.js";

/** The state of the start page. `update` is its only way to change: a pure function of the state and a change. */

/** @import { StoredChoice } from "../browser/preferences.js" */
/** @import { Variant } from "../net/messages.js" */

/**
 * @typedef {{choice: StoredChoice, variants: readonly Variant[], isBusy: boolean, played: string|null, tapped: string|null}}
 *   StartState
 *   `isBusy` is true while a room is made. `played` is the cell that its first move plays, and `tapped` the cell that a second
 *   tap plays.
 * @typedef {{type: "choose", change: Partial<StoredChoice>} | {type: "busy", isBusy: boolean, cell: string|null}
 *   | {type: "confirm_tap", cell: string|null}} Change
 */

/** @param {StoredChoice} choice @param {readonly Variant[]} variants @returns {StartState} */
export const createStartState = (choice, variants) => ({
  choice: { ...choice, level: levelAfterChange(choice.level, undefined, variantNamed(variants, choice.variant)) },
  variants,
  isBusy: false,
  played: null,
  tapped: null,
});

/** Return a variant by its key, or the first. @param {readonly Variant[]} variants @param {string} key */
export const variantNamed = (variants, key) => variants.find((variant) => variant.key === key) ?? variants[0];

/** Return the chosen variant. @param {StartState} state */
export const chosenVariant = ({ variants, choice }) => variantNamed(variants, choice.variant);

/** Return the state after a change. @type {(state: StartState, change: Change) => StartState} */
export const update = updateBy({
  choose: ({ choice, variants }, { change }) => {
    const next = { ...choice, ...change };
    const [before, after] = [choice, next].map(({ variant }) => variantNamed(variants, variant));
    return { choice: { ...next, level: levelAfterChange(next.level, before, after) } };
  },
  busy: (_, { isBusy, cell }) => ({ isBusy, played: cell }),
  confirm_tap: (_, { cell }) => ({ tapped: cell }),
});
