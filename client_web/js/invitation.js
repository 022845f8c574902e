import { h, labelled, setText, show } from "./dom.js";
import * as guest from "./guest.js";
import { t } from "./i18n.js";
import { nextVariantOf } from "./room_state.js";
import { features } from "./variants.js";
import { openSeat, opponentOf } from "./view.js";

/** The card with which a visitor takes an empty seat. Opening a link alone takes none. */

/** @typedef {import("./messages.js").Mark} Mark */
/** @typedef {import("./room_state.js").OpenState} OpenState */

/** @param {(mark: Mark, name: string) => Promise<void>} sit */
export function createInvitation(sit) {
  /** @type {Mark} */
  let mark = "O";
  const title = h("h2");
  const text = h("p");
  const name = h("input", { type: "text", maxlength: 24, autocomplete: "nickname", name: "name" });
  const labelledName = labelled(t("invite.name"), name);
  const sitButton = h("button", { type: "submit", class: "primary big" });
  const form = h(
    "form",
    {
      on: {
        /** @param {Event} event */
        async submit(event) {
          event.preventDefault();
          sitButton.disabled = true;
          await sit(mark, name.value.trim());
          sitButton.disabled = false;
        },
      },
    },
    sitButton,
    labelledName,
  );
  const element = h("section", { class: "card invitation", hidden: true }, title, text, form);
  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { view } = state;
      const emptySeat = openSeat(state);
      show(element, emptySeat !== null);
      if (!emptySeat) return;
      mark = emptySeat;
      show(labelledName, features().free_names);
      setText(title, t(view.join === "open" ? "invite.title.open" : "invite.title"));
      const opponent = view.seats[opponentOf(mark)];
      const variant = nextVariantOf(state)?.name ?? view.variant;
      setText(
        text,
        opponent?.kind === "human"
          ? t(view.join === "open" ? "invite.what.open" : "invite.what", { name: opponent.name, variant, mark })
          : t("invite.what.nameless", { variant, mark }),
      );
      setText(sitButton, t("invite.sit", { mark }));
      const guestName = guest.player()?.name ?? "";
      if (!name.dataset["filled"] && guestName) {
        name.dataset["filled"] = "yes";
        name.value = guestName;
      }
    },
  };
}
