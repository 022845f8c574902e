import { h, setAttr, setText, show } from "./dom.js";
import { markPicture } from "./board.js";
import { clockText, countdown, t } from "./i18n.js";
import { MARKS, seatName, settingOf, timeLeft, winsOf } from "./view.js";

/** The two seats: mark, name, presence, clock and games won. */

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./wire.js").Mark} Mark */

const HURRY_MS = 10_000;

/** @param {Mark} mark */
function createSeat(mark) {
  const picture = markPicture();
  const name = h("span", { class: "seat-name" });
  const note = h("span", { class: "seat-note" });
  const wins = h("span", { class: "seat-wins" });
  const clock = h("span", { class: "clock", role: "timer" });
  const element = h("div", { class: "seat", "data-mark": mark, role: "group" },
    h("span", { class: "seat-mark", "aria-hidden": "true" }, picture),
    h("span", { class: "seat-who" }, name, note), wins, clock);
  /** @type {Scene|null} */
  let drawn = null;

  /** @param {Scene} scene */
  function draw(scene) {
    drawn = scene;
    const { view, you, crowd, shared } = scene;
    const seat = view.seats[mark];
    const presence = crowd?.seats[mark];
    // Of two on one screen nobody is away, whichever connection is back first.
    const away = !shared && seat?.kind === "human" && presence !== null && presence !== undefined && !presence.present;
    setText(name, seatName(seat));
    const notes = [];
    if (!shared && you.mark === mark) notes.push(t("room.you"));
    if (seat?.kind === "engine" && seat.holding_for) notes.push(t("room.holding", { name: seat.holding_for.name || t("who.someone") }));
    if (away) notes.push(t("room.away"));
    setText(note, notes.join(", "));
    setText(wins, seat ? String(winsOf(view, mark)) : "");
    setAttr(wins, "title", t("room.wins", { n: winsOf(view, mark) }));
    setAttr(element, "data-presence", !seat ? "empty" : away ? "away" : "here");
    setAttr(element, "data-turn", view.game?.turn === mark ? "" : null);
    setAttr(element, "data-winner", view.game?.outcome?.winner === mark ? "" : null);
    setAttr(element, "aria-label", `${mark}: ${[seatName(seat), ...notes].join(", ")}. ${t("room.wins", { n: winsOf(view, mark) })}.`);
    show(clock, view.clock !== null);
    tick();
  }

  function tick() {
    const ticking = drawn?.view.clock;
    if (!drawn || !ticking) return;
    // Before its first move a side has a time of its own, and sees that one instead.
    const by = drawn.view.game?.turn === mark ? ticking.first_move_by_ms ?? null : null;
    const left = by === null ? timeLeft(ticking, mark, drawn.now()) : Math.max(0, by - drawn.now());
    const counting = by !== null || ticking.running === mark;
    setText(clock, countdown(left));
    setAttr(clock, "data-label", by === null ? null : t("clock.first.label"));
    clock.classList.toggle("running", counting);
    clock.classList.toggle("hurry", counting && left < HURRY_MS);
  }

  return { element, draw, tick };
}

export function createSeats() {
  const seats = MARKS.map(createSeat);
  const draws = h("span", { class: "draws" });
  const element = h("div", { class: "seats" }, seats[0]?.element, draws, seats[1]?.element);
  return {
    element,
    /** @param {Scene} scene */
    draw(scene) {
      for (const seat of seats) seat.draw(scene);
      setText(draws, scene.view.draws ? t("room.draws", { n: scene.view.draws }) : "");
    },
    tick() {
      for (const seat of seats) seat.tick();
    },
  };
}

/** What the room is about: the game and its rules, the clock, who watches. */
export function createAbout() {
  const name = h("h2");
  const rules = h("p");
  const value = h("p", { class: "quiet" });
  const clock = h("p", { class: "quiet" });
  const watchers = h("p", { class: "quiet watchers" });
  const element = h("section", { class: "card about" }, name, rules, value, clock, watchers);
  return {
    element,
    /** @param {Scene} scene @param {string} value_ */
    draw({ view, variant, crowd }, value_) {
      setText(name, variant?.name ?? view.variant);
      setText(rules, variant?.rules ?? "");
      setText(value, value_);
      show(clock, view.clock !== null);
      if (view.clock) setText(clock, `${clockText(settingOf(view.clock))}. ${t("clock.first")}`);
      const names = crowd?.names ?? [];
      const n = crowd?.spectators ?? 0;
      setText(watchers, names.length ? t("room.watchers.names", { n, names: names.join(", ") }) : t("room.watchers", { n }));
    },
  };
}
