import { h, setText, show } from "../browser/dom.js";
import { allVariants, request } from "../net/api.js";
import { connect } from "../net/connection.js";
import { ensureToken } from "../net/guest.js";
import { joinUrl, tournamentLink } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { createBoards } from "./boards.js";
import { prepared } from "./enter.js";
import { spaced, takePin } from "./pin.js";
import { createStandings } from "./standings.js";
import { describe, progress } from "./text.js";

/**
 * The wall of a tournament, for a projector: standings, the leaders' boards, the time left, and the PIN while people may join.
 * It has no controls, shows nothing secret but the PIN of its own link, and runs for hours.
 */

/** @import { TournamentMessage } from "../net/messages.js" */

const TICK_MS = 500;
const MAX_BOARDS = 16;
const MAX_ROWS = 12;

/** @param {{root: HTMLElement, id: string}} options @returns {() => void} closes the page */
function openWall({ root, id }) {
  const pin = takePin(id, true);
  /** @type {TournamentMessage|null} */ let message = null;
  /** @type {ReturnType<typeof createBoards>|null} */ let boards = null;
  const title = h("h1", { tabindex: -1 });
  const about = h("p");
  const clock = h("p", { class: "wall-clock", role: "timer" });
  const digits = h("p", { class: "wall-pin" });
  const how = h("p", { class: "wall-how" });
  const qr = h("img", { class: "wall-qr", alt: t("share.qr"), hidden: true });
  const door = h("aside", { class: "wall-door", hidden: true }, h("div", {}, how, digits), qr);
  const names = h("p", { class: "wall-names" });
  const boardsHolder = h("div", { class: "wall-boards" });
  const standings = createStandings({ caption: t("tournament.standings") });
  const winner = h("section", { class: "wall-winner", hidden: true });
  const element = h(
    "div",
    { class: "wall" },
    h("header", {}, h("div", {}, title, about), clock),
    h("section", { class: "wall-standings" }, standings.element),
    h("section", { class: "wall-middle" }, winner, names, boardsHolder),
    door,
  );
  root.replaceChildren(element);

  const connection = connect({
    hello: () => ({ tournament: id }),
    onMessage(received) {
      if (received.type === "boards" && message) {
        const variant = allVariants().find(({ key }) => key === message?.tournament.variant);
        if (!variant) return;
        boards ??= createBoards(variant, { links: false });
        if (!boards.element.isConnected) boardsHolder.replaceChildren(boards.element);
        boards.draw(received.boards);
      } else if (received.type === "tournament") {
        message = received;
        draw();
      }
    },
    onStatus({ state }) {
      element.toggleAttribute("data-still", state !== "open");
      if (state === "open") void connection.send({ type: "watch", boards: MAX_BOARDS });
    },
  });
  const timer = setInterval(drawClock, TICK_MS);
  if (pin) void drawQr();

  async function drawQr() {
    try {
      const code = await request("POST", "qr", { token: await ensureToken(), body: { text: tournamentLink(id, pin) } });
      qr.src = "data:image/svg+xml," + encodeURIComponent(code);
      show(qr, true);
    } catch {
      show(qr, false); // the PIN is enough
    }
  }

  function drawClock() {
    if (!message) return;
    setText(clock, progress(message.tournament, connection.now()));
    clock.toggleAttribute("data-long", (clock.textContent ?? "").length > 14);
  }

  function draw() {
    if (!message) return;
    const { tournament, top } = message;
    element.dataset["state"] = tournament.state;
    setText(title, tournament.name);
    document.title = `${tournament.name} · ${t("app.name")}`;
    setText(
      about,
      describe(
        tournament,
        allVariants().find(({ key }) => key === tournament.variant),
      ),
    );
    const mayJoin = tournament.state === "open" || (tournament.state === "running" && tournament.mode === "arena");
    show(door, pin !== "" && mayJoin);
    setText(digits, spaced(pin));
    setText(how, t("tournament.pin.how", { url: joinUrl().replace(/^https?:\/\//, "") }));
    show(names, tournament.state === "open");
    setText(names, top.map(({ name }) => name).join("  ·  "));
    show(boardsHolder, tournament.state === "running");
    standings.draw(top.slice(0, MAX_ROWS));
    const [first] = top;
    const isOver = tournament.state === "over" && first !== undefined;
    show(winner, isOver);
    if (isOver && !winner.childElementCount) {
      const shared = top.filter(({ rank }) => rank === 1).map(({ name }) => name);
      winner.replaceChildren(
        h("p", { class: "wall-crown", "aria-hidden": "true", text: "♛" }),
        h("p", { class: "wall-won", text: t("tournament.won") }),
        h("h2", { text: shared.join(" & ") }),
        h("p", { text: t("tournament.place", { rank: first.rank, points: first.points }) }),
      );
    }
    drawClock();
  }

  return () => {
    clearInterval(timer);
    connection.close();
  };
}

export const wallPage = prepared(openWall);
