/**
 * Keep the screen on while a page asks for it and is seen, for at most ten minutes without a touch or a key. Where the browser
 * has no such lock, or refuses it, nothing happens.
 */

const UNTOUCHED_MS = 600_000;

export function createWakeLock() {
  let isWanted = false;
  let touchedAt = performance.now();
  /** @type {Promise<WakeLockSentinel|null>|null} */
  let lock = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;

  /** Take or give back the lock, as the page needs it now. */
  function follow() {
    clearTimeout(timer);
    const leftMs = touchedAt + UNTOUCHED_MS - performance.now();
    const needsLock = isWanted && !document.hidden && leftMs > 0;
    if (needsLock) {
      timer = setTimeout(follow, leftMs);
      lock ??= navigator.wakeLock?.request("screen").catch(() => null) ?? null;
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
