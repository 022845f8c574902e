import { drawChildren, h, setAttr, setText, show } from "../browser/dom.js";
import { createWakeLock } from "../browser/wake_lock.js";
import { CLOSE_CODES, connect } from "../net/connection.js";
import { joinUrl, tournamentLink } from "../net/urls.js";
import { list, t } from "../texts/i18n.js";
import { createBoards } from "./boards.js";
import { createBracket } from "./bracket.js";
import { createCrown, createMissingNote } from "./crown.js";
import { createQr, drawQr, spaced, takePin } from "./pin.js";
import { createReader } from "./reader.js";
import { createStandings } from "./standings.js";
import { createTournamentState, rowsOf, update } from "./state.js";
import { describe, mayJoin, progress, winnersOf } from "./text.js";

/**
 * The wall of a tournament, for a projector: standings, the leaders' boards, the time left, and the PIN while people may join.
 * It has no controls, shows nothing secret but the PIN of its own link, and runs for hours.
 */

/** @import { Row, Tournament } from "../net/messages.js" */
/** @import { Change, OpenTournament } from "./state.js" */

const TICK_MS = 500;
const MAX_BOARDS = 16;
const MAX_ROWS = 10;
const NAME_SIZES = ["large", "medium", "small"];
const MAX_WINNERS = 3; // with a line each

