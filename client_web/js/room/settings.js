import { createVariantPicker } from "../board/variant_picker.js";
import { button, createForm, drawChildren, h, labelledSelect, setOptions, setText, show } from "../browser/dom.js";
import { toast } from "../browser/notices.js";
import { features } from "../net/variants.js";
import { can, marksFor, MARKS, settingOf } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { clockOptions, defaultLevel, levelAfterChange, levelOf, levelOptions } from "../texts/names.js";

/** The forms of a room's owner: who sees the room, who may chat and the room's end; then game, level and clock. */

/** @import { OpenState, Part, RoomContext } from "./state.js" */

/** @param {RoomContext} context @returns {Part} */
export function createRoomSettings({ sendCommand }) {
  let hasUnsavedInput = false;
  /** @type {OpenState|null} */
  let state = null;
  const visibility = labelledSelect(t("settings.visibility"), [
    { value: "public", text: t("settings.visibility.public") },
    { value: "unlisted", text: t("settings.visibility.unlisted") },
  ]);
  const chat = labelledSelect(t("settings.chat"), [
    { value: "always", text: t("settings.chat.always") },
    { value: "between_games", text: t("settings.chat.between_games") },
    { value: "off", text: t("settings.chat.off") },
  ]);
  const form = createForm(
    { class: "settings", on: { change: () => (hasUnsavedInput = true) } },
    () => void save(),
    visibility.element,
    chat.element,
    h("button", { type: "submit", class: "primary", text: t("settings.save") }),
  );
  const laterNote = h("p", { class: "secondary", text: t("settings.later") });
  const muteButtons = h(
    "div",
    { class: "buttons" },
    button(t("settings.mute"), () => void sendCommand({ type: "mute", player: "spectators", muted: true })),
    button(t("settings.unmute"), () => void sendCommand({ type: "mute", player: "spectators", muted: false })),
  );
  const freeButtons = h("div", { class: "buttons" });
  const sureText = h("p", { hidden: true, text: t("settings.close.sure") });
  const closeButton = button(t("settings.close"), () => askToClose(true));
  const yesButton = button(t("settings.close.yes"), () => void sendCommand({ type: "close" }), "danger");
  const cancelButton = button(t("cancel"), () => askToClose(false));
  const element = h(
    "section",
    { class: "room-settings" },
    form,
    laterNote,
    muteButtons,
    freeButtons,
    h("div", { class: "closing" }, sureText, h("div", { class: "buttons" }, closeButton, yesButton, cancelButton)),
  );
  askToClose(false);

  /** @param {boolean} asks */
  function askToClose(asks) {
    show(sureText, asks);
    show(closeButton, !asks);
    show(yesButton, asks);
    show(cancelButton, asks);
    if (asks) cancelButton.focus();
  }

  /** Send the settings that differ from the room's. */
  async function save() {
    if (!state) return;
    const { view } = state;
    /** @type {Record<string, unknown>} */
    const changes = {};
    if (visibility.select.value !== view.visibility) changes["visibility"] = visibility.select.value;
    if (chat.select.value !== view.spectator_chat) changes["spectator_chat"] = chat.select.value;
    if (!Object.keys(changes).length) return;
    const answer = await sendCommand({ type: "set", ...changes });
    if (!answer.ok) return;
    hasUnsavedInput = false;
    toast(t("settings.saved"));
  }

  /** @param {OpenState} newState */
  function draw(newState) {
    state = newState;
    const { view, you, passAndPlay } = newState;
    show(form, can(you, "set") && !passAndPlay);
    show(laterNote, !can(you, "set"));
    show(muteButtons, can(you, "mute") && !passAndPlay);
    show(visibility.element, features().lobby);
    if (!hasUnsavedInput) {
      visibility.select.value = view.visibility;
      chat.select.value = view.spectator_chat;
    }
    drawChildren(
      freeButtons,
      marksFor(you, "free"),
      (mark) => mark,
      (mark) => button("", () => void sendCommand({ type: "free", mark })),
      (node, mark) => setText(node, t("settings.free", { mark })),
    );
    if (!can(you, "close")) for (const node of [sureText, closeButton, yesButton, cancelButton]) show(node, false);
  }

  return { element, draw };
}

/**
 * Create the form with which the owner changes the game, the level of the engine and the clock between games.
 * @param {RoomContext} context
 * @returns {Part}
 */
export function createChangeForm({ sendCommand, dispatch }) {
  /** @type {OpenState|null} */
  let state = null;
  let shown = "";
  const picker = createVariantPicker("change-variant", () => drawLevels());
  const level = labelledSelect(t("start.level"), []);
  const clock = labelledSelect(t("start.clock"), []);
  const submitButton = h("button", { type: "submit", class: "primary", text: t("change.go") });
  const element = createForm(
    { class: "change" },
    () => void submit(),
    picker.element,
    level.element,
    clock.element,
    submitButton,
  );

  /** Return the mark and the level of the engine, or nulls. */
  function engine() {
    const mark = MARKS.find((mark) => state?.view.seats[mark]?.kind === "engine") ?? null;
    const seat = mark && state?.view.seats[mark];
    return { mark, level: seat?.kind === "engine" ? seat.level : null };
  }
  const chosenVariant = () => state?.variants.find(({ key }) => key === picker.value());

  function drawLevels() {
    const before = state?.variants.find(({ key }) => key === state?.view.variant);
    const options = levelOptions(chosenVariant());
    setOptions(
      level.select,
      options,
      levelAfterChange(level.select.value || engine().level || defaultLevel(before), before, chosenVariant()),
    );
  }

  async function submit() {
    if (!state) return;
    const { view, you } = state;
    submitButton.disabled = true;
    /** @type {Record<string, unknown>} */
    const changes = {};
    if (picker.value() !== view.variant) changes["variant"] = picker.value();
    if (clock.select.value !== JSON.stringify(settingOf(view.clock))) changes["clock"] = JSON.parse(clock.select.value);
    const { mark, level: engineLevel } = engine();
    const chosen = levelOf(level.select); // the form is drawn again as soon as the seat is free
    const isNewLevel = mark !== null && chosen !== engineLevel && marksFor(you, "free").includes(mark);
    let isDone = true;
    if (Object.keys(changes).length) isDone = (await sendCommand({ type: "set", ...changes })).ok;
    if (isDone && isNewLevel) {
      // A new engine in the seat starts the next game by itself.
      isDone =
        (await sendCommand({ type: "free", mark })).ok &&
        (await sendCommand({ type: "seat_engine", mark, level: chosen })).ok;
    } else if (isDone && view.game && you.can.includes("offer:rematch")) {
      isDone = (await sendCommand({ type: "offer", what: "rematch", game: view.game.number })).ok;
    }
    submitButton.disabled = false;
    if (isDone) dispatch({ type: "sheet", sheet: null });
  }

  return {
    element,
    /** @param {OpenState} newState */
    draw(newState) {
      state = newState;
      const setting = settingOf(newState.view.clock);
      const settings = JSON.stringify([newState.view.variant, engine().level, setting, newState.variants.length]);
      if (shown === settings) return; // keep what the owner has chosen
      shown = settings;
      picker.draw(newState.variants, newState.view.variant);
      level.select.value = "";
      drawLevels();
      show(level.element, engine().mark !== null);
      setOptions(clock.select, clockOptions(setting), JSON.stringify(setting));
    },
  };
}
