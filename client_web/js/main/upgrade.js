import { clearToast, isPushOn } from "../browser/toasts.js";
import { onGuestChange } from "../net/guest.js";
import { isPageGone, isPageOld, pageTree } from "../net/page_tree.js";
import { homeUrl, serviceWorkerUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { button, h, listen, setText } from "../browser/dom.js";
import { watchPresses } from "../browser/presses.js";
import { serviceWorkers, tabStorage } from "../browser/storage.js";
import { watchTabs } from "./tabs.js";

/** An old page, after an upgrade of the server: it says so in a line, and loads again when that disturbs nobody. */

const RELOAD_KEY = "noughts.reloaded";
const AGAIN_MS = 60_000; // servers of two versions may answer in turns
const CHECK_MS = 1_000;
const STILL_MS = 2_000; // without a key or a touch
const STYLE =
  "position: fixed; z-index: 3; inset: auto 0 0; display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center;" +
  "justify-content: center; padding: 8px 16px; border-block-start: var(--box) solid var(--ink); background: var(--surface)";
/** The fields that a person wrote in. @type {Set<HTMLInputElement>} */
const written = new Set();
let touchedMs = performance.now();
let isOld = false;
/** @type {ReturnType<typeof setInterval>|undefined} */
let timer;

/** Return whether a reload loses nothing: no move is on its way, no dialog is open, no text is being written. */
function isQuiet() {
  return (
    performance.now() - touchedMs > STILL_MS &&
    navigator.onLine !== false &&
    !document.querySelector(".pending, dialog:modal") &&
    ![...written].some((field) => field.isConnected && field.checkVisibility?.() !== false && field.value !== "")
  );
}

function reload() {
  tabStorage.set(RELOAD_KEY, String(Date.now()));
  location.reload();
}

/** Show the line that says that this page is old. */
function offerReload() {
  const line = h("div", { class: "page-line", role: "status" }, t("page.old"), button(t("connection.reload"), reload));
  line.style.cssText = STYLE; // the server no longer has this page's style sheets
  document.body.append(line);
  clearToast();
}

/** Load the page again as soon as that disturbs nobody. */
function reloadOnceQuiet() {
  timer ??= setInterval(() => {
    if (!isQuiet() || Math.abs(Date.now() - Number(tabStorage.get(RELOAD_KEY))) < AGAIN_MS) return;
    clearInterval(timer);
    reload();
  }, CHECK_MS);
}

/**
 * Compare this page's tree with the server's, and return whether it is another. After a failure, ask the server whether it still
 * has this page's files.
 * @param {boolean} hasFailed @param {boolean} [reloads] whether an old page is loaded again by itself
 */
async function check(hasFailed, reloads = true) {
  const hasChanged = isPageOld() || (hasFailed && !isOld && (await isPageGone()));
  if (hasChanged && !isOld) {
    isOld = true;
    offerReload();
  }
  if (isOld && reloads) reloadOnceQuiet();
  return isOld;
}

/**
 * Register the service worker, where the browser allows one, and set `data-offline` on the page while the device has no
 * connection. The page works without either.
 * @param {(path: string) => unknown} navigate
 */
function watchConnection(navigate) {
  const note = document.querySelector(".offline-note");
  if (note) setText(note, t("offline.note"));
  const { dataset } = document.documentElement;
  addEventListener("offline", () => (dataset["offline"] = ""));
  addEventListener("online", () => delete dataset["offline"]);
  const workers = serviceWorkers();
  workers?.addEventListener("message", ({ data, ports }) => {
    if (data?.type === "path") ports[0]?.postMessage(location.pathname);
    if (data?.type === "open" && data.path !== location.pathname) navigate(data.path);
  });
  workers?.register(serviceWorkerUrl(), { scope: homeUrl() }).catch(() => {});
}

/** Let the subscription to notices belong to the present guest. */
async function followGuest() {
  if (isPushOn()) await (await import("../net/push.js")).followGuest().catch(() => {});
}

/**
 * Watch the connection of the device, the guest, the person's other tabs, and for an upgrade of the server. A module that nobody waits for may
 * fail too, and a page without a socket learns of an upgrade when it is seen again. The server keeps none of what is on such a page,
 * so it is loaded again by itself only once something has failed.
 * @param {(path: string) => unknown} navigate
 */
export function watchWorld(navigate) {
  watchConnection(navigate);
  watchTabs(navigate);
  watchPresses();
  for (const type of ["pointerdown", "keydown", "input"])
    addEventListener(type, () => (touchedMs = performance.now()), { capture: true, passive: true });
  addEventListener("input", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(":read-write"))
      written.add(/** @type {HTMLInputElement} */ (target));
  });
  listen(document, "visibilitychange", () => document.hidden || void check(true, false));
  addEventListener("unhandledrejection", ({ reason }) => {
    if (reason instanceof TypeError || reason instanceof SyntaxError) void check(true);
  });
  pageTree.check = check;
  void check(false);
  onGuestChange(followGuest);
  void followGuest();
}
