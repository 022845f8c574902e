import { h, listen, svg } from "./dom.js";
import { t } from "./i18n.js";
import * as paths from "./paths.js";
import { roomPage } from "./room.js";
import { keepInvite } from "./session.js";
import { setSound, soundOn } from "./sound.js";
import { startPage } from "./start.js";
import { createWho } from "./who.js";

/** Which page an address means. Links marked data-go change pages without loading this one again. */

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {(() => void)|null} */
let dispose = null;

/** The secret of an invite leaves the address bar, and the history, before anything else happens. */
function takeInvite() {
  const room = paths.roomIn(location.pathname);
  const secret = new URLSearchParams(location.hash.slice(1)).get("i");
  if (!room || !secret) return;
  keepInvite(room, secret);
  history.replaceState(history.state, "", location.pathname + location.search);
}

function openPage() {
  takeInvite();
  dispose?.();
  const room = paths.roomIn(location.pathname);
  dispose = room === null ? startPage({ root, go }) : roomPage({ root, id: room, go });
}

/** @param {string} path */
function go(path) {
  if (path !== location.pathname) history.pushState(null, "", path);
  openPage();
  window.scrollTo(0, 0);
  root.querySelector("h1")?.focus();
}

function header() {
  const sound = h("button", { type: "button", class: "sound" });
  const drawSound = () => {
    sound.setAttribute("aria-pressed", String(soundOn()));
    sound.setAttribute("aria-label", t("sound.on"));
    sound.title = t(soundOn() ? "sound.on" : "sound.off");
    sound.replaceChildren(svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" },
      svg("path", { d: soundOn() ? "M4 9v6h4l5 4V5L8 9zM16 8q3 4 0 8M18.500 5q5.500 7 0 14" : "M4 9v6h4l5 4V5L8 9zM16 9l6 6M22 9l-6 6" })));
  };
  sound.addEventListener("click", () => {
    setSound(!soundOn());
    drawSound();
  });
  drawSound();
  const home = h("a", { href: paths.home(), class: "brand", "data-go": "", "aria-label": t("app.home") },
    svg("svg", { viewBox: "0 0 52 26", "aria-hidden": "true" },
      svg("path", { class: "x", d: "M5 5 21 21M21 5 5 21" }), svg("circle", { class: "o", cx: 38, cy: 13, r: 8.5 })),
    t("app.name"));
  document.getElementById("top")?.replaceChildren(home, h("span", { class: "top-right" }, sound, ...createWho()));
}

listen(document, "click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-go]") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute("href") ?? paths.home());
});
listen(window, "popstate", openPage);
listen(window, "hashchange", () => {
  if (location.hash.startsWith("#i=")) openPage();
});

header();
openPage();
