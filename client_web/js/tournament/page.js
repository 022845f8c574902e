import { button, createConfirmed, h, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { announce, notify, warn, warnOnError } from "../browser/toasts.js";
import { allVariants } from "../net/api.js";
import { CLOSE_CODES, connect } from "../net/connection.js";
import { guestToken, onGuestChange, syncName } from "../net/guest.js";
import { joinPath, wallUrl } from "../net/urls.js";
import { createPageNote } from "../room/view.js";
import { rejectionText, t } from "../texts/i18n.js";
import { createBoards } from "./boards.js";
import { prepared } from "./enter.js";
import { createHostControls } from "./controls.js";
import { createPinCard, rememberTournament, takePin } from "./pin.js";
import { createHistory } from "./history.js";
import { createJoinForm } from "./join_form.js";
import { createOwnRoom } from "./own_room.js";
import { createStandingsSection } from "./standings_section.js";
import { describe, hasRung, mayJoin, placeText, progress, statusText } from "./text.js";

/**
 * The page of a tournament, for its host, its entrants and everyone else. While an entrant plays a match, the match's room is
 * on this page: it opens when the match begins, and the standings follow a moment after its end.
 */

/** @import { Board, Command, PushedMessage, TournamentMessage } from "../net/messages.js" */

const TICK_MS = 500;

/**
 * @param {{root: HTMLElement, id: string, navigate: (path: string) => Promise<void>}} options
 * @returns {() => void} closes the page
 */
function openPage({ root, id, navigate }) {
  /** @type {TournamentMessage|null} */ let message = null;
  /** @type {ReturnType<typeof createBoards>|null} */ let boards = null;
  let watched = -1;
  let disposed = false;
  let isConnected = true;
  /** The reader looks at the standings while a match is on. */
  let isAway = false;
  /** The PIN was looked up, so the form may be shown. */
  let isJoinable = false;
  let token = guestToken();
  const pin = takePin(id);
  /** The host wants to play too. */
  let isPlaying = false;

  const title = h("h1", { tabindex: -1 });
  const about = h("p", { class: "secondary" });
  const clock = h("p", { class: "tournament-clock", role: "timer" });
  const place = h("p", { class: "tournament-place" });
  const awayButton = button("", toggleAway);
  const pinCard = createPinCard(id);
  const joinForm = createJoinForm({ pin: () => pin || message?.pin || "", onJoin });
  const join = h("div", { class: "card", hidden: true }, joinForm.element);
  const status = h("p", { class: "tournament-status", role: "status" });
  const againLink = h("p", {}, pageLink(joinPath(), { class: "button", text: t("tournament.join.title") }));
  const pauseButton = button("", () => void send({ type: message?.you.can.includes("pause") ? "pause" : "resume" }));
  const leave = createConfirmed(
    {
      label: t("tournament.leave"),
      question: t("tournament.leave.sure"),
      yes: t("tournament.leave.yes"),
      cancel: t("cancel"),
    },
    () => void send({ type: "leave" }),
  );
  const own = h("div", { class: "buttons" }, pauseButton, leave);
  const playToo = h("div", { class: "buttons" }, button(t("tournament.play_too"), showJoinForm));
  const boardsHolder = h("div");
  const host = createHostControls({ id, send, wall: () => wallUrl(id, message?.pin ?? pin) });
  const standings = createStandingsSection({ id, onChoose: chooseRow, onRows: drawTable });
  const results = createHistory({ id, annul: (match) => void send({ type: "annul", match }) });
  const ownRoom = createOwnRoom({ navigate, onChange: draw });
  const around = h(
    "div",
    { class: "tournament-around" },
    h(
      "section",
      { class: "tournament-main" },
      status,
      againLink,
      join,
      own,
      pinCard.element,
      playToo,
      boardsHolder,
      host.element,
    ),
    standings.element,
    results.element,
  );
  const element = h(
    "div",
    { class: "tournament" },
    h("header", { class: "tournament-head" }, title, about, h("div", {}, clock, place, awayButton)),
    ownRoom.element,
    around,
  );
  root.replaceChildren(element);

  const connection = connect({
    hello() {
      token = guestToken();
      return { tournament: id, ...(token ? { token } : {}) };
    },
    onMessage: receive,
    onStatus({ state, code }) {
      if (disposed) return;
      isConnected = state === "open";
      drawClock();
      if (state === "open") {
        watched = -1;
        watch();
      }
      if (state === "ended" && code === CLOSE_CODES.notFound)
        root.replaceChildren(createPageNote(t("tournament.unknown"), t("tournament.unknown.why")));
      else if (state === "ended" && code === CLOSE_CODES.unauthorized) void navigate(location.pathname);
    },
  });
  const removeGuestListener = onGuestChange(() => guestToken() !== token && connection.reopen());
  const timer = setInterval(drawClock, TICK_MS);

  /** @param {PushedMessage} received */
  function receive(received) {
    if (disposed) return;
    if (received.type === "welcome") syncName(received.player);
    else if (received.type === "boards") drawBoards(received.boards);
    else if (received.type === "tournament") {
      const before = message;
      message = received;
      if (received.you.entrant !== null || received.you.host) rememberTournament(received.tournament);
      report(before, received);
      if (received.you.match && received.you.match.n !== before?.you.match?.n) isAway = false;
      ownRoom.follow(received.you.match?.room ?? null);
      draw();
    }
  }

  /** Say what changed for the reader. @param {TournamentMessage|null} before @param {TournamentMessage} after */
  function report(before, after) {
    if (!before) return;
    const match = after.you.match;
    if (match && match.n !== before.you.match?.n) {
      const text = t("tournament.paired", { name: match.opponent.name, mark: match.mark });
      announce(text);
      notify(text, after.tournament.name);
    }
    const { row, host } = after.you;
    if (row && !match && before.you.match) announce(placeText(after.tournament, row));
    const isNew = host && after.tournament.state === "open" && after.tournament.entrants !== before.tournament.entrants;
    if (isNew || after.tournament.state !== before.tournament.state)
      announce(progress(after.tournament, connection.now()));
    if (after.tournament.state === "over" && before.tournament.state !== "over")
      announce(statusText(after, connection.now()));
  }

  const isBoardShown = () => ownRoom.isOpen() && !isAway;

  function toggleAway() {
    isAway = !isAway;
    draw();
    if (!isAway) ownRoom.focus();
  }

  /** Ask for as many boards as there is room for: none while the reader's board is shown. */
  function watch() {
    const wanted =
      isBoardShown() || !message || message.tournament.state === "open" ? 0 : message.you.entrant === null ? 6 : 2;
    if (wanted === watched) return;
    watched = wanted;
    void connection.send({ type: "watch", boards: wanted });
  }

  /** @param {Board[]} shown */
  function drawBoards(shown) {
    const variant = allVariants().find(({ key }) => key === message?.tournament.variant);
    if (!variant) return;
    // An entrant stays on this page, where the next match opens.
    boards ??= createBoards(variant, { links: message?.you.entrant === null });
    if (!boards.element.isConnected) boardsHolder.replaceChildren(boards.element);
    boards.draw(shown);
  }

  function draw(isFocusLost = false) {
    if (!message) return;
    const { tournament, you } = message;
    const focus = document.activeElement;
    setText(title, tournament.name);
    document.title = `${tournament.name} · ${t("app.name")}`;
    setText(
      about,
      describe(
        tournament,
        allVariants().find(({ key }) => key === tournament.variant),
      ),
    );
    const hasPlace = you.row && (tournament.state === "over" || you.row.points + you.row.games > 0);
    setText(place, you.row && hasPlace ? placeText(tournament, you.row) : "");
    drawClock();
    isAway &&= ownRoom.isOpen();
    show(awayButton, ownRoom.isOpen());
    setAttr(awayButton, "class", isAway ? "primary" : "quiet-text");
    setText(awayButton, t(isAway ? "tournament.board" : "tournament.standings"));
    show(ownRoom.element, isBoardShown());
    show(around, !isBoardShown());
    setAttr(element, "data-playing", isBoardShown() ? "" : null);
    const isRunning = tournament.state === "running";
    const can = new Set(you.can);
    const isLast = hasRung(tournament, connection.now()) && !you.match;
    show(own, !isLast && (can.has("leave") || can.has("resume")));
    setText(pauseButton, t(can.has("pause") ? "tournament.pause" : "tournament.resume"));
    show(pauseButton, can.has("resume") || (can.has("pause") && isRunning));
    show(leave, can.has("leave"));
    drawTable();
    results.draw(message);
    watch();
    // A control that is gone leaves the focus to the heading of what is shown.
    if (isFocusLost || (focus && focus !== document.body && (!focus.isConnected || focus.closest("[hidden]"))))
      if (isBoardShown()) ownRoom.focus();
      else title.focus();
  }

  function drawTable() {
    if (message) host.draw(message, standings.draw(message));
  }

  /** Draw what changes with time too. */
  function drawClock() {
    if (!message) return;
    const { tournament, you } = message;
    const now = connection.now();
    show(place, !ownRoom.isBetweenGames());
    setText(clock, ownRoom.isBetweenGames() ? t("tournament.next_game") : progress(tournament, now));
    const takesMore = mayJoin(tournament, now);
    pinCard.draw(
      takesMore && (you.host || tournament.state === "open") ? (message.pin ?? null) : null,
      tournament.state !== "open",
    );
    const isOutside = takesMore && you.entrant === null;
    const mayEnter = isOutside && (pin !== "" || isPlaying);
    if (mayEnter && !isJoinable) {
      isJoinable = true;
      void joinForm.find().catch(() => {}); // another PIN's link shows no form
    }
    show(join, mayEnter && !joinForm.element.hidden);
    show(againLink, takesMore && you.entrant !== null && (you.row?.state ?? "removed") === "removed");
    show(playToo, isOutside && you.host && !mayEnter && tournament.bots !== "only");
    const text = isConnected ? statusText(message, now) : t("connection.reconnecting");
    setText(status, join.hidden || !isConnected ? text : "");
  }

  async function showJoinForm() {
    isPlaying = isJoinable = true;
    await warnOnError(joinForm.find);
    drawClock();
    joinForm.focus();
  }

  function onJoin() {
    title.focus(); // the list of names may be long
    connection.reopen();
  }

  /** Open what the host may do with an entrant. @param {import("../net/messages.js").Row} row */
  function chooseRow(row) {
    host.openEntrant(row);
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
    removeGuestListener();
    standings.dispose();
    ownRoom.dispose();
    connection.close();
  };
}

export const tournamentPage = prepared(openPage);
