import { warnOfModule, warnOnError } from "../net/failures.js";
import { hasModifier, listen, oneAtATime, setAttr, setText } from "../browser/dom.js";
import { applyTheme, loadChoice } from "../browser/preferences.js";
import { setSound, soundIsOn } from "../browser/sound.js";
import { guestPlayer, onGuestChange } from "../net/guest.js";
import { loadTokens, saveInvite } from "../net/stored_rooms.js";
import { isPageGone } from "../net/page_tree.js";
import { homeUrl, inviteIn, isAdminPath, pageAt, roomUrl, setAddress } from "../net/urls.js";
import { inHeader, showFace, showName } from "../browser/header.js";
import { characterKey } from "../browser/keys.js";
import { startPage } from "../start/page.js";
import { addTexts, markDocument, showFoot, t, useLanguage, wantedLanguage } from "../texts/i18n.js";

/** The entry point: open the page of the current URL. Links with `data-page-link` change the page without a reload. */

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {(() => void)|null} */
let closePage = null;
let openedPath = "";

/** Store the invite of the URL and remove it from the address bar and the history, because it is a secret. */
function takeInvite() {
  const { page, id } = pageAt(location.pathname);
  const invite = inviteIn();
  if (page !== "room" || !invite) return;
  saveInvite(id, invite);
  setAddress(location.pathname + location.search);
}

/** @typedef {{root: HTMLElement, id: string, navigate: typeof navigate, focused: string|null}} Options */

/**
 * What opens each page. All but the start page are imported.
 * @type {Record<import("../net/urls.js").PageName|"", (id: string) => Promise<(options: Options) => () => void>>}
 */
const OPENERS = {
  "": async () => startPage,
  wall: async () => (await ofTournament(import("../tournament/wall.js"))).wallPage,
  tournament: async () => (await ofTournament(import("../tournament/page.js"))).tournamentPage,
  join: async () => (await ofTournament(import("../tournament/join.js"))).joinPage,
  puzzle: async () => (await withTexts(import("../puzzle/puzzle_page.js"))).puzzlePage,
  learn: async () => (await import("../learn/learn_page.js")).learnPage,
  replay: async () => (await withTexts(import("../review/replay_page.js"))).replayPage,
  async room(id) {
    const { roomPage } = await import("../room/page.js");
    if (!loadTokens(id)) return roomPage;
    const { connectPassAndPlay } = await import("../room/pass_and_play.js");
    return (options) => roomPage({ ...options, join: connectPassAndPlay });
  },
};

/** Return the function that opens the page of a path. @param {string} path */
async function openerOf(path) {
  const { page, id } = pageAt(path);
  return isAdminPath(path) ? (await import("../admin/page.js")).adminPage(startPage) : OPENERS[page](id);
}

/** Return a module once its texts are here too. @template M @param {Promise<M>} module @param {() => Promise<unknown>} load */
async function withTexts(module, load = () => addTexts("server")) {
  await isSpoken;
  await load();
  return module;
}

/** @template M @param {Promise<M>} module */
const ofTournament = (module) => withTexts(module, async () => (await import("../tournament/enter.js")).prepare());

/** Open the page of the current URL. Until its module is here, the page before stays. */
async function openPage() {
  takeInvite();
  const path = location.pathname;
  try {
    const open = await openerOf(path);
    if (path !== location.pathname) return;
    const focused = document.activeElement?.getAttribute("data-cell") ?? null; // a key played there
    closePage?.();
    showFace(loadChoice().mark); // a room shows your mark there
    openedPath = path;
    closePage = open({ root, id: pageAt(path).id, navigate, focused });
  } catch {
    warnOfModule();
  }
}

/** @param {string} path */
async function navigate(path) {
  if ((path !== location.pathname || isAdminPath(path)) && !setAddress(path, true)) {
    location.assign(path);
    return;
  }
  await openPage();
  window.scrollTo(0, 0);
  if (!root.contains(document.activeElement)) root.querySelector("h1")?.focus(); // a room then focuses the cell that a key played
}

listen(document, "click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-page-link]") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.shiftKey || hasModifier(event)) return;
  event.preventDefault();
  navigate(link.getAttribute("href") ?? homeUrl());
});
listen(document, "keydown", (event) => {
  const key = characterKey(event);
  if (key === "?") void warnOnError(async () => (await import("../start/key_dialogs.js")).openKeysDialog());
  else if (key === "m") setSound(!soundIsOn());
  else return;
  event.preventDefault();
});
listen(window, "popstate", () => {
  if (pageAt(location.pathname).page !== "learn" || location.pathname !== openedPath) openPage(); // its chapters follow the fragment
});
listen(window, "hashchange", () => {
  if (inviteIn() || pageAt(location.pathname).page === "replay") openPage();
});

/**
 * Resolve when the page that the HTML brings is on the screen. A hidden page is never painted, so it waits for
 * nothing.
 */
function firstPaint() {
  const isPainted = document.hidden || performance.getEntriesByName("first-contentful-paint").length > 0;
  return isPainted ? null : new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Put the header and the foot into the page's language, and let the buttons work. Import their dialogs when they are wanted. */
function openHeader() {
  /** @type {(() => void)|null} */
  let openGuest = null;
  /** @param {string} selector @param {() => Promise<void>} open */
  const opens = (selector, open) =>
    inHeader(selector).addEventListener(
      "click",
      oneAtATime(() => warnOnError(open)),
    );
  opens(".gear", async () => (await import("../start/settings_dialog.js")).openSettingsDialog());
  opens(".guest-button", async () => {
    openGuest ??= (await import("../start/guest_dialog.js")).createGuestDialog();
    openGuest();
  });
  setAttr(inHeader(".brand"), "aria-label", t("app.home"));
  setText(inHeader(".brand-name"), t("app.name"));
  for (const name of ["aria-label", "title"]) setAttr(inHeader(".gear"), name, t("gear"));
  showFoot();
  inHeader(".top-right").inert = false;
  const draw = () => {
    const name = guestPlayer()?.name ?? t("guest.title");
    showName(name, t("guest.button", { name }));
  };
  onGuestChange(draw);
  draw();
}

applyTheme();
const isSpoken = useLanguage(wantedLanguage());
const isReady = Promise.all([
  isSpoken,
  firstPaint(),
  openerOf(location.pathname).catch(() => null), // so that no text shows before its page; `openPage` says what failed
]).then(() => {
  markDocument();
  openHeader();
  return openPage();
});
const AGAIN_MS = 2_000;

/** Load what no page needs at once. The server may be away, or have another tree since this page began to load. */
async function loadRest() {
  try {
    await addTexts("server"); // rejections and dialogs, which no first page shows
    (await import("../main/upgrade.js")).watchWorld(navigate);
  } catch {
    setTimeout(async () => {
      if (await isPageGone()) location.reload();
      else void loadRest();
    }, AGAIN_MS);
  }
}
addEventListener("load", async () => {
  await isReady;
  void loadRest();
  void openerOf(roomUrl("next")).catch(() => null); // the room comes while the player looks
});
