import { button, h, setText, show } from "../browser/dom.js";
import { setSlanted } from "../browser/preferences.js";
import { can, canInvite, MARKS, settingOf } from "../net/view.js";
import { clockText, list, plural, t } from "../texts/i18n.js";
import { createChat } from "./chat.js";
import { createShareCard, createWatchLink } from "./invitations.js";
import { createChangeForm, createRoomSettings } from "./settings.js";
import { hasPeople, nextVariantOf, variantOf } from "./state.js";
import { verdictText } from "./text.js";
import { seatName } from "../texts/names.js";

/** The content of a room's sheet: one section for each name of a sheet. */

/** @import { OpenState, Part, RoomContext, SheetName } from "./state.js" */

/** @param {RoomContext} context */
export function createRoomSheet(context) {
  const { id, dispatch, leave, share } = context;
  const chat = createChat(context);
  const rules = createRules();
  const people = createPeople();
  const settings = createRoomSettings(context);
  const change = createChangeForm(context);
  /** @param {SheetName} sheet */
  const opener = (sheet) => button(t(`sheet.${sheet}`), () => dispatch({ type: "sheet", sheet }));
  const close = () => dispatch({ type: "sheet", sheet: null });
  const shareCard = createShareCard(context);
  const inviteButton = opener("invite");
  const changeButton = opener("change");
  const settingsButton = opener("settings");
  const peopleButton = opener("people");
  const rulesButton = opener("rules");
  const reviewButton = button(t("step.open"), () => {
    dispatch({ type: "step", ply: newestPly - 1 });
    close();
  });
  const shareButton = button(t("share.game.title"), () => {
    close();
    share();
  });
  let newestPly = 0;
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
     * As a column beside the board, without a chosen section, the sheet shows rules, people and chat.
     * @param {OpenState} state
     */
    draw(state) {
      const { sheet, view, you, passAndPlay, layout } = state;
      const isWithPeople = hasPeople(state);
      const usual = layout === "wide" && (sheet === null || sheet === "chat");
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
      newestPly = view.game?.moves.length ?? 0;
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

/** Two sections of a room's sheet: the rules with the exact value of the game, and the people. */

/** @returns {Part} */
function createRules() {
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

/** @returns {Part} */
function createPeople() {
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
