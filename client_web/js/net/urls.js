/**
 * Every URL that the page uses. They all derive from the URL of this file (`<base>/static/<hash>/js/net/urls.js`), so the page
 * also works on a server below a sub-path.
 */
const base = new URL("../../../../", import.meta.url);
let linkBase = base.href;

/** @param {string} path without a leading slash */
const absolute = (path) => new URL(path, base).href;

export const apiUrl = (/** @type {string} */ path) => absolute("api/" + path);
export const homeUrl = () => base.pathname;
export const adminUrl = (/** @type {string} */ path) => absolute("admin/" + path);
export const adminHash = "#admin";

/** Return whether the operator's page is meant. It is the start page with a fragment. @param {string} path */
export const isAdminPath = (path) => path === homeUrl() && location.hash.startsWith(adminHash);
/**
 * Put a URL into the address bar. The browser may refuse: it takes 100 in 10 seconds. Return whether it took this one.
 * @param {string} url @param {boolean} [isNew] whether *Back* leads to the URL from before
 */
export function setAddress(url, isNew = false) {
  try {
    if (isNew) history.pushState(null, "", url);
    else history.replaceState(history.state, "", url);
    return true;
  } catch {
    return false;
  }
}

export const serviceWorkerUrl = () => absolute("service-worker.js");
export const roomUrl = (/** @type {string} */ id) => base.pathname + "r/" + encodeURIComponent(id);

/** Set the URL with which invite and watch links begin. @param {string} url without a trailing slash */
export function setPublicUrl(url) {
  linkBase = url + "/";
}

export const watchLink = (/** @type {string} */ id) => linkBase + "r/" + encodeURIComponent(id);
export const inviteLink = (/** @type {string} */ id, /** @type {string} */ invite) => watchLink(id) + "#i=" + invite;

/** Return whether links work only on this computer. */
export const linksAreLocal = () => /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])[:/]/.test(linkBase);

export function socketUrl() {
  const url = new URL("ws", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** Return the part of a path below the base path. @param {string} pathname */
const below = (pathname) => (pathname.startsWith(base.pathname) ? pathname.slice(base.pathname.length) : "");

/** Return the path of a puzzle's page. @param {string} id */
export const puzzleUrl = (id) => base.pathname + "puzzle/" + encodeURIComponent(id);
export const puzzleLink = (/** @type {string} */ id) => linkBase + "puzzle/" + encodeURIComponent(id);

/** Return the fragment of a chapter about minimax, with a position. @param {string} chapter @param {readonly string[]} [moves] */
export const learnHash = (chapter, moves = []) => `#${chapter}${moves.length ? `=${moves.join(",")}` : ""}`;

/** Return the path of the page about minimax, with a chapter and a position. @param {string} [chapter] @param {readonly string[]} [moves] */
export const learnUrl = (chapter, moves) => `${base.pathname}learn${chapter ? learnHash(chapter, moves) : ""}`;
export const docUrl = (/** @type {string} */ page) => `${base.pathname}docs/${page}`;

export const tournamentUrl = (/** @type {string} */ id) => base.pathname + "t/" + encodeURIComponent(id);
export const tournamentLink = (/** @type {string} */ id, pin = "") =>
  linkBase + "t/" + encodeURIComponent(id) + (pin && "#p=" + pin);
export const wallUrl = (/** @type {string} */ id, /** @type {string} */ pin) => tournamentUrl(id) + "/wall#p=" + pin;
export const joinPath = () => base.pathname + "join";
export const joinUrl = () => linkBase + "join";

/**
 * Return a secret in the fragment of a link, also where a chat program encoded its "=", or "".
 * @param {string} name "i" for an invite, "p" for a PIN @param {string} hash
 */
export function secretIn(name, hash = location.hash) {
  return new RegExp(`[#&]${name}=([^&]*)`, "i").exec(decoded(hash))?.[1] ?? "";
}

/** Return the invite in the fragment of a link, without what a chat program took for a part of it. */
export const inviteIn = (hash = location.hash) => /^[\w-]+/.exec(secretIn("i", hash))?.[0] ?? "";

/** The paths of the pages but the start page, embedded or not. A group is the id of what a page shows. */
const PAGES = {
  room: /^(?:embed\/)?r\/([^/]+)\/?$/,
  replay: /^(?:embed\/)?replay(?:\/([^/]+)\/([^/]+))?\/?$/,
  puzzle: /^(?:embed\/)?puzzle(?:\/([\w-]*)[^/]*)?\/?$/,
  tournament: /^t\/([^/]+)\/?$/,
  wall: /^t\/([^/]+)\/wall\/?$/,
  join: /^join$/,
  learn: /^learn\/?$/,
};

/** @typedef {keyof typeof PAGES} PageName */

/** Return which page a path has, "" for the start page, and the id of what it shows. @param {string} pathname */
export function pageAt(pathname) {
  for (const [page, path] of Object.entries(PAGES)) {
    const match = path.exec(below(pathname));
    if (match) return { page: /** @type {PageName} */ (page), id: decoded(match[1] ?? "") };
  }
  return { page: /** @type {const} */ (""), id: "" };
}

/** Return a part of a URL as it was written, or as it came if it is not encoded. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Return the path of a replay below a base. @param {string} text the variant with its moves, such as `classic=b2,a1&over=…` */
function replayPath(text) {
  const [game = "", over] = text.split("&");
  const [variant = "", moves] = game.split("=");
  return moves ? `replay/${variant}/${moves}${over ? "?" + over : ""}` : `replay#${text}`;
}

/** Return the path of a replay, and its link. @param {string} text as above */
export const replayUrl = (text) => base.pathname + replayPath(text);
export const replayLink = (/** @type {string} */ text) => linkBase + replayPath(text);

/**
 * Return the replay in a URL: in its fragment, or else its path or its query, which chat programs can read.
 * @param {Pick<Location, "pathname"|"hash"|"search">} location
 */
export function replayText({ pathname, hash, search }) {
  const [, variant, moves] = PAGES.replay.exec(below(pathname)) ?? [];
  const over = new URLSearchParams(search).get("over");
  return hash.slice(1) || (variant ? `${variant}=${moves}${over ? `&over=${over}` : ""}` : search.slice(1));
}
