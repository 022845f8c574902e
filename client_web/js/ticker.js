import { startInterval } from "./dom.js";

/** A timer that runs only while something on the page counts time. */

const TICK_MS = 200;

/** @param {() => void} tick */
export function createTicker(tick) {
  /** @type {(() => void)|null} */
  let stop = null;
  return {
    /** @param {boolean} isNeeded */
    set(isNeeded) {
      if (isNeeded === (stop !== null)) return;
      stop?.();
      stop = isNeeded ? startInterval(TICK_MS, tick) : null;
    },
  };
}
