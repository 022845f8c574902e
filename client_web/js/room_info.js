import { h, setText, show } from "./dom.js";
import { clockText, list, plural, t } from "./i18n.js";
import { seatName, verdictText } from "./room_text.js";
import { nextVariantOf } from "./room_state.js";
import { MARKS, settingOf } from "./view.js";

/** Two sections of a room's sheet: the rules with the exact value of the game, and the people. */

/** @typedef {import("./room_state.js").OpenState} OpenState */

export function createRules() {
  const name = h("h3");
  const rules = h("p");
  const verdict = h("p", { class: "secondary" });
  const clock = h("p", { class: "secondary" });
  const element = h("section", { class: "rules" }, name, rules, verdict, clock);
  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { view } = state;
      const variant = nextVariantOf(state);
      setText(name, variant?.name ?? view.variant);
      setText(rules, variant?.rules ?? "");
      setText(verdict, verdictText(variant?.value));
      show(clock, view.clock !== null);
      if (view.clock) setText(clock, `${clockText(settingOf(view.clock))}. ${t("clock.first")}`);
    },
  };
}

export function createPeople() {
  const players = h("p");
  const spectators = h("p", { class: "spectators" });
  const element = h("section", { class: "people" }, players, spectators);
  return {
    element,
    /** @param {OpenState} state */
    draw({ view, crowd, you }) {
      setText(players, MARKS.map((mark) => `${mark}: ${seatName(view.seats[mark])}`).join(" · "));
      // Someone who has just sat down may still count as a spectator, until the next crowd message.
      const seated = MARKS.flatMap((mark) => {
        const seat = view.seats[mark];
        return seat?.kind === "human" ? [seat.name] : [];
      });
      const names = (crowd?.names ?? []).filter((name) => !seated.includes(name));
      const count = Math.max(names.length, (crowd?.spectators ?? 0) - ((crowd?.names.length ?? 0) - names.length));
      show(spectators, count > 0);
      const watching = plural("spectators", count);
      setText(
        spectators,
        count === 0
          ? ""
          : [
              names.length ? t("room.spectators", { count: watching, names: list(names) }) : watching,
              you.mark === null ? t("room.watching") : "",
            ]
              .filter(Boolean)
              .join(". "),
      );
    },
  };
}
