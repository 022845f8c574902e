/**
 * The server's time. The clock of a device may be a day wrong, and may be set while you play. So the server's time is counted
 * from its last message by `performance.now()`, which nobody sets. That may stop while the device sleeps. Then the device's
 * clock has jumped against it, and the server must be asked again.
 */

/** @typedef {ReturnType<typeof createClock>} ServerClock */

const JUMP_MS = 500;

/** Create the clock of one server. It shows the device's time until the server has said its own. */
export function createClock() {
  const deviceOffset = () => Date.now() - performance.now();
  let deviceMs = deviceOffset();
  let serverMs = deviceMs;
  let isExact = false;
  return {
    /** Return the server's time in ms. */
    now: () => performance.now() + serverMs,
    /** Take over the time in a message of the server. @param {number} nowMs */
    sync(nowMs) {
      isExact = true;
      serverMs = nowMs - performance.now();
    },
    /** Take over the second of an HTTP answer, unless a message of the server was more exact. @param {number} nowMs */
    estimate(nowMs) {
      if (!isExact) serverMs = nowMs - performance.now();
    },
    /** Return whether the two clocks of the device have moved against each other since the last look. */
    hasJumped() {
      const before = deviceMs;
      deviceMs = deviceOffset();
      return Math.abs(deviceMs - before) > JUMP_MS;
    },
  };
}

/** The time of the page's own server. */
export const serverClock = createClock();
