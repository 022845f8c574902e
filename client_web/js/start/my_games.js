import { createPicture } from "../board/picture.js";
import { styleOf } from "../board/layout.js";
import { button, crossButton, drawChildren, h, listen, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { knownVariant } from "../net/api.js";
import { serverClock } from "../net/clock.js";
import { connect } from "../net/connection.js";
import { guestToken, onGuestChange } from "../net/guest.js";
import { loadSeenEnds, saveGameCount, saveSeenEnds } from "../net/stored_rooms.js";
import { roomUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { timeLeftText } from "../texts/times.js";
import { nameWithLevel } from "../texts/names.js";
import { ask } from "./confirmed.js";
import { isWithPerson, loadRooms, showOnIcon } from "./turns.js";

/**
 * Your games with people on the start page: those in which it is your turn, then by the time left, then those that have ended
 * since you looked. Each is a link to its room. A room in which nobody else sits can be given up.
 */

/** @import { MyRoom } from "../net/messages.js" */

const REFRESH_MS = 60_000;

/** Return the rooms to list, and forget the seen ends of rooms that have gone on. @param {readonly MyRoom[]} rooms */
function gamesToList(rooms) {
  const isOver = (/** @type {MyRoom} */ { phase }) => phase === "finished";
  const seen = new Set(loadSeenEnds());
  const ended = rooms.filter(isOver);
  const listed = ended.filter(({ id }) => seen.has(id));
  if (listed.length < seen.size) saveSeenEnds(listed.map(({ id }) => id));
  return [...rooms.filter((room) => !isOver(room)), ...ended.filter(({ id }) => !seen.has(id))];
}

/** Return how a game stands: whose turn it is, or how it ended. @param {MyRoom} room */
export function standing({ yours, turn, mark, outcome, opponent }) {
  if (yours) return t("title.your_turn");
  if (turn) return t("games.theirs");
  if (!opponent) return "";
  if (!outcome) return t("waiting.seats");
  if (outcome.reason === "aborted") return t("outcome.aborted");
  if (!outcome.winner) return t("outcome.draw");
  return t(outcome.winner === mark ? "outcome.you.win" : "outcome.you.lose");
}

/**
 * Create the list. It shows the first `count` games until you ask for all.
 * @param {{count: number, onTurns: (turns: number) => void}} options
 *   `onTurns` gets the number of your turns.
 */
export function createMyGames({ count, onTurns }) {
  let showsAll = false;
  /** @type {readonly MyRoom[]} */
  let games = [];
  const list = h("ul", { class: "games" });
  const allButton = button("", () => {
    showsAll = true;
    draw();
    /** @type {HTMLElement|undefined} */ (list.querySelectorAll("a")[count])?.focus();
  });
  allButton.className = "quiet-text";
  const emptyNote = h("p", { class: "secondary", text: t("games.none"), hidden: true });
  const element = h(
    "section",
    { class: "my-games", "aria-labelledby": "my-games-title" },
    h("div", { class: "my-games-head" }, h("h2", { id: "my-games-title", text: t("games.title") }), allButton),
    list,
    emptyNote,
  );
  show(element, false);

  /** @param {MyRoom} first */
  function createItem(first) {
    const variant = knownVariant(first.variant);
    const picture = variant && createPicture(variant, { slanted: styleOf(variant) === "layers", layerNames: [] });
    picture?.element.classList.add("thumbnail");
    const name = h("b", { translate: "no" });
    const how = h("span", { class: "game-standing" });
    const time = h("span", { class: "secondary" });
    const link = pageLink(roomUrl(first.id), { class: "game" });
    link.append(
      ...(picture ? [picture.element] : []),
      h(
        "span",
        { class: "game-text" },
        name,
        " ",
        h("span", {}, h("span", { class: "secondary", text: variant?.name ?? first.variant }), " ", how, " ", time),
      ),
    );
    const cross = !first.opponent && crossButton(t("games.give_up"), (click) => askToGiveUp(click, first.id));
    return {
      element: h("li", {}, link, cross),
      /** @param {MyRoom} room */
      draw(room) {
        if (variant) picture?.draw({ ...room, variant, boards: room.boards ?? null, still: true });
        setText(name, room.opponent ? nameWithLevel(room.opponent) : t("games.waiting"));
        setText(how, standing(room));
        setAttr(how, "data-yours", room.yours ? room.mark : null);
        setText(time, room.deadline_ms === null ? "" : timeLeftText(room.deadline_ms - serverClock.now()));
      },
    };
  }

  function draw() {
    const shown = showsAll || games.length <= count + 1 ? games : games.slice(0, count);
    show(element, true);
    show(allButton, shown.length < games.length);
    setText(allButton, t("games.all", { n: games.length }));
    show(emptyNote, games.length === 0);
    drawChildren(list, shown, ({ id, variant, opponent }) => `${id} ${variant} ${opponent !== null}`, createItem);
  }

  /** Fetch and draw the list. If the request fails, keep the list on the screen. */
  async function refresh() {
    const rooms = (await loadRooms().catch(() => null))?.filter(isWithPerson);
    if (!rooms) return;
    games = gamesToList(rooms);
    saveGameCount(games.length);
    const turns = rooms.filter(({ yours }) => yours).length;
    onTurns(turns);
    showOnIcon(turns);
    if (games.length || !element.hidden || element.parentElement?.dataset["count"]) draw();
  }

  /** A friend may have the link already. @param {MouseEvent} click @param {string} room */
  const askToGiveUp = (click, room) => ask(click, t("games.give_up"), () => giveUp(room));

  /** Close a room of yours, or leave another's. @param {string} room */
  async function giveUp(room) {
    const hello = () => ({ room, token: guestToken() });
    const connection = connect({ hello, onMessage() {}, onStatus() {} });
    const { ok } = await connection.send({ type: "close" });
    if (!ok) await connection.send({ type: "stand" });
    connection.close();
    await refresh();
  }

  const refreshWhenSeen = () => document.hidden || void refresh();
  const timer = setInterval(refreshWhenSeen, REFRESH_MS);
  const removers = [listen(document, "visibilitychange", refreshWhenSeen), onGuestChange(() => void refresh())];
  return {
    element,
    refresh,
    dispose() {
      clearInterval(timer);
      for (const remove of removers) remove();
    },
  };
}
