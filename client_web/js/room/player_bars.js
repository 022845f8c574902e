import { markPicture } from "../board/marks.js";
import { button, h, setAttr, setText, show } from "../browser/dom.js";
import { friendOf } from "../net/played_games.js";
import { can, isDays, MARKS, opponentOf, timeLeft, winsOf } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { countdown, timeLeftText, wholeTime } from "../texts/times.js";
import { timeOf } from "./state.js";
import { levelName, seatName } from "../texts/names.js";

/**
 * The two bars next to the board, the opponent's and your own: mark, name, presence in a word, clock and games won.
 */

/** @import { Mark } from "../net/messages.js" */
/** @import { OpenState, RoomContext } from "./state.js" */

const LOW_TIME_MS = 10_000;
const LOW_SHARE = 5; // and at most this part of the time for a move or a game
const LONG_RUN = 3; // wins one after the other that a bar tells
const MOST_WIN_MARKS = 10; // in a longer series the number alone tells
const LONG_NAME = 16; // a longer one is smaller, so that it is not cut beside a clock

/** Return the mark of the lower bar: your own, else X. @param {OpenState} state @returns {Mark} */
const lowerMark = ({ you, passAndPlay }) => (passAndPlay ? "X" : (you.mark ?? "X"));

/**
 * Return the ms that a bar's clock shows, or null without a clock.
 * @param {OpenState} state
 * @param {Mark} mark
 * @param {number} now
 */
export function shownTime({ view }, mark, now) {
  if (!view.clock) return null;
  // The first move has its own time limit, which is shown instead of the clock.
  const firstMoveBy = view.game?.turn === mark ? (view.clock.first_move_by_ms ?? null) : null;
  const isFirst = firstMoveBy !== null;
  const ms = isFirst ? Math.max(0, firstMoveBy - now) : timeLeft(view.clock, mark, now);
  const isRunning = isFirst || view.clock.running === mark;
  return {
    isFirst,
    isRunning,
    ms,
    isLow: isRunning && ms < Math.min(LOW_TIME_MS, wholeTime(view.clock.setting) / LOW_SHARE),
  };
}

/** Return the words beside the name. @param {OpenState} state @param {Mark} mark */
function notesOf({ view, you, crowd, passAndPlay }, mark) {
  const seat = view.seats[mark];
  const presence = crowd?.seats[mark];
  if (seat?.kind === "engine") {
    const owner = seat.holding_for;
    return owner ? [t("room.stand_in", { name: owner.name || t("guest.someone") })] : [levelName(seat.level)];
  }
  if (!seat || passAndPlay) return []; // in pass and play no player is away, even while one connection opens
  if (you.mark === mark) return [];
  const words = presence?.present === false ? [t("room.away")] : [];
  return seat.bot ? [t("room.bot"), ...words] : words;
}

/**
 * @param {RoomContext} context
 * @param {"upper"|"lower"} className of the bar: above or below the board
 * @param {(state: OpenState) => Mark} markOf
 */
