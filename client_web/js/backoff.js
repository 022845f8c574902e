/** How long a client waits before it tries to connect again. */

const FIRST_MS = 400;
const MAX_MS = 15_000;
const MIN_MS = 100;
const RATE_LIMITED = 4429;
const RATE_LIMITED_MIN_MS = 5_000;

/**
 * Return the ms to wait before a try: a random part of a time that doubles with each try. Randomness spreads the
 * clients of a server that was restarted ("full jitter", M. Brooker, Exponential Backoff And Jitter, 2015).
 * @param {number} attempt 1 for the first try after the connection was lost
 * @param {number} code the close code of the lost connection, 0 if there was none
 * @param {number} random from 0 to 1
 */
export function backoffMs(attempt, code, random) {
  const minimum = code === RATE_LIMITED ? RATE_LIMITED_MIN_MS : MIN_MS;
  return minimum + random * Math.min(MAX_MS, FIRST_MS * 2 ** attempt);
}
