import { ApiError, call } from "./api.js";
import { t } from "./i18n.js";
import { toast } from "./live.js";
import { forThisTab, lasting } from "./storage.js";

/**
 * Who sits before this screen: a guest with a secret token, made only when somebody first needs one.
 * Another tab may make, change or forget it meanwhile, so it is read from storage each time.
 */

/** @typedef {import("./wire.js").Player} Player */

const KEY = "noughts.guest";
const INVITE = "noughts.invite.";
/** @type {Set<() => void>} */
const listeners = new Set();
/** @type {Promise<string>|null} */
let making = null;
/** The token that the server is being asked to forget: it closes the sockets before it answers. @type {string|null} */
let forgetting = null;

/** @returns {{token: string, player: Player}|null} */
function stored() {
  try {
    const guest = JSON.parse(lasting.get(KEY) ?? "null");
    return typeof guest?.token === "string" && typeof guest?.player?.id === "string" ? guest : null;
  } catch {
    return null;
  }
}

/** @param {{token: string, player: Player}|null} guest */
function keep(guest) {
  lasting.set(KEY, guest && JSON.stringify(guest));
  for (const heard of listeners) heard();
}

window.addEventListener("storage", (event) => {
  if (event.key === KEY) for (const heard of listeners) heard();
});

export const token = () => stored()?.token ?? null;
export const player = () => stored()?.player ?? null;

/** @param {() => void} heard @returns {() => void} */
export function onChange(heard) {
  listeners.add(heard);
  return () => listeners.delete(heard);
}

/** The token, made now if there is none. @param {string} [name] @returns {Promise<string>} */
export function ensure(name) {
  const have = token();
  if (have) return Promise.resolve(have);
  making ??= call("POST", "players", { body: name ? { name } : {} })
    .then((guest) => {
      keep(guest);
      return guest.token;
    })
    .finally(() => {
      making = null;
    });
  return making;
}

/** What the server said about us in a welcome. @param {Player|null} known */
export function learn(known) {
  const guest = stored();
  if (guest && known && guest.player.id === known.id && guest.player.name !== known.name) keep({ ...guest, player: known });
}

/** The server does not know this token any more, which is news unless it was asked to forget it. @param {string} refused */
export function drop(refused) {
  if (token() !== refused) return;
  keep(null);
  if (refused !== forgetting) toast(t("who.dropped"));
}

/**
 * A call in the guest's name, who is made if need be; a refused token is replaced once.
 * @param {string} method @param {string} path @param {unknown} [body]
 */
export async function callAsGuest(method, path, body) {
  const used = await ensure();
  try {
    return await call(method, path, { token: used, body });
  } catch (fault) {
    if (!(fault instanceof ApiError) || fault.status !== 401) throw fault;
    drop(used);
    return call(method, path, { token: await ensure(), body });
  }
}

/** @param {string} name */
export async function rename(name) {
  if (!token()) {
    await ensure(name);
    return;
  }
  const { player: renamed } = await callAsGuest("PATCH", "players/me", { name });
  const guest = stored();
  if (guest) keep({ ...guest, player: renamed });
}

export async function forget() {
  const used = token();
  forgetting = used;
  try {
    if (used) await call("DELETE", "players/me", { token: used });
  } finally {
    forgetting = null;
  }
  keep(null);
}

/** @returns {Promise<{code: string, expires_ms: number}>} */
export const resumeCode = () => callAsGuest("POST", "players/me/resume-code");

/** @param {string} code */
export async function resume(code) {
  keep(await call("POST", "players/resume", { body: { code } }));
}

/** The invite of a room is a secret of this tab. @param {string} room */
export const invite = (room) => forThisTab.get(INVITE + room);

/** @param {string} room @param {string} secret */
export const keepInvite = (room, secret) => forThisTab.set(INVITE + room, secret);
