import { listen } from "../browser/dom.js";
import { warn } from "../browser/toasts.js";
import { browserStorage } from "../browser/storage.js";
import { t } from "../texts/i18n.js";
import { request } from "./api.js";
import { HttpError } from "./http.js";

/**
 * The guest account of this browser: a player and a secret token, created when the guest first needs them. Another tab may
 * create, rename or delete the account too, so every function reads it from storage.
 */

/** @import { Player } from "./messages.js" */

/** @typedef {{token: string, player: Player}} Account */

const GUEST_KEY = "noughts.guest";
const changes = new EventTarget();
/** @type {Promise<string>|null} */
let creation = null;

/** @type {Account} */
const ACCOUNT = { token: "", player: { id: "", name: "" } };
export const loadAccount = () => browserStorage.load(GUEST_KEY, ACCOUNT);

/** @param {Account|null} account */
export function saveAccount(account) {
  browserStorage.set(GUEST_KEY, account && JSON.stringify(account));
  reportChange();
}

const reportChange = () => changes.dispatchEvent(new Event("change"));
listen(window, "storage", ({ key }) => key === GUEST_KEY && reportChange());

export const guestToken = () => loadAccount()?.token ?? null;
export const guestPlayer = () => loadAccount()?.player ?? null;

/** Listen to changes of the account. @param {() => void} listener @returns {() => void} removes the listener */
export const onGuestChange = (listener) => listen(changes, "change", listener);

/** Return the token. Create an account first if there is none. @param {string} [name] @returns {Promise<string>} */
export function ensureToken(name) {
  const storedToken = guestToken();
  if (storedToken) return Promise.resolve(storedToken);
  creation ??= request("POST", "players", { body: name ? { name } : {} })
    .then((account) => {
      saveAccount(account);
      return account.token;
    })
    .finally(() => {
      creation = null;
    });
  return creation;
}

/** Take over a name that was changed on another device. @param {Player|null} sender the player in a welcome message */
export function syncName(sender) {
  const account = loadAccount();
  if (account && sender && account.player.id === sender.id && account.player.name !== sender.name)
    saveAccount({ ...account, player: sender });
}

/** Remove the account from this browser, because the server does not know its token. @param {string} unknownToken */
export function discardGuest(unknownToken) {
  if (guestToken() !== unknownToken) return;
  saveAccount(null);
  warn(t("guest.unknown"));
}

/**
 * Send a request with the guest's token, and once more with a new account's token if the server does not know the first.
 * @param {string} method @param {string} path @param {unknown} [body]
 */
export async function requestAsGuest(method, path, body) {
  const firstToken = await ensureToken();
  try {
    return await request(method, path, { token: firstToken, body });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 401) throw error;
    discardGuest(firstToken);
    return request(method, path, { token: await ensureToken(), body });
  }
}

/** @param {string} name */
export async function renameGuest(name) {
  if (!guestToken()) {
    await ensureToken(name);
    return;
  }
  const { player: renamedPlayer } = await requestAsGuest("PATCH", "players/me", { name });
  const account = loadAccount();
  if (account) saveAccount({ ...account, player: renamedPlayer });
}

/**
 * Return a code with which another device can use this account.
 * @returns {Promise<{code: string, expires_ms: number}>}
 */
export const createResumeCode = () => requestAsGuest("POST", "players/me/resume-code");
