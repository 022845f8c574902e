import { button, createConfirmed, createForm, h, labelled, labelledSelect, setText, show } from "../browser/dom.js";
import { announce, warn, warnOnError } from "../browser/notices.js";
import { allVariants, features, request } from "../net/api.js";
import { CLOSE_CODES, connect } from "../net/connection.js";
import { ensureToken, guestPlayer, guestToken, onGuestChange, requestAsGuest, syncName } from "../net/guest.js";
import { wallUrl } from "../net/urls.js";
import { roomPage } from "../room/page.js";
import { createPageNote } from "../room/view.js";
import { rejectionText, t } from "../texts/i18n.js";
import { createBoards } from "./boards.js";
import { prepared } from "./enter.js";
import { createHostControls } from "./controls.js";
import { createPinCard, rememberTournament, takePin } from "./pin.js";
import { createHistory } from "./history.js";
import { createStandings } from "./standings.js";
import { describe, progress } from "./text.js";

/**
 * The page of a tournament, for its host, its entrants and everyone else. While an entrant plays a match, the match's room is
 * on this page: it opens when the match begins, and the standings follow a moment after its end.
 */

/** @import { Board, Command, PushedMessage, TournamentMessage } from "../net/messages.js" */

const AFTER_MATCH_MS = 3_500;
const BETWEEN_MATCHES_MS = 1_800;
const TICK_MS = 500;

/**
 * @param {{root: HTMLElement, id: string, navigate: (path: string) => Promise<void>}} options
 * @returns {() => void} closes the page
 */
