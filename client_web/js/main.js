import { h, listen, setText, svg } from "./dom.js";
import * as guest from "./guest.js";
import { markDocument, t, useLanguage } from "./i18n.js";
import { characterKey } from "./keys.js";
import { wantedLanguage } from "./languages.js";
import { roomPage } from "./room_page.js";
import { warn } from "./notices.js";
import { onSoundChange, setSound, soundIsOn } from "./sound.js";
import { startPage } from "./start_page.js";
import { saveInvite } from "./stored_rooms.js";
import { applyTheme } from "./theme.js";
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
  if (urls.isReplay(location.pathname)) openReplay();
  else closePage = room === null ? startPage({ root, navigate }) : roomPage({ root, id: room, navigate });
}

function openReplay() {
  const path = location.pathname;
  closePage = null;
  // Until its module is there, the page is what the HTML brought, perhaps in another language.
  for (const [name, key] of /** @type {const} */ ([
    [".outcome", "replay.loading"],
    [".rematch", "missing.play"],
  ])) {
    const node = root.querySelector(".replay " + name);
    if (node) setText(node, t(key));
  }
  import("./replay_page.js")
    .then(({ replayPage }) => {
      if (location.pathname === path && !closePage) closePage = replayPage({ root });
    })
    .catch(() => warn(t("error.unreachable")));
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
    soundButton.replaceChildren(
      svg(
        "svg",
        { viewBox: "0 0 24 24", "aria-hidden": "true" },
        svg("path", { d: soundIsOn() ? SOUND_ON_ICON : SOUND_OFF_ICON }),
      ),
    );
  };
  soundButton.addEventListener("click", () => setSound(!soundIsOn()));
  onSoundChange(draw);
  draw();
  return soundButton;
}

/** Create the button with the guest's name. It opens a dialog, which is imported then. */
function createGuestButton() {
  const guestButton = h("button", {
    type: "button",
    class: "guest-button",
    on: { click: () => void openGuestDialog() },
  });
  /** @type {(() => void)|null} */
  let open = null;
  async function openGuestDialog() {
    if (!open) {
      const { createGuestDialog } = await import("./guest_dialog.js");
      const dialog = createGuestDialog();
      document.body.append(dialog.element);
      open = dialog.open;
    }
    open();
  }
  const draw = () => {
    const name = guest.player()?.name ?? t("guest");
    setText(guestButton, name);
    guestButton.setAttribute("aria-label", t("guest.button", { name }));
  };
  guest.onChange(draw);
  draw();
  return guestButton;
}

function drawHeader() {
  const homeLink = h(
    "a",
    { href: urls.home(), class: "brand", "data-page-link": "", "aria-label": t("app.home") },
    svg(
      "svg",
      { viewBox: "0 0 52 26", "aria-hidden": "true" },
      svg("path", { class: "x", d: "M5 5 21 21M21 5 5 21" }),
      svg("circle", { class: "o", cx: 38, cy: 13, r: 8.5 }),
    ),
    h("span", { class: "brand-name", text: t("app.name") }),
  );
  document
    .getElementById("top")
    ?.replaceChildren(homeLink, h("span", { class: "top-right" }, createGuestButton(), createSoundButton()));
}

listen(document, "click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-page-link]") : null;
  if (
    !link ||
    event.defaultPrevented ||
    event.button !== 0 ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  event.preventDefault();
  navigate(link.getAttribute("href") ?? urls.home());
});
listen(document, "keydown", (event) => {
  if (characterKey(event) !== "?") return;
  event.preventDefault();
  void import("./keys_dialog.js").then(({ openKeysDialog }) => openKeysDialog());
});
listen(window, "popstate", openPage);
listen(window, "hashchange", () => {
  if (location.hash.startsWith("#i=") || urls.isReplay(location.pathname)) openPage();
});

/**
 * Resolve when the page that the HTML brings is on the screen. A hidden page is never painted, so it waits for
 * nothing.
 */
function firstPaint() {
  const isPainted = document.hidden || performance.getEntriesByName("first-contentful-paint").length > 0;
  return isPainted ? null : new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

applyTheme();
const isReady = Promise.all([useLanguage(wantedLanguage()), firstPaint()]).then(() => {
  markDocument();
  drawHeader();
  openPage();
});
addEventListener("load", () => {
  void isReady.then(() => import("./offline.js")).then(({ watchConnection }) => watchConnection(navigate));
});
