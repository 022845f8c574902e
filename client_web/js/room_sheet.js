import { setSlanted } from "./board_settings.js";
import { createChangeForm } from "./change_form.js";
import { createChat } from "./chat.js";
import { button, h, setText, show } from "./dom.js";
import { t } from "./i18n.js";
import { createPeople, createRules } from "./room_info.js";
import { createRoomSettings } from "./room_settings.js";
import { hasPeople, variantOf } from "./room_state.js";
import { createShareCard, createWatchLink } from "./share.js";
import { can, canInvite } from "./view.js";

/** The content of a room's sheet: one section for each name of a sheet. */

/** @typedef {import("./room_state.js").OpenState} OpenState */
/** @typedef {import("./room_state.js").SheetName} SheetName */
/**
 * @typedef {{id: string, sendCommand: import("./room_state.js").SendCommand, dispatch: import("./room_state.js").Dispatch,
 *   leave: () => void, review: () => void, share: () => void}} SheetOptions
 */

/** @param {SheetOptions} options */
export function createRoomSheet({ id, sendCommand, dispatch, leave, review, share }) {
  const chat = createChat({ sendCommand, dispatch });
  const rules = createRules();
  const people = createPeople();
  const settings = createRoomSettings(sendCommand);
  const change = createChangeForm({ sendCommand, dispatch });
  /** @param {SheetName} sheet */
  const opener = (sheet) => button(t(`sheet.${sheet}`), () => dispatch({ type: "sheet", sheet }));
  const close = () => dispatch({ type: "sheet", sheet: null });
  const shareCard = createShareCard(id);
  const inviteButton = opener("invite");
  const changeButton = opener("change");
  const settingsButton = opener("settings");
  const peopleButton = opener("people");
  const rulesButton = opener("rules");
  const reviewButton = button(t("step.open"), () => {
    close();
    review();
  });
  const shareButton = button(t("share.game.title"), () => {
    close();
    share();
  });
  let isSlanted = false;
  const slantButton = button("", () => {
    setSlanted(!isSlanted);
    dispatch({ type: "slant", slanted: !isSlanted });
    close();
  });
  const leaveButton = button(t("command.stand"), () => {
    close();
    leave();
  });
  const menu = h(
    "div",
    { class: "sheet-menu" },
    inviteButton,
    changeButton,
    rulesButton,
    peopleButton,
    settingsButton,
    reviewButton,
    shareButton,
    slantButton,
    createWatchLink(id),
    leaveButton,
  );
  /** @type {Record<SheetName, HTMLElement>} */
  const sections = {
    chat: chat.element,
    rules: rules.element,
    people: people.element,
    settings: settings.element,
    change: change.element,
    invite: shareCard.element,
    more: menu,
  };
  const element = h(
    "div",
    { class: "sheet-sections" },
    rules.element,
    people.element,
    chat.element,
    settings.element,
    change.element,
    shareCard.element,
    menu,
  );

  return {
    element,
    focusChat: chat.focus,
    /**
     * @param {OpenState} state
     * @param {boolean} isWide the sheet is a column: without a chosen section it shows rules, people and chat
     */
    draw(state, isWide) {
      const { sheet, view, you, passAndPlay } = state;
      const isWithPeople = hasPeople(state);
      const usual = isWide && (sheet === null || sheet === "chat");
      for (const [name, section] of Object.entries(sections)) {
        const isUsual = name === "rules" || (isWithPeople && (name === "people" || name === "chat"));
        show(section, usual ? isUsual : sheet === name);
      }
      show(inviteButton, canInvite(state));
      show(changeButton, can(you, "set"));
      show(settingsButton, you.owner && view.phase !== "closed");
      show(peopleButton, isWithPeople);
      show(reviewButton, view.game !== null && !view.game.outcome && view.game.moves.length > 0);
      show(shareButton, Boolean(view.game?.outcome) && view.game?.outcome?.reason !== "aborted");
      isSlanted = state.slanted;
      show(slantButton, (variantOf(state)?.shape.length ?? 0) > 2);
      setText(slantButton, t(isSlanted ? "board.flat" : "board.slanted"));
      show(leaveButton, !passAndPlay && can(you, "stand"));
      rules.draw(state);
      people.draw(state);
      if (!chat.element.hidden) chat.draw(state);
      if (sheet === "invite") shareCard.draw(state);
      if (!settings.element.hidden) settings.draw(state);
      if (!change.element.hidden) change.draw(state);
    },
  };
}
