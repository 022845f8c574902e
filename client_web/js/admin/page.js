import { reasonOf } from "../net/failures.js";
import { button, h, listen, setText } from "../browser/dom.js";
import { toast, warn } from "../browser/toasts.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { homeUrl } from "../net/urls.js";
import { addTexts, t } from "../texts/i18n.js";
import { timeOfDay } from "../texts/moments.js";
import { adminRequest, dropAccess, isInvited, isUnknown, storedAccess, takeCode } from "./access.js";
import { createPlayers } from "./players.js";
import { createRooms } from "./rooms.js";
import { createBackup, createBans, createLimits, createNodes } from "./server_lists.js";
import { NEW_ADMIN, update } from "./state.js";
import { createTournaments } from "./tournaments.js";

/**
 * The page of the operator: rooms, tournaments, players, bans, limits and nodes, with buttons for what the operator may do. It has no data of
 * its own. It reads everything again every few seconds, but nothing while it is hidden.
 */

const REFRESH_MS = 10_000;

/** @typedef {(options: {root: HTMLElement, navigate: (path: string) => Promise<void>}) => () => void} Opener */

/**
 * Return what opens the page. A visitor without a code and without a sign-on gets the start page, as if there were no other.
 * @template O
 * @param {O} startPage
 * @returns {Promise<O|Opener>}
 */
export async function adminPage(startPage) {
  if (!isInvited()) return startPage;
  await Promise.all([addTexts("admin"), addTexts("server"), loadStyleSheet("admin.css"), takeCode()]);
  return storedAccess() ? openPage : showEnd;
}

/** Say how to sign in again. @type {Opener} */
function showEnd({ root }) {
  const how = h("p", { text: t("admin.ended.how") });
  root.replaceChildren(h("div", { class: "page-note" }, h("h1", { tabindex: -1, text: t("admin.ended") }), how));
  document.title = `${t("admin.ended")} · ${t("app.name")}`;
  return () => {};
}

/** @type {Opener} */
function openPage({ root, navigate }) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let timer;
  let state = NEW_ADMIN;
  let disposed = false;

  const trouble = h("p", { class: "admin-trouble", role: "status" });
  const more = () => dispatch({ type: "more" });
  const rooms = createRooms({ act, more, show: (room) => dispatch({ type: "show", room }) });
  const others = [
    createTournaments({ act }),
    createPlayers({ act, more }),
    createBans({ act }),
    createLimits(),
    createNodes(),
    createBackup(),
  ];
  root.replaceChildren(
    h(
      "div",
      { class: "admin" },
      h(
        "header",
        { class: "admin-head" },
        h(
          "div",
          {},
          h("h1", { tabindex: -1, text: t("admin.title") }),
          h("p", { class: "secondary", text: t("admin.until", { time: timeOfDay(storedAccess()?.expires_ms ?? 0) }) }),
        ),
        button(t("admin.sign_out"), () => signOut()),
      ),
      trouble,
      h("div", { class: "admin-lists" }, rooms.element, h("div", {}, ...others.map((part) => part.element))),
    ),
  );
  document.title = `${t("admin.title")} · ${t("app.name")}`;

  const removeListener = listen(document, "visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) void refresh();
  });
  void refresh();

  /** Change what is listed, and read it. @param {import("./state.js").Change} change */
  function dispatch(change) {
    state = update(state, change);
    void refresh();
  }

  function draw() {
    const { answers } = state;
    setText(trouble, state.trouble);
    if (answers) for (const part of [rooms, ...others]) part.draw({ ...state, answers });
  }

  /** Read everything again, now and in a while. */
  async function refresh() {
    clearTimeout(timer);
    state = update(state, { type: "read" });
    const { begun: reading, roomId, listed } = state;
    try {
      const roomsPath = roomId ? `rooms?id=${encodeURIComponent(roomId)}` : `rooms?newest=${listed}`;
      const [rooms, tournaments, players, nodes, bans, backup] = await Promise.all(
        [roomsPath, "tournaments", `players?newest=${listed}`, "nodes", "bans", "backup"].map((path) =>
          adminRequest("GET", path),
        ),
      );
      if (disposed || reading < state.drawn) return;
      state = update(state, {
        type: "answers",
        reading,
        answers: { rooms, tournaments, players, nodes, bans, backup },
      });
    } catch (error) {
      if (disposed) return;
      if (isUnknown(error)) return end();
      state = update(state, { type: "trouble", message: reasonOf(error) });
    }
    draw();
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(() => void refresh(), REFRESH_MS);
  }

  /**
   * Do something, say so, and show what has changed. Return whether it was done.
   * @param {() => Promise<unknown>} run @param {string} done
   */
  async function act(run, done) {
    /** @type {unknown} */ let failure = null;
    try {
      await run();
    } catch (error) {
      failure = error;
    }
    await refresh();
    if (disposed) return false;
    if (failure) warn(isUnknown(failure) ? t("admin.gone") : reasonOf(failure));
    else toast(done);
    if (document.activeElement === document.body) root.querySelector("h1")?.focus(); // what had the focus is gone
    return !failure;
  }

  function end() {
    dropAccess();
    close();
    showEnd({ root, navigate });
  }

  async function signOut() {
    await adminRequest("POST", "session/end").catch(() => {}); // it ends by itself after twelve hours
    dropAccess();
    await navigate(homeUrl());
  }

  function close() {
    disposed = true;
    clearTimeout(timer);
    removeListener();
  }

  return close;
}
