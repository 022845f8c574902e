import { h, listen, svg } from "./dom.js";
import { createGuestDialog } from "./guest_dialog.js";
import { t } from "./i18n.js";
import { roomPage } from "./room_page.js";
import { setSound, soundIsOn } from "./sound.js";
import { startPage } from "./start_page.js";
import { saveInvite } from "./stored_rooms.js";
import * as urls from "./urls.js";

/** The entry point: open the page of the current URL. Links with `data-page-link` change the page without a reload. */

const SOUND_ON_ICON = "M4 9v6h4l5 4V5L8 9zM16 8q3 4 0 8M18.500 5q5.500 7 0 14";
const SOUND_OFF_ICON = "M4 9v6h4l5 4V5L8 9zM16 9l6 6M22 9l-6 6";

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {(() => void)|null} */
let closePage = null;

/** Store the invite of the URL and remove it from the address bar and the history, because it is a secret. */
function takeInvite() {
  const room = urls.roomIdFrom(location.pathname);
  const invite = new URLSearchParams(location.hash.slice(1)).get("i");
  if (!room || !invite) return;
  saveInvite(room, invite);
  history.replaceState(history.state, "", location.pathname + location.search);
}

function openPage() {
  takeInvite();
  closePage?.();
  const room = urls.roomIdFrom(location.pathname);
  closePage = room === null ? startPage({ root, navigate }) : roomPage({ root, id: room, navigate });
}

/** @param {string} path */
function navigate(path) {
  if (path !== location.pathname) history.pushState(null, "", path);
  openPage();
  window.scrollTo(0, 0);
  root.querySelector("h1")?.focus();
}

function createSoundButton() {
  const soundButton = h("button", { type: "button", class: "sound", "aria-label": t("sound") });
  const draw = () => {
    soundButton.setAttribute("aria-pressed", String(soundIsOn()));
    soundButton.title = t(soundIsOn() ? "sound.turn_off" : "sound.turn_on");
    soundButton.replaceChildren(svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" },
      svg("path", { d: soundIsOn() ? SOUND_ON_ICON : SOUND_OFF_ICON })));
  };
  soundButton.addEventListener("click", () => {
    setSound(!soundIsOn());
    draw();
  });
  draw();
  return soundButton;
}

function drawHeader() {
  const homeLink = h("a", { href: urls.home(), class: "brand", "data-page-link": "", "aria-label": t("app.home") },
    svg("svg", { viewBox: "0 0 52 26", "aria-hidden": "true" },
      svg("path", { class: "x", d: "M5 5 21 21M21 5 5 21" }), svg("circle", { class: "o", cx: 38, cy: 13, r: 8.5 })),
    t("app.name"));
  document.getElementById("top")?.replaceChildren(homeLink, h("span", { class: "top-right" }, createSoundButton(), ...createGuestDialog()));
}

listen(document, "click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-page-link]") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(link.getAttribute("href") ?? urls.home());
});
listen(window, "popstate", openPage);
listen(window, "hashchange", () => {
  if (location.hash.startsWith("#i=")) openPage();
});

drawHeader();
openPage();
addEventListener("load", () => {
  void import("./offline.js").then(({ watchConnection }) => watchConnection());
});
