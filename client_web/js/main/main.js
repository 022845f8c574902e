import { warnOfModule, warnOnError } from "../net/failures.js";
import { hasModifier, listen } from "../browser/dom.js";
import { applyTheme, loadChoice } from "../browser/preferences.js";
import { setSound, soundIsOn } from "../browser/sound.js";
import { guestPlayer, onGuestChange } from "../net/guest.js";
import { loadTokens, saveInvite } from "../net/stored_rooms.js";
import { isGone } from "../net/page_tree.js";
import {
  homeUrl,
  inviteIn,
  isAdminPath,
  isJoinPath,
  isLearnPath,
  isPuzzlePath,
  isReplayPath,
  roomIdFrom,
  roomUrl,
  setAddress,
  tournamentIn,
} from "../net/urls.js";
import { showFace, showName, startHeader } from "../browser/header.js";
import { characterKey } from "../browser/keys.js";
import { startPage } from "../start/page.js";
import { addTexts, markDocument, t, useLanguage, wantedLanguage } from "../texts/i18n.js";

/** The entry point: open the page of the current URL. Links with `data-page-link` change the page without a reload. */

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {(() => void)|null} */
let closePage = null;
let openedPath = "";

/** Store the invite of the URL and remove it from the address bar and the history, because it is a secret. */
function takeInvite() {
  const room = roomIdFrom(location.pathname);
  const invite = inviteIn();
  if (!room || !invite) return;
  saveInvite(room, invite);
  setAddress(location.pathname + location.search);
}

/**
 * Return the function that opens the page of a path. Import all pages but the start page.
 * @param {string} path
 * @returns {Promise<(options: {root: HTMLElement, id: string, navigate: typeof navigate, focused: string|null}) => () => void>}
 */
async function openerOf(path) {
  const tournament = tournamentIn(path);
  if (tournament?.isWall) return (await import("../tournament/wall.js")).wallPage;
  if (tournament) return (await import("../tournament/page.js")).tournamentPage;
  if (isJoinPath(path)) return (await import("../tournament/join.js")).joinPage;
  if (isPuzzlePath(path)) return (await withTexts(import("../puzzle/puzzle_page.js"))).puzzlePage;
  if (isLearnPath(path)) return (await import("../learn/learn_page.js")).learnPage;
  if (isReplayPath(path)) return (await withTexts(import("../review/replay_page.js"))).replayPage;
  if (isAdminPath(path)) return (await import("../admin/page.js")).adminPage(startPage);
  const room = roomIdFrom(path);
  if (room === null) return startPage;
  const { roomPage } = await import("../room/page.js");
  if (!loadTokens(room)) return roomPage;
  const { connectPassAndPlay } = await import("../room/pass_and_play.js");
  return (options) => roomPage({ ...options, join: connectPassAndPlay });
}

/** Return a module once its texts are here too. @template M @param {Promise<M>} module */
async function withTexts(module) {
  await isSpoken;
  await addTexts("server");
  return module;
}

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
    closePage = open({ root, id: roomIdFrom(path) ?? tournamentIn(path)?.id ?? "", navigate, focused });
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
  root.querySelector("h1")?.focus(); // a room then focuses the cell that a key played
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
  if (!isLearnPath(location.pathname) || location.pathname !== openedPath) openPage(); // its chapters follow the fragment
});
listen(window, "hashchange", () => {
  if (inviteIn() || isReplayPath(location.pathname)) openPage();
});

/**
 * Resolve when the page that the HTML brings is on the screen. A hidden page is never painted, so it waits for
 * nothing.
 */
function firstPaint() {
  const isPainted = document.hidden || performance.getEntriesByName("first-contentful-paint").length > 0;
  return isPainted ? null : new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Start the header. Import both of its dialogs when they are wanted. */
function openHeader() {
  /** @type {(() => void)|null} */
  let openGuest = null;
  startHeader(
    {
      home: t("app.home"),
      name: t("app.name"),
      gear: t("gear"),
      foot: (key) => t(/** @type {import("../texts/i18n.js").Key} */ (key)),
    },
    {
      settings: () => warnOnError(async () => (await import("../start/settings_dialog.js")).openSettingsDialog()),
      guest: () =>
        warnOnError(async () => {
          openGuest ??= (await import("../start/guest_dialog.js")).createGuestDialog();
          openGuest();
        }),
    },
  );
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
      if (await isGone()) location.reload();
      else void loadRest();
    }, AGAIN_MS);
  }
}
addEventListener("load", async () => {
  await isReady;
  void loadRest();
  void openerOf(roomUrl("next")).catch(() => null); // the room comes while the player looks
});
