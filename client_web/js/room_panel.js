import { createCommandButtons } from "./command_buttons.js";
import { h, setText, show } from "./dom.js";
import * as guest from "./guest.js";
import { t } from "./i18n.js";
import { createInvitation } from "./invitation.js";
import { createAbsence, createEngineOffer, createOffers } from "./prompts.js";
import { createRoomInfo } from "./room_info.js";
import { createSeats } from "./seats.js";
import { createShareCard, createWatchLink } from "./share.js";
import { bothAreEngines, can, choicesOf, MARKS } from "./view.js";

/** Everything around the board of a room, except the chat and the settings. */

/** @typedef {import("./room_state.js").RoomState} RoomState */
/** @typedef {import("./messages.js").Mark} Mark */

/**
 * @param {{id: string, sendCommand: import("./room_state.js").SendCommand, sit: (mark: Mark, name: string) => Promise<void>}} options
 */
export function createRoomPanel({ id, sendCommand, sit }) {
  const seats = createSeats();
  const info = createRoomInfo();
  const commandButtons = createCommandButtons(sendCommand);
  const offers = createOffers(sendCommand);
  const absence = createAbsence(sendCommand);
  const engineOffer = createEngineOffer(sendCommand);
  const share = createShareCard(id);
  const invitation = createInvitation(sit);
  const status = h("p", { class: "status" });
  const inviteNeeded = h("p", { class: "notice secondary", hidden: true, text: t("invite.needed") });
  const inviteFull = h("p", { class: "notice secondary", hidden: true, text: t("invite.full") });
  const cards = h("div", { class: "cards" }, invitation.element, share.element);
  const wideScreen = matchMedia("(min-width: 900px)");
  const boardOverlay = h("div", { class: "board-overlay" });
  const below = h("div", { class: "below" }, offers.element, absence.element, inviteNeeded, inviteFull, engineOffer.element, commandButtons.element);
  const sidebar = h("div", { class: "sidebar-top" }, info.element, createWatchLink(id));

  /** Return the empty seat that this visitor can take. @param {RoomState} state @returns {Mark|null} */
  function openSeat({ view, you, invite, passAndPlay }) {
    if (passAndPlay || you.mark || view.phase === "closed") return null;
    const mark = MARKS.find((seat) => view.seats[seat] === null) ?? null;
    const isAllowed = view.join === "open" ? mark !== null && can(you, "sit:" + mark) : invite !== null;
    return isAllowed ? mark : null;
  }

  return {
    seats: seats.element,
    status,
    boardOverlay,
    below,
    sidebar,
    tick() {
      seats.tick();
      absence.tick();
      engineOffer.tick();
    },
    /** @param {RoomState} state @param {string} sentence */
    draw(state, sentence) {
      const { view, you, passAndPlay } = state;
      const mark = openSeat(state);
      const hasEmptySeat = MARKS.some((seat) => view.seats[seat] === null);
      const isVisitor = !passAndPlay && you.mark === null && view.phase !== "closed";
      setText(status, sentence);
      status.dataset["yours"] = String(view.phase === "playing" && !passAndPlay && view.game?.turn === you.mark);
      status.dataset["long"] = String(bothAreEngines(view));
      seats.draw(state);
      info.draw(state);
      invitation.draw(state, mark, guest.player()?.name ?? "");
      share.draw(state, !passAndPlay && you.mark !== null && hasEmptySeat);
      show(inviteNeeded, isVisitor && mark === null && hasEmptySeat && view.join === "invite");
      show(inviteFull, isVisitor && !you.owner && state.invite !== null && !hasEmptySeat && !choicesOf(you, "sit").length);
      // Before the first game the cards cover the empty board, so that nothing moves when it starts. Later they are below it.
      const cardsParent = view.game === null ? boardOverlay : below;
      if (cards.parentElement !== cardsParent) cardsParent.prepend(cards);
      // What the player must answer is in sight at once: beside the board on a wide screen, else below it.
      const noticesParent = wideScreen.matches ? sidebar : below;
      if (absence.element.parentElement !== noticesParent) noticesParent.prepend(offers.element, absence.element, inviteNeeded, inviteFull);
      show(boardOverlay, cardsParent === boardOverlay && (!invitation.element.hidden || !share.element.hidden));
      offers.draw(state);
      absence.draw(state);
      engineOffer.draw(state);
      commandButtons.draw(state);
    },
  };
}
