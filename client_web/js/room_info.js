import { h, setText, show } from "./dom.js";
import { clockText, plural, t } from "./i18n.js";
import { verdictText } from "./room_text.js";
import { settingOf } from "./view.js";

/** The card about a room: its variant with rules and verdict, its clock and its spectators. */

export function createRoomInfo() {
  const name = h("h2");
  const rules = h("p");
  const verdict = h("p", { class: "secondary" });
  const clock = h("p", { class: "secondary" });
  const spectators = h("p", { class: "secondary spectators" });
  const element = h("section", { class: "card" }, name, rules, verdict, clock, spectators);
  return {
    element,
    /** @param {import("./room_state.js").RoomState} state */
    draw({ view, variant, crowd }) {
      setText(name, variant?.name ?? view.variant);
      setText(rules, variant?.rules ?? "");
      setText(verdict, verdictText(variant?.value));
      show(clock, view.clock !== null);
      if (view.clock) setText(clock, `${clockText(settingOf(view.clock))}. ${t("clock.first")}`);
      const names = crowd?.names ?? [];
      const count = plural("spectators", crowd?.spectators ?? 0);
      setText(spectators, names.length ? t("room.spectators", { count, names: names.join(", ") }) : count);
    },
  };
}