function createPlayerBar({ now, sendCommand }, className, markOf) {
  const name = h("span", { class: "seat-name", translate: "no" });
  const note = h("span", { class: "seat-note" });
  const wins = h("span", { class: "seat-wins" });
  const total = h("span", { class: "seat-total" });
  const clock = h("span", { class: "clock", role: "timer" });
  const run = h("span", { class: "run", hidden: true });
  const winMarks = h("span", { class: "win-marks", "aria-hidden": "true", hidden: true });
  /** @type {number|undefined} */
  let game;
  let met = "";
  /** @type {ReturnType<typeof friendOf>} */
  let friend;
  const gift = button("", () => sendCommand({ type: "give_time", game }), "gift quiet-text");
  gift.hidden = true;
  const element = h(
    "div",
    { class: `seat ${className}`, role: "group" },
    h("span", { class: "seat-mark", "aria-hidden": "true" }, markPicture()),
    h("span", { class: "seat-player" }, name, note, run, winMarks),
    gift,
    clock,
    wins,
    total,
  );

  /** @param {OpenState} state */
  function draw(state) {
    const mark = markOf(state);
    const { view, you, passAndPlay } = state;
    const seat = view.seats[mark];
    const notes = notesOf(state, mark);
    const isOwn = !passAndPlay && you.mark === mark;
    const isAway = notes.includes(t("room.away"));
    const count = winsOf(view, mark);
    setText(name, seatName(seat));
    setAttr(name, "data-long", seatName(seat).length > LONG_NAME ? "" : null);
    const person = seat?.kind === "human" && you.mark && !isOwn && !passAndPlay ? seat.player : "";
    if (met !== `${person} ${view.game?.number}`) friend = friendOf(person);
    met = `${person} ${view.game?.number}`;
    const { won = 0, lost = 0 } = friend ?? {};
    const isLonger = won + lost > MARKS.reduce((sum, seat) => sum + winsOf(view, seat), 0); // else the wins say it
    setText(total, isLonger ? t("rival.total", { won, lost }) : "");
    setText(note, notes.join(t("comma")));
    const winsText =
      seat && (view.game?.outcome || view.draws || MARKS.some((seat) => winsOf(view, seat) > 0)) ? String(count) : "";
    setText(wins, winsText);
    setAttr(wins, "title", t("room.wins", { n: count }));
    setAttr(element, "data-mark", mark);
    setAttr(element, "data-you", isOwn ? "" : null);
    setAttr(element, "data-presence", !seat ? "empty" : isAway ? "away" : "here");
    setAttr(element, "data-turn", view.game?.turn === mark ? "" : null);
    setAttr(element, "data-winner", view.game?.outcome?.winner === mark ? "" : null);
    setAttr(
      element,
      "aria-label",
      `${mark}: ${[seatName(seat), ...(isOwn ? [t("room.you")] : notes)].join(t("comma"))}. ${t("room.wins", { n: count })}.`,
    );
    show(run, isOwn && state.winsRun >= LONG_RUN);
    setText(run, t("room.wins.run", { n: state.winsRun }));
    game = view.game?.number;
    drawWinMarks(winMarks, view.series?.first_to ?? 0, count);
    const isOpponent = you.mark !== null && mark !== you.mark && !passAndPlay;
    show(gift, isOpponent && can(you, "give_time"));
    setText(gift, t(isDays(view) ? "gift.day" : "gift.time"));
    setAttr(gift, "aria-label", `${seatName(seat)}: ${gift.textContent}`);
    show(clock, view.clock !== null && !view.game?.outcome && (!isDays(view) || view.clock.running === mark));
    tick(state);
  }

  /** Draw the clock alone. @param {OpenState} state */
  function tick(state) {
    const time = shownTime(state, markOf(state), timeOf(state, now()));
    if (!time) return;
    const days = isDays(state.view);
    setText(clock, days ? timeLeftText(time.ms) : countdown(time.ms));
    clock.classList.toggle("words", days);
    setAttr(clock, "data-label", time.isFirst ? t("clock.first.label") : null);
    clock.classList.toggle("running", time.isRunning);
    clock.classList.toggle("low", time.isLow);
  }

  return { element, draw, tick };
}

/** Draw a mark for each game that wins the series, filled once it is won. @param {HTMLElement} element @param {number} firstTo @param {number} count */
function drawWinMarks(element, firstTo, count) {
  const shown = firstTo > 1 && firstTo <= MOST_WIN_MARKS ? firstTo : 0;
  show(element, shown > 0);
  if (element.childElementCount !== shown) element.replaceChildren(...Array.from({ length: shown }, () => h("i", {})));
  for (const [index, child] of [...element.children].entries()) setAttr(child, "data-won", index < count ? "" : null);
}

/** @param {RoomContext} context */
export const createUpperBar = (context) => createPlayerBar(context, "upper", (state) => opponentOf(lowerMark(state)));

/** @param {RoomContext} context */
export const createLowerBar = (context) => createPlayerBar(context, "lower", lowerMark);

/** Return whether a clock runs. @param {OpenState} state */
export const hasRunningClock = (state) => MARKS.some((mark) => shownTime(state, mark, 0)?.isRunning);
