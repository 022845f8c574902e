import { setText } from "./dom.js";
import { t } from "./i18n.js";
import * as urls from "./urls.js";

/**
 * The service worker, where the browser allows one, and the mark of a page that is offline. Without either, nothing
 * is missed.
 */

const root = document.documentElement;

/**
 * Register the service worker, and set `data-offline` on the page while the device has no connection.
 * @param {(path: string) => void} navigate opens the page of a notification
 */
export function watchConnection(navigate) {
  const note = document.querySelector(".offline-note");
  if (note) setText(note, t("offline.note"));
  addEventListener("offline", () => {
    root.dataset["offline"] = "";
  });
  addEventListener("online", () => {
    delete root.dataset["offline"];
  });
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data?.type === "open" && data.path !== location.pathname) navigate(data.path);
  });
  // Where it is forbidden, such as in private windows, the page works without.
  navigator.serviceWorker.register(urls.serviceWorker(), { scope: urls.home() }).catch(() => {});
}
