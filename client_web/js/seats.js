import { markPicture } from "./marks.js";
import { h, setAttr, setText, show } from "./dom.js";
import { countdown, plural, t } from "./i18n.js";
import { seatName } from "./room_text.js";
import { MARKS, timeLeft, winsOf } from "./view.js";

/** The two seats: mark, name, presence, clock and games won. */

/** @typedef {import("./room_state.js").RoomState} RoomState */
/** @typedef {import("./messages.js").Mark} Mark */

const LOW_TIME_MS = 10_000;

/** @param {Mark} mark */
function createSeat(mark) {
  const name = h("span", { class: "seat-name" });
  const note = h("span", { class: "seat-note" });
  const wins = h("span", { class: "seat-wins" });
  const clock = h("span", { class: "clock", role: "timer" });
  const element = h("div", { class: "seat", "data-mark": mark, role: "group" },
    h("span", { class: "seat-mark", "aria-hidden": "true" }, markPicture()),
    h("span", { class: "seat-player" }, name, note), wins, clock);
  /** @type {RoomState|null} */
  let state = null;

  /** @param {RoomState} newState */
  function draw(newState) {
    state = newState;
    const { view, you, crowd, passAndPlay } = newState;
    const seat = view.seats[mark];
    const presence = crowd?.seats[mark];
    // In pass and play no player is away, even while only one of the two connections is open.
    const isAway = !passAndPlay && seat?.kind === "human" && presence !== null && presence !== undefined && !presence.present;
    setText(name, seatName(seat));
    const notes = [];
    if (!passAndPlay && you.mark === mark) notes.push(t("room.you"));
    if (seat?.kind === "human" && seat.bot) notes.push(t("room.bot"));
    if (seat?.kind === "engine" && seat.holding_for) notes.push(t("room.stand_in", { name: seat.holding_for.name || t("guest.someone") }));
    if (isAway) notes.push(t("room.away"));
    const winsText = t("room.wins", { n: winsOf(view, mark) });
    setText(note, notes.join(", "));
    setText(wins, seat ? String(winsOf(view, mark)) : "");
    setAttr(wins, "title", winsText);
    setAttr(element, "data-presence", !seat ? "empty" : isAway ? "away" : "here");
    setAttr(element, "data-turn", view.game?.turn === mark ? "" : null);
    setAttr(element, "data-winner", view.game?.outcome?.winner === mark ? "" : null);
    setAttr(element, "aria-label", `${mark}: ${[seatName(seat), ...notes].join(", ")}. ${winsText}.`);
    show(clock, view.clock !== null);
    tick();
  }

  function tick() {
    const roomClock = state?.view.clock;
    if (!state || !roomClock) return;
    // The first move has its own time limit, which is shown instead of the clock.
    const firstMoveBy = state.view.game?.turn === mark ? roomClock.first_move_by_ms ?? null : null;
    const left = firstMoveBy === null ? timeLeft(roomClock, mark, state.now()) : Math.max(0, firstMoveBy - state.now());
    const isRunning = firstMoveBy !== null || roomClock.running === mark;
    setText(clock, countdown(left));
    setAttr(clock, "data-label", firstMoveBy === null ? null : t("clock.first.label"));
    clock.classList.toggle("running", isRunning);
    clock.classList.toggle("low", isRunning && left < LOW_TIME_MS);
  }

  return { element, draw, tick };
}

export function createSeats() {
  const seats = MARKS.map(createSeat);
  const draws = h("span", { class: "draws" });
  const element = h("div", { class: "seats" }, seats[0]?.element, draws, seats[1]?.element);
  return {
    element,
    /** @param {RoomState} state */
    draw(state) {
      for (const seat of seats) seat.draw(state);
      setText(draws, state.view.draws ? plural("draws", state.view.draws) : "");
    },
    tick() {
      for (const seat of seats) seat.tick();
    },
  };
}
