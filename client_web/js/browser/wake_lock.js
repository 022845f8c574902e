import { service } from "./storage.js";

/**
 * Keep the screen on while a page asks for it and is seen. Where the browser has no such lock, or refuses it, nothing happens.
 */

const UNTOUCHED_MS = 600_000;

/** @param {number} [untouchedMs] how long the screen stays on without a touch or a key, or Infinity */
export function createWakeLock(untouchedMs = UNTOUCHED_MS) {
  let isWanted = false;
  let touchedAt = performance.now();
  /** @type {Promise<WakeLockSentinel|null>|null} */
  let lock = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;

  /** Take or give back the lock, as the page needs it now. */
  function follow() {
    clearTimeout(timer);
    const leftMs = touchedAt + untouchedMs - performance.now();
    const needsLock = isWanted && !document.hidden && leftMs > 0;
    if (needsLock) {
      if (leftMs < Infinity) timer = setTimeout(follow, leftMs);
      lock ??=
        service(() => navigator.wakeLock)
          ?.request("screen")
          .catch(() => null) ?? null;
    } else if (lock) {
      void lock.then((sentinel) => sentinel?.release()).catch(() => {});
      lock = null;
    }
  }

  function noteTouch() {
    touchedAt = performance.now();
    if (isWanted && !lock) follow();
  }

  document.addEventListener("visibilitychange", follow);
  for (const type of ["pointerdown", "keydown"]) document.addEventListener(type, noteTouch);
  return {
    /** @param {boolean} wanted */
    want(wanted) {
      if (wanted === isWanted) return;
      isWanted = wanted;
      touchedAt = performance.now();
      follow();
    },
    dispose() {
      isWanted = false;
      follow();
      document.removeEventListener("visibilitychange", follow);
      for (const type of ["pointerdown", "keydown"]) document.removeEventListener(type, noteTouch);
    },
  };
}
