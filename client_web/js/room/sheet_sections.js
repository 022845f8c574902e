import { button, h, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { setSlanted } from "../browser/preferences.js";
import { loadStyleSheet } from "../browser/style_sheet.js";
import { homeUrl, pageAt, tournamentUrl } from "../net/urls.js";
import { can, canInvite, isDays, MARKS } from "../net/view.js";
import { list, plural, t } from "../texts/i18n.js";
import { clockText } from "../texts/times.js";
import { createChat } from "./chat.js";
import { askFirst, canOffer, drawTexts, hidesEnds, playsEngine } from "./command_buttons.js";
import { createShareCard, createWatchLink } from "./invitations.js";
import { createChangeForm, createRoomSettings } from "./settings.js";
import { hasChat, hasPeople, isOver, nextVariantOf, variantOf } from "./state.js";
import { nameWithLevel } from "../texts/names.js";

/** The content of a room's sheet: one section for each name of a sheet. */

/** @import { Command } from "../net/messages.js" */
/** @import { OpenState, Part, RoomContext, SheetName } from "./state.js" */

/**
 * The menu of a room: which states show each entry, its text, and what it does after the menu has closed.
 * @param {RoomContext} context @returns {Part}
 */
function createMenu({ id, dispatch, sendCommand, share }) {
  /** @type {OpenState|null} */
  let state = null;
  /**
   * @typedef {{shows: (state: OpenState) => boolean, text: (state: OpenState) => string, element: HTMLElement}} Entry
   */
  /** @param {Entry["shows"]} shows @param {Entry["text"]} text @param {(state: OpenState, click: MouseEvent) => unknown} run @returns {Entry} */
  const entry = (shows, text, run) => {
    const element = button("", (click) => {
      dispatch({ type: "sheet", sheet: null });
      return state && run(state, click);
    });
    return { shows, text, element };
  };
  /** @param {Entry["shows"]} shows @param {Entry["text"]} text @param {() => string} question @param {() => Command} command */
  const asker = (shows, text, question, command) =>
    entry(shows, text, (_, click) => askFirst(click, question(), () => sendCommand(command())));
  const game = () => state?.view.game?.number;
  /** @param {SheetName} sheet @param {Entry["shows"]} shows */
  const opener = (sheet, shows) =>
    entry(
      shows,
      () => t(`sheet.${sheet}`),
      () => dispatch({ type: "sheet", sheet }),
    );
  const pliesOf = (/** @type {OpenState} */ { view }) => view.game?.moves.length ?? 0;
  const entries = [
    opener("invite", canInvite),
    opener("change", (room) => can(room.you, "set") || (playsEngine(room) && !isOver(room))),
    opener("rules", () => true),
    opener("settings", ({ view, you }) => you.owner && !view.tournament && view.phase !== "closed"),
    entry(
      (room) => pliesOf(room) > 0 && !isOver(room),
      () => t("step.open"),
      (room) => dispatch({ type: "step", ply: pliesOf(room) - 1 }),
    ),
    entry(
      (room) => isOver(room) && room.view.game?.outcome?.reason !== "aborted",
      () => t("share.game.title"),
      share,
    ),
    entry(
      (room) => (variantOf(room)?.shape.length ?? 0) > 2,
      ({ slanted }) => t(slanted ? "board.flat" : "board.slanted"),
      ({ slanted }) => {
        setSlanted(!slanted);
        dispatch({ type: "slant", slanted: !slanted });
      },
    ),
    asker(
      (room) => hidesEnds(room) && canOffer(room, "draw"),
      (room) => drawTexts(room).label,
      () => drawTexts(state).question,
      () => ({ type: "offer", what: "draw", game: game() }),
    ),
    asker(
      (room) => hidesEnds(room) && can(room.you, "resign"),
      () => t("command.resign"),
      () => t("command.resign.sure"),
      () => ({ type: "resign", game: game() }),
    ),
    entry(
      ({ you, passAndPlay }) => !passAndPlay && can(you, "stand"),
      () => t("command.stand"),
      () => sendCommand({ type: "stand" }),
    ),
  ];
  const element = h("div", { class: "sheet-menu" }, ...entries.map((item) => item.element));
  element.lastElementChild?.before(createWatchLink(id));
  const tournament = createTournamentLink();
  element.prepend(tournament.element);
  return {
    element,
    draw(newState) {
      state = newState;
      tournament.draw(newState);
      for (const { element: node, shows, text } of entries) {
        show(node, shows(newState));
        setText(node, text(newState));
      }
    },
  };
}

/** Create the link from a room to its tournament, unless the room is on the tournament's page. @returns {Part} */
function createTournamentLink() {
  const element = pageLink(homeUrl(), { class: "button", text: t("tournament.open_page") });
  return {
    element,
    draw({ view: { tournament } }) {
      show(element, Boolean(tournament) && pageAt(location.pathname).page !== "tournament");
      if (tournament) setAttr(element, "href", tournamentUrl(tournament.id));
    },
  };
}

/** @param {RoomContext} context */
export async function createRoomSheet(context) {
  await loadStyleSheet("invitation.css");
  /** @type {Record<SheetName|"people", Part>} */
  const sections = {
    rules: createRules(),
    people: createPeople(),
    chat: createChat(context),
    settings: createRoomSettings(context),
    change: createChangeForm(context),
    invite: createShareCard(context),
    more: createMenu(context),
  };
  const elements = Object.values(sections).map((section) => section.element);

  return {
    element: h("div", { class: "sheet-sections" }, ...elements),
    /**
     * As a column beside the board, without a chosen section, the sheet shows rules, people and chat. The people are a part of
     * what is about the game.
     * @param {OpenState} state
     */
    draw(state) {
      const { sheet, layout } = state;
      const isWithPeople = hasPeople(state);
      const usual = layout === "wide" && (sheet === null || sheet === "chat");
      for (const [name, section] of Object.entries(sections)) {
        const isUsual =
          name === "rules" || (isWithPeople && (name === "people" || (name === "chat" && hasChat(state))));
        const isChosen = sheet === name || (sheet === "rules" && name === "people" && isWithPeople);
        show(section.element, usual ? isUsual : isChosen);
        if (!section.element.hidden) section.draw(state);
      }
    },
  };
}

/** Two sections of a room's sheet: the rules with the exact value of the game, and the people. */

/** @returns {Part} */
function createRules() {
  const name = h("h2");
  const rules = h("p");
  const verdict = h("p", { class: "secondary" });
  const clock = h("p", { class: "secondary" });
  const tournament = createTournamentLink();
  const element = h("section", { class: "rules" }, tournament.element, name, rules, verdict, clock);
  return {
    element,
    /** @param {OpenState} state */
    draw(state) {
      const { view } = state;
      tournament.draw(state);
      const variant = nextVariantOf(state);
      setText(name, variant?.name ?? view.variant);
      setText(rules, variant?.rules ?? "");
      setText(verdict, verdictText(variant?.value));
      show(verdict, verdict.textContent !== "");
      show(clock, view.clock !== null);
      if (view.clock)
        setText(clock, `${clockText(view.clock.setting)}. ${t(isDays(view) ? "clock.days" : "clock.first")}`);
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
      setText(players, MARKS.map((mark) => `${mark}: ${nameWithLevel(view.seats[mark])}`).join("\u00a0·\u00a0"));
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

/** Return who wins with perfect play, or "". @param {import("../net/messages.js").Verdict|null|undefined} verdict of the empty board */
function verdictText(verdict) {
  if (!verdict || verdict.value === "unknown" || verdict.value === "draw") return "";
  const key = verdict.value === "win" ? "verdict.win" : "verdict.loss";
  return verdict.plies === null ? t(`${key}.some`) : t(key, { plies: verdict.plies });
}
