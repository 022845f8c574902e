import { hasModifier } from "./dom.js";
import { browserStorage } from "./storage.js";

/**
 * Keys of one character, such as M and R. They can be turned off, because speech input and a slip of a finger may type them
 * (WCAG 2.2, 2.1.4).
 */

const CHARACTER_KEYS_KEY = "noughts.keys";
const TYPED_INTO = "input:not([type=radio], [type=checkbox], [type=range]), select, textarea, dialog:modal";

export const characterKeysAreOn = () => browserStorage.get(CHARACTER_KEYS_KEY) !== "off";

/** @param {boolean} value */
export const setCharacterKeys = (value) => browserStorage.set(CHARACTER_KEYS_KEY, value ? null : "off");

/**
 * Return the key of one character that was pressed outside of inputs for text and of dialogs, in lower case, or "".
 * @param {KeyboardEvent} event
 */
export function characterKey(event) {
  const { key, target, defaultPrevented, repeat, isComposing } = event;
  if (key.length !== 1 || hasModifier(event) || event.getModifierState("AltGraph")) return "";
  if (defaultPrevented || repeat || isComposing || !characterKeysAreOn()) return "";
  return target instanceof Element && target.closest(TYPED_INTO) ? "" : latinKey(event);
}

/** Return a character in lower case. On a keyboard of another script, return that of the same place. @param {KeyboardEvent} event */
function latinKey({ key, code, shiftKey }) {
  if (key <= "~") return key.toLowerCase();
  if (code === "Slash") return shiftKey ? "?" : "";
  return code.startsWith("Key") ? code.slice(3).toLowerCase() : "";
}

/**
 * Return the ply to which a key steps, or undefined. Inputs, dialogs and the board have arrows of their own.
 * @param {KeyboardEvent} event @param {number} ply @param {number} last
 */
export function plyForKey({ key, target }, ply, last) {
  const isOwned = target instanceof Element && target.closest("input, select, textarea, dialog:modal, [role=gridcell]");
  if (isOwned) return undefined;
  if (key === "ArrowLeft") return Math.max(0, ply - 1);
  if (key === "ArrowRight") return Math.min(last, ply + 1);
  if (key === "Home") return 0;
  return key === "End" ? last : undefined;
}
