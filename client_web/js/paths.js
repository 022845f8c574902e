/**
 * Every address that the page uses, in one place. All are derived from where this very file was served
 * (`<base>/static/js/paths.js`), so that a server below a sub-path needs no change here.
 */
const base = new URL("../../", import.meta.url);
let shared = base.href;

/** @param {string} path without a leading slash */
const under = (path) => new URL(path, base).href;

export const api = (/** @type {string} */ path) => under("api/" + path);
export const home = () => base.pathname;
export const room = (/** @type {string} */ id) => base.pathname + "r/" + encodeURIComponent(id);

/** What links to give away begin with, where that is not where this page came from. @param {string} url */
export function linksBeginWith(url) {
  shared = url + "/";
}

export const roomLink = (/** @type {string} */ id) => shared + "r/" + encodeURIComponent(id);
export const inviteLink = (/** @type {string} */ id, /** @type {string} */ invite) => roomLink(id) + "#i=" + invite;

/** Whether such links lead nowhere but to this very machine. */
export const linksStayHere = () => /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])[:/]/.test(shared);

export function socket() {
  const url = new URL("ws", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** A plain GET of the socket's address: the server answers it with a hint about proxies that drop Upgrade. */
export const socketProbe = () => under("ws");

/**
 * The room that an address names, or null for the start page.
 * @param {string} pathname
 */
export function roomIn(pathname) {
  const rest = pathname.startsWith(base.pathname) ? pathname.slice(base.pathname.length) : "";
  const match = /^r\/([^/]+)\/?$/.exec(rest);
  if (!match) return null;
  try {
    return decodeURIComponent(match[1] ?? "");
  } catch {
    return match[1] ?? null;
  }
}
