import { warnOnError } from "../net/failures.js";
import { button, h, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { createConfirmed } from "../start/confirmed.js";
import { playSound } from "../browser/sound.js";
import { announce, notify, voice, warn } from "../browser/toasts.js";
import { createWakeLock } from "../browser/wake_lock.js";
import { serverClock } from "../net/clock.js";
import { CLOSE_CODES } from "../net/connection.js";
import { joinPath } from "../net/urls.js";
import { connectAsGuest } from "../room/connections.js";
import { rejectionText, t } from "../texts/i18n.js";
import { createBoards } from "./boards.js";
import { createHostControls } from "./controls.js";
import { createMissingNote, createOwnCrown } from "./crown.js";
import { createPinCard, rememberTournament, takePin } from "./pin.js";
import { createHistory } from "./history.js";
import { createJoinForm } from "./join_form.js";
import { createOwnRoom } from "./own_room.js";
import { createReader } from "./reader.js";
import { createStandingsSection } from "./standings.js";
import {
  boardsWanted,
  createTournamentState,
  isBoardShown,
  isLastWait,
  isPaired,
  isWaiting,
  update,
  waysToJoin,
} from "./state.js";
import { describe, placeText, progress, statusText } from "./text.js";

/**
 * The page of a tournament, for its host, its entrants and everyone else. While an entrant plays a match, the match's room is
 * on this page: it opens when the match begins, and the standings follow a moment after its end.
 */

/** @import { Command, PushedMessage, TournamentMessage } from "../net/messages.js" */
/** @import { Change, OpenTournament } from "./state.js" */

const TICK_MS = 500;

/**
 * @param {{root: HTMLElement, id: string, navigate: (path: string) => Promise<void>}} options
 * @returns {() => void} closes the page
 */
export function tournamentPage({ root, id, navigate }) {
  let state = createTournamentState(takePin(id));
  let disposed = false;
  let watched = -1;

  const ownRoom = createOwnRoom({ navigate, onChange: (isFocusLost) => dispatch(matchNow(), isFocusLost) });
  const reader = createReader({ id, dispatch });
  const standings = createStandingsSection({ onChoose: (row) => host.openEntrant(row), dispatch });
  const host = createHostControls({ id, send });
  const join = createJoinCard({
    pin: () => state.pin || state.message?.pin || "",
    onJoin() {
      title.focus(); // the list of names may be long
      connection.reopen();
    },
  });
  const head = createHead({
    toggle() {
      dispatch({ type: "away", isAway: !state.isAway });
      if (!state.isAway) ownRoom.focus();
    },
  });
  const title = head.title;
  const status = h("p", { class: "tournament-status", role: "status" });
  const playToo = createPlayToo(async () => {
    const search = join.find();
    dispatch({ type: "play_too" });
    await search;
    draw();
    join.focus();
  });
  const main = [
    createOwnCrown(id),
    createAgainLink(),
    join,
    createOwnControls(send),
    createPinCard(id),
    playToo,
    createBoards(),
    host,
  ];
  const results = createHistory({ id, annul: (match) => void send({ type: "annul", match }), dispatch });
  const around = h(
    "div",
    { class: "tournament-around" },
    h("section", { class: "tournament-main" }, status, ...main.map((part) => part.element)),
    standings.element,
    results.element,
  );
  const element = h("div", { class: "tournament" }, head.element, ownRoom.element, around);
  /** @type {readonly {draw: (state: OpenTournament) => void}[]} */
  const timedParts = [head, ...main];
  /** @type {readonly {draw: (state: OpenTournament) => void}[]} */
  const parts = [...timedParts, standings, results];
  root.replaceChildren(element);
  const wakeLock = createWakeLock(Infinity);

  const connection = connectAsGuest({
    id,
    what: "tournament",
    onMessage: receive,
    onStatus({ state: name, code }) {
      if (disposed) return;
      if (name === "open") watched = -1;
      dispatch({ type: "connection", isConnected: name === "open" });
      if (name === "ended" && code === CLOSE_CODES.notFound) root.replaceChildren(createMissingNote());
    },
  });
  const timer = setInterval(() => dispatch({ type: "time" }), TICK_MS);

  /** Change the state, and let the page follow. @param {Change} change @param {boolean} [isFocusLost] */
  function dispatch(change, isFocusLost) {
    if (disposed) return;
    state = update({ ...state, nowMs: serverClock.now() }, change);
    draw(isFocusLost, change.type === "time");
  }

  /** @param {PushedMessage} received */
  function receive(received) {
    if (disposed) return;
    if (received.type === "boards") dispatch(received);
    else if (received.type === "tournament") {
      const before = state.message;
      if (received.you.entrant !== null || received.you.host) rememberTournament(received);
      report(before, received, serverClock.now());
      state = update(state, { type: "message", message: received });
      ownRoom.follow(received.you.match?.room ?? null);
      dispatch(matchNow());
    }
  }

  /** @returns {Change} */
  const matchNow = () => ({ type: "match", isOpen: ownRoom.isOpen(), isBetweenGames: ownRoom.isBetweenGames() });

  /** Ask for as many boards as there is room for. */
  function watch() {
    const boards = boardsWanted(state);
    if (boards === watched) return;
    watched = boards;
    void connection.ask({ type: "watch", boards });
  }

  function draw(isFocusLost = false, isTick = false) {
    const { message } = state;
    if (!message) return;
    const focus = document.activeElement;
    const open = { ...state, message };
    reader.follow(open);
    show(ownRoom.element, isBoardShown(state));
    show(around, !isBoardShown(state));
    setAttr(element, "data-playing", isBoardShown(state) ? "" : null);
    for (const part of isTick ? timedParts : parts) part.draw(open);
    const text = state.isConnected ? statusText(message, state.nowMs) : t("connection.reconnecting");
    setText(status, join.element.hidden || !state.isConnected ? text : "");
    watch();
    wakeLock.want(isWaiting(open));
    // A control that is gone leaves the focus to the heading of what is shown.
    if (isFocusLost || (focus && focus !== document.body && (!focus.isConnected || focus.closest("[hidden]"))))
      if (isBoardShown(state)) ownRoom.focus();
      else title.focus();
  }

  /** @param {Command} command */
  async function send(command) {
    const answer = await connection.send(command);
    if (!answer.ok && answer.message) warn(rejectionText(answer));
    return answer;
  }

  return () => {
    disposed = true;
    clearInterval(timer);
    reader.dispose();
    wakeLock.dispose();
    ownRoom.dispose();
    connection.close();
  };
}

/** Say what changed for the reader. @param {TournamentMessage|null} before @param {TournamentMessage} after @param {number} nowMs */
function report(before, after, nowMs) {
  if (!before) return;
  const { match, row, host } = after.you;
  const [was, is] = [before.tournament, after.tournament];
  if (match && isPaired(before, after)) {
    const text = t("tournament.paired", { name: match.opponent.name, mark: match.mark });
    announce(text);
    playSound("arrival");
    notify(text, is.name);
    voice.pass(text, "arrival");
  }
  if (row && !match && before.you.match) announce(placeText(is, row));
  const isNew = host && is.state === "open" && is.entrants !== was.entrants;
  if (isNew || is.state !== was.state) announce(progress(is, nowMs));
  if (is.state === "over" && was.state !== "over") announce(statusText(after, nowMs));
}

/** Create the head of the page: name, rules, time, the reader's place, and the way between board and standings. @param {{toggle: () => void}} options */
function createHead({ toggle }) {
  const title = h("h1", { tabindex: -1 });
  const about = h("p", { class: "secondary" });
  const clock = h("p", { class: "tournament-clock", role: "timer" });
  const place = h("p", { class: "tournament-place" });
  const awayButton = button("", toggle);
  return {
    title,
    element: h("header", { class: "tournament-head" }, title, about, h("div", {}, clock, place, awayButton)),
    /** @param {OpenTournament} state */
    draw({ message, nowMs, isMatchOpen, isBetweenGames, isAway }) {
      const { tournament, you } = message;
      setText(title, tournament.name);
      document.title = `${tournament.name} · ${t("app.name")}`;
      setText(about, describe(tournament));
      const hasPlace = you.row && (tournament.state === "over" || you.row.points + you.row.games > 0);
      setText(place, you.row && hasPlace ? placeText(tournament, you.row) : "");
      show(place, !isBetweenGames);
      setText(clock, isBetweenGames ? t("tournament.next_game") : progress(tournament, nowMs));
      show(awayButton, isMatchOpen);
      setAttr(awayButton, "class", isAway ? "primary" : "quiet-text");
      setText(awayButton, t(isAway ? "tournament.board" : "tournament.standings"));
    },
  };
}

/** Create the card with the form of those who join. It is shown once the PIN was looked up. @param {Parameters<typeof createJoinForm>[0]} options */
function createJoinCard(options) {
  const form = createJoinForm(options);
  const element = h("div", { class: "card", hidden: true }, form.element);
  let isAsked = false;
  return {
    element,
    focus: form.focus,
    find() {
      isAsked = true;
      return warnOnError(form.find);
    },
    /** @param {OpenTournament} state */
    draw(state) {
      const { mayEnter } = waysToJoin(state);
      if (mayEnter && !isAsked) {
        isAsked = true;
        void form.find().catch(() => {}); // another PIN's link shows no form
      }
      show(element, mayEnter && !form.element.hidden);
    },
  };
}

function createAgainLink() {
  const element = h("p", {}, pageLink(joinPath(), { class: "button", text: t("tournament.join.title") }));
  return { element, draw: (/** @type {OpenTournament} */ state) => show(element, waysToJoin(state).mayReturn) };
}

/** @param {() => unknown} onPlay */
function createPlayToo(onPlay) {
  const element = h("div", { class: "buttons" }, button(t("tournament.play_too"), onPlay));
  return { element, draw: (/** @type {OpenTournament} */ state) => show(element, waysToJoin(state).mayPlayToo) };
}

/** Create the buttons with which an entrant pauses and leaves. @param {(command: Command) => unknown} send */
function createOwnControls(send) {
  let isPaused = false;
  const pauseButton = button("", () => send({ type: isPaused ? "resume" : "pause" }));
  const leave = createConfirmed(
    t("tournament.leave"),
    t("tournament.leave.sure"),
    () => send({ type: "leave" }),
    t("tournament.leave.yes"),
  );
  const element = h("div", { class: "buttons" }, pauseButton, leave);
  return {
    element,
    /** @param {OpenTournament} state */
    draw(state) {
      const { tournament, you } = state.message;
      const can = new Set(you.can);
      isPaused = !can.has("pause");
      show(element, !isLastWait(state) && (can.has("leave") || can.has("resume")));
      setText(pauseButton, t(isPaused ? "tournament.resume" : "tournament.pause"));
      show(pauseButton, can.has("resume") || (can.has("pause") && tournament.state === "running"));
      show(leave, can.has("leave"));
    },
  };
}
