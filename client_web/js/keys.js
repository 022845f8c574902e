import { browserStorage } from "./storage.js";

/**
 * Keys of one character, such as M and /. They can be turned off, because speech input and a slip of a finger may type them
 * (WCAG 2.2, 2.1.4).
 */

const KEY = "noughts.keys";
const TYPED_INTO = "input:not([type=radio], [type=checkbox], [type=range]), select, textarea, dialog:modal";

export const characterKeysAreOn = () => browserStorage.get(KEY) !== "off";

/** @param {boolean} value */
export const setCharacterKeys = (value) => browserStorage.set(KEY, value ? null : "off");

/**
 * Return the key of one character that was pressed outside of inputs for text and of dialogs, in lower case, or "".
 * @param {KeyboardEvent} event
 */
export function characterKey({ key, target, ctrlKey, metaKey, altKey, defaultPrevented }) {
  if (key.length !== 1 || ctrlKey || metaKey || altKey || defaultPrevented || !characterKeysAreOn()) return "";
  return target instanceof Element && target.closest(TYPED_INTO) ? "" : key.toLowerCase();
}
