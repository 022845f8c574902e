/**
 * Every URL that the page uses. They all derive from the URL of this file (`<base>/static/js/urls.js`), so the page also
 * works on a server below a sub-path.
 */
const base = new URL("../../", import.meta.url);
let linkBase = base.href;

/** @param {string} path without a leading slash */
const absolute = (path) => new URL(path, base).href;

export const api = (/** @type {string} */ path) => absolute("api/" + path);
export const home = () => base.pathname;
export const room = (/** @type {string} */ id) => base.pathname + "r/" + encodeURIComponent(id);

/** Set the URL with which invite and watch links begin. @param {string} url without a trailing slash */
export function setPublicUrl(url) {
  linkBase = url + "/";
}

export const watchLink = (/** @type {string} */ id) => linkBase + "r/" + encodeURIComponent(id);
export const inviteLink = (/** @type {string} */ id, /** @type {string} */ invite) => watchLink(id) + "#i=" + invite;

/** Return whether links work only on this computer. */
export const linksAreLocal = () => /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])[:/]/.test(linkBase);

export function socket() {
  const url = new URL("ws", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** The WebSocket's URL for a plain GET. The server answers it with a hint about proxies that drop the Upgrade header. */
export const socketProbe = () => absolute("ws");

/**
 * Return the id of the room in a path, or null for the start page.
 * @param {string} pathname
 */
export function roomIdFrom(pathname) {
  const rest = pathname.startsWith(base.pathname) ? pathname.slice(base.pathname.length) : "";
  const match = /^r\/([^/]+)\/?$/.exec(rest);
  if (!match) return null;
  try {
    return decodeURIComponent(match[1] ?? "");
  } catch {
    return match[1] ?? null;
  }
}
