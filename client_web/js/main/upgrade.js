import { clearToast } from "../browser/toasts.js";
import { pageTree } from "../net/page_tree.js";
import { homeUrl, serviceWorkerUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { button, h, setText } from "../browser/dom.js";
import { serviceWorkers, tabStorage } from "../browser/storage.js";
import { watchTabs } from "./tabs.js";

/** An old page, after an upgrade of the server: it says so in a line, and loads again when that disturbs nobody. */

const RELOAD_KEY = "noughts.reloaded";
const AGAIN_MS = 60_000; // servers of two versions may answer in turns
const CHECK_MS = 1_000;
const STILL_MS = 2_000; // without a key or a touch
const TREE = /\/static\/([^/]+)\/js\//;
const STYLE =
  "position: fixed; z-index: 3; inset: auto 0 0; display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center;" +
  "justify-content: center; padding: 8px 16px; border-block-start: var(--box) solid var(--ink); background: var(--surface)";
const WRITTEN = "input:not([type=radio], [type=checkbox], [type=range], [type=hidden]), textarea";

let touchedMs = performance.now();
let isOld = false;

/** Return whether a reload loses nothing: no move is on its way, no dialog is open, no text is being written. */
function isQuiet() {
  const texts = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(WRITTEN));
  return (
    performance.now() - touchedMs > STILL_MS &&
    navigator.onLine !== false &&
    !document.querySelector(".pending, dialog:modal") &&
    ![...texts].some(
      (text) => text.checkVisibility?.() !== false && text.value !== "" && text.value !== text.defaultValue,
    )
  );
}

function reload() {
  tabStorage.set(RELOAD_KEY, String(Date.now()));
  location.reload();
}

function offerReload() {
  const line = h("div", { class: "page-line", role: "status" }, t("page.old"), button(t("connection.reload"), reload));
  line.style.cssText = STYLE; // the server no longer has this page's style sheets
  document.body.append(line);
  clearToast();
  if (Math.abs(Date.now() - Number(tabStorage.get(RELOAD_KEY))) < AGAIN_MS) return;
  const timer = setInterval(() => {
    if (!isQuiet()) return;
    clearInterval(timer);
    reload();
  }, CHECK_MS);
}

/**
 * Compare this page's tree with the server's. After a failure, ask the server whether it still has this page's files.
 * @param {boolean} hasFailed
 */
async function check(hasFailed) {
  const own = TREE.exec(import.meta.url)?.[1] ?? "";
  const isOther = pageTree.served !== "" && own !== "" && pageTree.served !== own;
  const answer = hasFailed && (await fetch(import.meta.url, { method: "HEAD", cache: "no-store" }).catch(() => null));
  if (isOld || !(isOther || (answer && answer.status === 404))) return;
  isOld = true;
  offerReload();
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

/**
 * Watch the connection of the device, the person's other tabs, and for an upgrade of the server. A module that nobody waits for may fail too. Return what
 * `next` returns.
 * @param {(path: string) => unknown} navigate @param {() => Promise<void>} next
 */
export function watchWorld(navigate, next) {
  watchConnection(navigate);
  watchTabs(navigate);
  for (const type of ["pointerdown", "keydown", "input"])
    addEventListener(type, () => (touchedMs = performance.now()), { capture: true, passive: true });
  addEventListener("unhandledrejection", ({ reason }) => {
    if (reason instanceof TypeError || reason instanceof SyntaxError) void check(true);
  });
  pageTree.check = check;
  void check(false);
  return next();
}
