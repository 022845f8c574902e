import { h } from "../browser/dom.js";
import { announce } from "../browser/toasts.js";
import { roomPage } from "../room/page.js";
import { t } from "../texts/i18n.js";

/** The room of the reader's match on a tournament's page: it opens when the match begins, and closes a moment after its end. */

/** @import { RoomMessage } from "../net/messages.js" */

const AFTER_MATCH_MS = 3_500;
const BETWEEN_GAMES_MS = 2_000;
const BETWEEN_MATCHES_MS = 1_800;

/**
 * @param {{navigate: (path: string) => Promise<void>, onChange: (isFocusLost?: boolean) => void}} options `onChange` shows or
 *   hides the element, and moves the focus if a room that was closed had it
 */
export function createOwnRoom({ navigate, onChange }) {
  /** @type {{room: string, close: () => void}|null} */ let played = null;
  /** The room of the match that is on now. @type {string|null} */ let newest = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let leaving;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let nextTimer;
  /** The newest message about the match's next game. @type {RoomMessage|null} */ let nextGame = null;
  const element = h("div", { class: "tournament-match", hidden: true });

  /**
   * Leave the end of a match's first game on the board for a moment: the server starts the second at once. The first move of
   * each player is off the clock, so it costs no time.
   * @type {import("../room/page.js").Postpone}
   */
  function postpone(received, { view }, dispatch) {
    const isNext = received.type === "room" && view?.game?.outcome && received.room.game?.number !== view.game.number;
    if (!isNext) return false;
    nextGame = received;
    if (nextTimer !== undefined) return true;
    nextTimer = setTimeout(() => {
      nextTimer = undefined;
      if (nextGame) dispatch(nextGame);
      onChange();
    }, BETWEEN_GAMES_MS);
    onChange();
    announce(t("tournament.next_game"));
    return true;
  }

  function stop() {
    clearTimeout(leaving);
    clearTimeout(nextTimer);
    leaving = nextTimer = undefined;
    played?.close();
    played = null;
  }

  function close() {
    const hasFocus = element.contains(document.activeElement);
    stop();
    follow(newest);
    onChange(hasFocus);
    if (!played) element.replaceChildren();
  }

  /** Open the room of the reader's match, and close it a moment after its end. @param {string|null} room null without a match */
  function follow(room) {
    newest = room;
    if (room === (played?.room ?? null)) {
      clearTimeout(leaving);
      leaving = undefined;
    } else if (played) leaving ??= setTimeout(close, room ? BETWEEN_MATCHES_MS : AFTER_MATCH_MS);
    else if (room) played = { room, close: roomPage({ root: element, id: room, navigate, focused: null, postpone }) };
  }

  const focus = () => element.querySelector("h1")?.focus();

  return {
    element,
    follow,
    focus,
    /** Whether a room is on the page. */
    isOpen: () => played !== null,
    /** Whether the end of a game is shown, and the next begins in a moment. */
    isBetweenGames: () => nextTimer !== undefined,
    dispose: stop,
  };
}