function openPage({ root, id, navigate }) {
  /** @type {TournamentMessage|null} */ let message = null;
  /** @type {{room: string, close: () => void}|null} */ let played = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ let leaving;
  /** @type {ReturnType<typeof createBoards>|null} */ let boards = null;
  let watched = -1;
  let pin = takePin(id);
  let disposed = false;

  const title = h("h1", { tabindex: -1 });
  const about = h("p", { class: "secondary" });
  const clock = h("p", { class: "tournament-clock", role: "timer" });
  const place = h("p", { class: "tournament-place" });
  const pinCard = createPinCard(id);
  const join = createJoinForm();
  const status = h("p", { class: "tournament-status", role: "status" });
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
  const boardsHolder = h("div");
  const host = createHostControls({ send, wall: () => wallUrl(id, message?.pin ?? pin) });
  const table = h("div");
  /** @type {ReturnType<typeof createStandings>|null} */ let standings = null;
  const more = h("p", { class: "secondary", hidden: true });
  const results = createHistory({ id, annul: (match) => void send({ type: "annul", match }) });
  const matchRoot = h("div", { class: "tournament-match", hidden: true });
  const around = h(
    "div",
    { class: "tournament-around" },
    h(
      "section",
      { class: "tournament-main" },
      join.element,
      status,
      own,
      pinCard.element,
      boardsHolder,
      host.element,
      results.element,
    ),
    h("section", { class: "tournament-table" }, h("h2", { text: t("tournament.standings") }), table, more),
  );
  root.replaceChildren(
    h(
      "div",
      { class: "tournament" },
      h("header", { class: "tournament-head" }, title, about, h("div", {}, clock, place)),
      matchRoot,
      around,
    ),
  );

  const connection = connect({
    hello: () => ({ tournament: id, ...(guestToken() ? { token: guestToken() } : {}) }),
    onMessage: receive,
    onStatus({ state, code }) {
      if (disposed) return;
      if (state === "open") {
        watched = -1;
        watch();
      }
      if (state === "ended" && code === CLOSE_CODES.notFound)
        root.replaceChildren(createPageNote(t("tournament.unknown"), t("tournament.unknown.why")));
      else if (state === "ended" && code === CLOSE_CODES.unauthorized) void navigate(location.pathname);
    },
  });
  const removeGuestListener = onGuestChange(() => join.draw());
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
      follow(received);
      draw();
    }
  }

  /** Say what changed for the reader. @param {TournamentMessage|null} before @param {TournamentMessage} after */
  function report(before, after) {
    if (!before) return;
    const match = after.you.match;
    if (match && match.n !== before.you.match?.n)
      announce(t("tournament.paired", { name: match.opponent.name, mark: match.mark }));
    const { row } = after.you;
    if (row && !match && before.you.match) announce(t("tournament.place", { rank: row.rank, points: row.points }));
    if (after.tournament.state !== before.tournament.state) announce(progress(after.tournament, connection.now()));
  }

  /** Open the room of the reader's match, and close it a moment after its end. @param {TournamentMessage} state */
  function follow({ you }) {
    const room = you.match?.room ?? null;
    if (room === (played?.room ?? null)) {
      clearTimeout(leaving);
      leaving = undefined;
      return;
    }
    if (!played) openMatch(/** @type {string} */ (room));
    else leaving ??= setTimeout(closeMatch, room ? BETWEEN_MATCHES_MS : AFTER_MATCH_MS);
  }

  /** @param {string} room */
  function openMatch(room) {
    matchRoot.replaceChildren();
    show(matchRoot, true);
    played = { room, close: roomPage({ root: matchRoot, id: room, navigate, focused: null }) };
    watch();
  }

  function closeMatch() {
    leaving = undefined;
    played?.close();
    played = null;
    show(matchRoot, false);
    matchRoot.replaceChildren();
    if (message) {
      follow(message);
      draw();
    }
  }

  /** Ask for as many boards as there is room for: none while the reader plays. */
  function watch() {
    const wanted =
      played || !message || message.tournament.state !== "running" ? 0 : message.you.entrant === null ? 6 : 2;
    if (wanted === watched) return;
    watched = wanted;
    void connection.send({ type: "watch", boards: wanted });
  }

  /** @param {Board[]} shown */
  function drawBoards(shown) {
    const variant = allVariants().find(({ key }) => key === message?.tournament.variant);
    if (!variant) return;
    boards ??= createBoards(variant);
    if (!boards.element.isConnected) boardsHolder.replaceChildren(boards.element);
    boards.draw(shown);
  }

  function draw() {
    if (!message) return;
    const { tournament, you, top } = message;
    setText(title, tournament.name);
    document.title = `${tournament.name} · ${t("app.name")}`;
    setText(
      about,
      describe(
        tournament,
        allVariants().find(({ key }) => key === tournament.variant),
      ),
    );
    setText(
      place,
      you.row && tournament.state !== "open"
        ? t("tournament.place", { rank: you.row.rank, points: you.row.points })
        : "",
    );
    drawClock();
    const isOpen = tournament.state !== "over";
    pinCard.draw(isOpen && (you.host || tournament.state === "open") ? (message.pin ?? null) : null);
    join.draw();
    show(around, played === null);
    setText(status, statusText(message));
    show(
      own,
      you.can.some((name) => ["pause", "resume", "leave"].includes(name)),
    );
    setText(pauseButton, t(you.can.includes("pause") ? "tournament.pause" : "tournament.resume"));
    show(pauseButton, you.can.includes("pause") || you.can.includes("resume"));
    show(leave, you.can.includes("leave"));
    host.draw(message);
    const inTop = new Set(top.map(({ entrant }) => entrant));
    if (!standings) {
      standings = createStandings({ caption: t("tournament.standings"), onChoose: you.host ? chooseRow : null });
      table.replaceChildren(standings.element);
    }
    standings.draw([...top, ...message.around.filter(({ entrant }) => !inTop.has(entrant))], you.entrant);
    const hidden =
      tournament.entrants - Math.max(top.length, new Set([...inTop, ...message.around.map((row) => row.entrant)]).size);
    show(more, hidden > 0);
    setText(more, t("tournament.more", { n: hidden }));
    results.draw(message);
    show(boardsHolder, tournament.state === "running");
    watch();
  }

  function drawClock() {
    if (message) setText(clock, progress(message.tournament, connection.now()));
  }

  /** Open what the host may do with an entrant. @param {import("../net/messages.js").Row} row */
  const chooseRow = (row) => host.openEntrant(row);

  /** @param {Command} command */
  async function send(command) {
    const answer = await connection.send(command);
    if (!answer.ok && answer.message) warn(rejectionText(answer));
    return answer;
  }

  /** Create the form that joins with the PIN of the link. */
  function createJoinForm() {
    const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname", name: "name" });
    const names = labelledSelect(t("tournament.your_name"), []);
    const typed = labelled(t("tournament.your_name"), name);
    const submitButton = h("button", { type: "submit", class: "primary big", text: t("tournament.join") });
    const element = createForm(
      { class: "card", hidden: true },
      () => void submit(),
      typed,
      names.element,
      submitButton,
    );
    /** @type {string[]|null|undefined} */ let free;
    name.value = guestPlayer()?.name ?? "";

    async function find() {
      free = null;
      try {
        free = (await request("POST", "tournaments/find", { body: { pin } })).names;
      } catch {
        pin = ""; // the tournament is over, or the PIN is not its own
      }
      drawForm();
    }

    async function submit() {
      submitButton.disabled = true;
      const isDone = await warnOnError(async () => {
        const chosen = free ? names.select.value : name.value.trim();
        await ensureToken(features().free_names && !free ? chosen : undefined);
        await requestAsGuest("POST", "tournaments/join", { pin, ...(chosen ? { name: chosen } : {}) });
      });
      submitButton.disabled = false;
      if (isDone) connection.reopen();
      else if (free) void find();
    }

    function drawForm() {
      const may = message !== null && message.you.entrant === null && message.tournament.state !== "over" && pin !== "";
      show(element, may);
      if (may && free === undefined) void find();
      show(typed, !free && features().free_names);
      show(names.element, Boolean(free));
      if (free) names.select.replaceChildren(...free.map((each) => h("option", { value: each, text: each })));
    }
    return { element, draw: drawForm };
  }

  return () => {
    disposed = true;
    clearInterval(timer);
    clearTimeout(leaving);
    removeGuestListener();
    played?.close();
    connection.close();
  };
}

/** Return what the reader waits for. @param {TournamentMessage} message */
function statusText({ tournament, you }) {
  if (tournament.state === "over") return t("tournament.thanks");
  if (you.entrant === null) return you.host ? "" : t("tournament.watching", { host: tournament.host.name });
  const state = you.row?.state;
  if (state === "paused" || state === "left" || state === "removed" || state === "out")
    return t(`tournament.you.${state}`);
  if (tournament.state === "open") return t("tournament.wait.start", { host: tournament.host.name });
  return you.match ? "" : t("tournament.wait.opponent");
}

export const tournamentPage = prepared(openPage);
