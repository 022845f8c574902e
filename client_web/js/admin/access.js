import { tabStorage } from "../browser/storage.js";
import { requestAt } from "../net/api.js";
import { HttpError } from "../net/http.js";
import { adminHash, adminUrl, setAddress } from "../net/urls.js";

/**
 * What lets this tab use the endpoints under /admin/. A link that `noughts admin` prints has a code in its fragment. The code
 * works once and is exchanged for a secret.
 *
 * The secret stays in the storage of this tab, and requests carry it in a header. No other tab has it, no other server of this
 * computer gets it, as it would get a cookie, and a page of another site cannot send it.
 */

/** @typedef {{secret: string, expires_ms: number}} Access */

const KEY = "noughts.admin";

/** @type {Access} */
const ACCESS = { secret: "", expires_ms: 0 };
export const storedAccess = () => tabStorage.load(KEY, ACCESS);

/** Forget the secret. */
export const dropAccess = () => tabStorage.set(KEY, null);

/** Return whether the server no longer knows the secret or the code: it answers as if there were nothing. @param {unknown} error */
export const isUnknown = (error) => error instanceof HttpError && error.code === "not_found";

/**
 * Send a request. Return the JSON of the response. Throw an HttpError.
 * @param {string} method @param {string} path below /admin/ @param {unknown} [body]
 */
export const adminRequest = (method, path, body) =>
  requestAt(method, adminUrl(path), { token: storedAccess()?.secret ?? null, body });

/** The newest code, and its exchange. @type {{code: string, done: Promise<void>}|null} */
let exchange = null;

/** Return whether this tab came through a link, or has the secret. */
export const isInvited = () => exchange !== null || location.hash.includes("=") || storedAccess() !== null;

/** Exchange the code of the URL, if there is one. Throw an HttpError if the server cannot be reached. */
export async function takeCode() {
  const [, code] = location.hash.split("=");
  if (code && exchange?.code !== code) exchange = { code, done: exchangeCode(code) };
  try {
    await exchange?.done;
  } catch (error) {
    exchange = null; // the code may still work
    throw error;
  }
}

/** @param {string} code */
async function exchangeCode(code) {
  try {
    const { session: secret, expires_ms } = await adminRequest("POST", "session", { code });
    tabStorage.set(KEY, JSON.stringify({ secret, expires_ms }));
  } catch (error) {
    if (!isUnknown(error)) throw error;
  }
  setAddress(adminHash);
}