/** @param {{root: HTMLElement, id: string}} options @returns {() => void} closes the page */
export function wallPage({ root, id }) {
  const pin = takePin(id, true);
  let state = createTournamentState(pin);
  const boards = createBoards(true);
  const title = h("h1", { tabindex: -1 });
  const about = h("p");
  const clock = h("p", { class: "wall-clock", role: "timer" });
  const digits = h("p", { class: "wall-pin", translate: "no" });
  const how = h("p", { class: "wall-how" });
  const qr = createQr();
  const door = h("aside", { class: "wall-door", hidden: true }, how, digits, qr);
  const names = h("ul", { class: "wall-names", translate: "no" });
  const boardsHolder = h("div", { class: "wall-boards" }, boards.element);
  const standings = createStandings({ caption: t("tournament.standings") });
  const bracket = h("div", { class: "wall-bracket", hidden: true });
  /** The matches that the bracket shows. @type {unknown} */ let drawnMatches = state.matches;
  const winner = h("section", { class: "wall-winner", hidden: true });
  const middle = h("section", { class: "wall-middle" }, winner, names, boardsHolder);
  const element = h(
    "div",
    { class: "wall" },
    h("header", {}, h("div", {}, title, about), clock),
    h("section", { class: "wall-standings" }, standings.element, bracket),
    middle,
    door,
  );
  const reader = createReader({ id, dispatch });
  root.replaceChildren(element);
  const wakeLock = createWakeLock(Infinity);
  wakeLock.want(true);

  const connection = connect({
    hello: () => ({ tournament: id }),
    onMessage(received) {
      if (received.type === "boards") dispatch(received);
      else if (received.type === "tournament") dispatch({ type: "message", message: received });
    },
    onStatus({ state: name, code }) {
      element.toggleAttribute("data-still", name !== "open");
      if (name === "open") void connection.send({ type: "watch", boards: MAX_BOARDS });
      if (name === "ended" && code === CLOSE_CODES.notFound) root.replaceChildren(createMissingNote());
    },
  });
  const timer = setInterval(drawClock, TICK_MS);
  const resizes = new ResizeObserver(draw);
  resizes.observe(middle);
  if (pin) void drawQr(qr, tournamentLink(id, pin));

  /** @param {Change} change */
  function dispatch(change) {
    state = update(state, change);
    draw();
  }

  /** Draw what changes with time too. */
  function drawClock() {
    const { message } = state;
    if (!message) return;
    const now = connection.now();
    setText(clock, progress(message.tournament, now));
    clock.toggleAttribute("data-long", (clock.textContent ?? "").length > 14);
    show(door, pin !== "" && mayJoin(message.tournament, now));
  }

  function draw() {
    const { message } = state;
    if (!message) return;
    const open = { ...state, message };
    reader.follow(open, true);
    const { tournament, top } = message;
    boards.draw(open);
    // The last positions stay for a moment. Then the server sends no boards, and the winner takes their place.
    const hasBoards = tournament.state !== "open" && winner.hidden && state.boards.length > 0;
    element.dataset["state"] = hasBoards ? "running" : tournament.state;
    setText(title, tournament.name);
    document.title = `${tournament.name} · ${t("app.name")}`;
    setText(about, describe(tournament));
    setText(digits, spaced(pin));
    setText(how, t("tournament.pin.how", { url: joinUrl().replace(/^https?:\/\//, "") }));
    const isOpen = tournament.state === "open";
    show(names, isOpen);
    if (isOpen) drawNames(tournament, rowsOf(open, true));
    show(boardsHolder, hasBoards);
    const shown = top.slice(0, MAX_ROWS);
    standings.draw(shown, tournament);
    standings.element.style.setProperty("--lines", String(shown.length));
    drawBracket(open);
    const isOver = tournament.state === "over" && !hasBoards;
    show(winner, isOver);
    if (isOver) drawWinner(tournament, winnersOf(top), top);
    drawClock();
    arrange();
  }

  /** Show the bracket of a knockout in place of its standings. @param {OpenTournament} state */
  function drawBracket({ message: { tournament, top }, matches }) {
    if (!tournament.rounds || tournament.mode !== "knockout" || matches === drawnMatches) return;
    drawnMatches = matches;
    bracket.replaceChildren(createBracket(matches, tournament.rounds, tournament.state === "over" ? top : [], false));
    show(bracket, true);
    show(standings.element, false);
  }

  /** Make the boards as large as the screen allows. */
  function arrange() {
    const { clientWidth, clientHeight } = boardsHolder;
    const columns = columnsFor(state.boards.length, clientWidth, clientHeight);
    boards.element.style.setProperty("--columns", String(columns));
  }

  /** Show the names of those who have joined, the newest first, as large as they fit. @param {Tournament} tournament @param {Row[]} rows */
  function drawNames({ entrants }, rows) {
    const here = rows.filter(({ state }) => state !== "left" && state !== "removed");
    const newest = here.sort((a, b) => b.entrant - a.entrant).map(({ name }) => name);
    const key = [entrants, middle.clientWidth, middle.clientHeight, ...newest].join("\n");
    if (key === names.dataset["shown"]) return;
    names.dataset["shown"] = key;
    let count = newest.length;
    const fits = () => names.offsetHeight <= middle.clientHeight;
    const fill = () => {
      const others = entrants - count - (rows.length - here.length);
      const texts = [...newest.slice(0, count), ...(others > 0 ? [t("tournament.more", { n: others })] : [])];
      drawChildren(
        names,
        texts,
        (text) => text,
        (text) => h("li", { text }),
      );
    };
    fill();
    for (const size of NAME_SIZES) {
      setAttr(names, "data-size", size);
      if (fits()) return;
    }
    while (count > 0 && !fits()) {
      count--;
      fill();
    }
  }

  /** Show who won, once. @param {Tournament} tournament @param {Row[]} winners @param {Row[]} top */
  function drawWinner({ mode }, winners, top) {
    const [first] = winners;
    const names = winners.map(({ name }) => name);
    const lines = names.length > MAX_WINNERS ? [list(names)] : names;
    const key = names.join("\n");
    if (!first) return setText(winner, t("tournament.won.none"));
    if (key === winner.dataset["shown"]) return;
    winner.dataset["shown"] = key;
    const others = top.filter(({ rank }) => rank > 1 && rank <= 3).slice(0, 3);
    const nameElement = h("h2", {}, ...lines.map((text) => h("span", { text })));
    nameElement.style.setProperty("--chars", String(Math.max(...lines.map((line) => [...line].length))));
    nameElement.style.setProperty("--lines", String(lines.length));
    winner.replaceChildren(
      ...createCrown(),
      h("p", { class: "wall-won", text: t(names.length > 1 ? "tournament.winners" : "tournament.won") }),
      nameElement,
      ...(mode === "knockout"
        ? []
        : [h("p", { class: "wall-points", text: t("tournament.points.n", { n: first.points }) })]),
      h("ol", { class: "wall-others" }, ...others.map(({ rank, name }) => h("li", { text: `${rank}. ${name}` }))),
    );
  }

  return () => {
    clearInterval(timer);
    resizes.disconnect();
    reader.dispose();
    wakeLock.dispose();
    connection.close();
  };
}

/**
 * Return in how many columns so many boards are largest.
 * @param {number} count @param {number} width of all in px @param {number} height
 */
function columnsFor(count, width, height) {
  const size = (/** @type {number} */ columns) => Math.min(width / columns, height / Math.ceil(count / columns));
  const choices = Array.from({ length: Math.max(1, count) }, (_, n) => n + 1);
  return choices.reduce((best, columns) => (size(columns) > size(best) ? columns : best));
}
