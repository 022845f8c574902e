import { createAbsence, createActions, createEngineOffer, createOffers } from "./actions.js";
import { h, setText, show } from "./dom.js";
import { t } from "./i18n.js";
import { createAbout, createSeats } from "./seats.js";
import * as session from "./session.js";
import { createInvitation, createShare, createWatchLink } from "./share.js";
import { can, choicesOf, MARKS, valueText } from "./view.js";

/** All of a room but its board and chat, composed: each part draws itself from the scene. */

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Hands} Hands */
/** @typedef {import("./wire.js").Mark} Mark */

/**
 * @param {{id: string, hands: Hands, sit: (mark: Mark, name: string) => Promise<void>}} options
 */
export function createPanel({ id, hands, sit }) {
  const seats = createSeats();
  const about = createAbout();
  const actions = createActions(hands);
  const offers = createOffers(hands);
  const absence = createAbsence(hands);
  const engineOffer = createEngineOffer(hands);
  const share = createShare(id);
  const invitation = createInvitation(sit);
  const status = h("p", { class: "status" });
  const uninvited = h("p", { class: "notice quiet", hidden: true, text: t("invite.none") });
  const full = h("p", { class: "notice quiet", hidden: true, text: t("invite.full") });
  const cards = h("div", { class: "cards" }, invitation.element, share.element);
  const wide = matchMedia("(min-width: 900px)");
  const veil = h("div", { class: "veil" });
  const below = h("div", { class: "below" }, offers.element, absence.element, uninvited, full, engineOffer.element, actions.element);
  const side = h("div", { class: "side-top" }, about.element, createWatchLink(id));

  /** The empty seat that this visitor may take with one press. @param {Scene} scene @returns {Mark|null} */
  function openSeat({ view, you, invite, shared }) {
    if (shared || you.mark || view.phase === "closed") return null;
    const mark = MARKS.find((one) => view.seats[one] === null) ?? null;
    const allowed = view.join === "open" ? mark !== null && can(you, "sit:" + mark) : invite !== null;
    return allowed ? mark : null;
  }

  return {
    seats: seats.element,
    status,
    veil,
    below,
    side,
    tick() {
      seats.tick();
      absence.tick();
      engineOffer.tick();
    },
    /** @param {Scene} scene @param {string} sentence */
    draw(scene, sentence) {
      const { view, you, shared } = scene;
      const seat = openSeat(scene);
      const unheld = MARKS.some((mark) => view.seats[mark] === null);
      setText(status, sentence);
      status.dataset["yours"] = String(view.phase === "playing" && !shared && view.game?.turn === you.mark);
      status.dataset["long"] = String(MARKS.every((mark) => view.seats[mark]?.kind === "engine"));
      seats.draw(scene);
      about.draw(scene, valueText(scene.variant?.value));
      invitation.draw(scene, seat, session.player()?.name ?? "");
      share.draw(scene, !shared && you.mark !== null && unheld);
      show(uninvited, !shared && you.mark === null && seat === null && unheld && view.join === "invite" && view.phase !== "closed");
      show(full, !shared && you.mark === null && !you.owner && scene.invite !== null && !unheld && !choicesOf(you, "sit").length && view.phase !== "closed");
      // Before the first game the board is idle, so the cards lie upon it and nothing has to move; later they come below it.
      const home = view.game === null ? veil : below;
      if (cards.parentElement !== home) home.prepend(cards);
      // What must be answered stands where it is seen at once: beside the board on a wide screen, else below it.
      const desk = wide.matches ? side : below;
      if (absence.element.parentElement !== desk) desk.prepend(offers.element, absence.element, uninvited, full);
      show(veil, home === veil && (!invitation.element.hidden || !share.element.hidden));
      offers.draw(scene);
      absence.draw(scene);
      engineOffer.draw(scene);
      actions.draw(scene);
    },
  };
}
